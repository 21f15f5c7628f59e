// Package creation prepares the creation of a hosted cluster, renders it without a server, and returns the steps that
// write its objects and wait for it.
package creation
