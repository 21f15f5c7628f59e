// Package remove has the commands delete cluster, delete clusters and delete nodepool.
package remove
