// Package objects makes the Kubernetes objects of a hosted cluster from valid options, and compares them with those
// that exist. It asks no server.
package objects
