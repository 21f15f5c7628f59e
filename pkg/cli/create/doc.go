// Package create has the commands create cluster and create nodepool.
package create
