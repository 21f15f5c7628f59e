// Package maintenance plans the maintenance of one node of a management cluster: what runs on it, and what happens to
// it when the node is drained and restarted. It only reads.
//
// KubeVirt (virt-api, pod eviction admitter) and Cluster API (cluster-api-provider-kubevirt) define the effect of a
// VM's eviction strategy. Workers of hosted clusters have none up to HyperShift 4.21, so that HyperConverged's default
// applies and they are migrated. From 4.22 on they have External, and start again on another node.
package maintenance
