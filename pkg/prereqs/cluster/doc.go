// Package cluster holds the prerequisites of the management cluster itself: version, platform, nodes, capacity,
// networks, pull secret, mirrors, permissions. All of them are checks only.
package cluster
