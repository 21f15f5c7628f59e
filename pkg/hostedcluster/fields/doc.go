// Package fields compares and changes single fields of existing HostedClusters and NodePools.
package fields
