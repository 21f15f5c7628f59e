// Package managedcluster says how a ManagedCluster of Open Cluster Management is, and why one does not join its hub.
package managedcluster
