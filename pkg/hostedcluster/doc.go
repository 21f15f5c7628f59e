// Package hostedcluster is about HostedClusters on HyperShift's KubeVirt platform: from options to objects, their creation and
// the milestones after it, listing, and deletion until nothing is left.
package hostedcluster
