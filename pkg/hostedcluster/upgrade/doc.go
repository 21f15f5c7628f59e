// Package upgrade upgrades hosted clusters and their node pools: it lists the releases, checks them against the rules,
// and upgrades a cluster, first its control plane and then its pools.
package upgrade
