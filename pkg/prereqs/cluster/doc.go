// Package cluster holds the prerequisites of the management cluster itself: version, platform, nodes, capacity,
// networks, pull secret, mirrors, permissions. Most of them only check.
package cluster
