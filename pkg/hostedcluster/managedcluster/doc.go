// Package managedcluster judges the state of a ManagedCluster of Open Cluster Management, and why it does not join its
// hub.
package managedcluster
