// Package fields compares and writes single fields of the HostedClusters and NodePools that exist.
package fields
