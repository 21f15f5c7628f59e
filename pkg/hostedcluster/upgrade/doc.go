// Package upgrade moves hosted clusters and their node pools to another release: it says which there are, which the
// rules allow, and takes a cluster there, its control plane first and then its pools.
package upgrade
