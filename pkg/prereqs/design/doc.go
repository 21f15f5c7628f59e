// Package design is how a new StorageCluster of OpenShift Data Foundation is laid out: what a user can say about it,
// which release can do it, and what its daemons request.
package design
