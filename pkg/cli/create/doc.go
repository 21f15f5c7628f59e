// Package create has create cluster, create nodepool and apply.
package create
