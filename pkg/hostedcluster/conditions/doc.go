// Package conditions says what the conditions of HostedClusters and NodePools mean, who decides them, how bad they are
// and where to look. For a new condition, add one row to hostedcluster.go or nodepool.go.
package conditions
