// Package maintenance plans the maintenance of one node of a management cluster: what is on it, and what becomes of
// each when the node is drained and restarted. It only reads.
//
// What a VM's eviction strategy does is KubeVirt's (virt-api, pod eviction admitter) and Cluster API's
// (cluster-api-provider-kubevirt). Workers of hosted clusters have none up to HyperShift 4.21, so that HyperConverged's
// default holds: they are migrated. From 4.22 on they have External, and start again on another node.
package maintenance
