// Package conditions has the meaning, the deciding operator, the severity and the first place to look for each
// condition of HostedClusters and NodePools. For a new condition, add one row to hostedcluster.go or nodepool.go.
package conditions
