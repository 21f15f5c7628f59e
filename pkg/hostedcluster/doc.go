// Package hostedcluster finds, lists and names HostedClusters on HyperShift's KubeVirt platform. It also holds what the
// packages below it share: identities, marks on objects, pool sizes, pauses and versions.
package hostedcluster
