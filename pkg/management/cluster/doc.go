// Package cluster is what both plans read of a management cluster.
package cluster
