// Package update changes the fields of a HostedCluster that HyperShift lets anybody change after creation, and says
// for all others why not, and what to do instead.
package update
