// Package objects creates the Kubernetes objects of a hosted cluster from validated options, and compares them with
// existing ones. It sends no requests.
package objects
