// Package remove has delete cluster, delete clusters and delete nodepool.
package remove
