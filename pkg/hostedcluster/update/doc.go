// Package update changes the fields of a HostedCluster that HyperShift allows to change after creation. For all others
// it returns the reason and the alternative.
package update
