// Package design is how a new StorageCluster of OpenShift Data Foundation is laid out: what a person can say about it,
// which release can do it, and what its daemons request.
package design
