// Package creation prepares the creation of a hosted cluster, renders it without a server, and has the steps that write
// its objects and follow it.
package creation
