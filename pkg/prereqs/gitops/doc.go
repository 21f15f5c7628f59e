// Package gitops holds what Argo CD needs on a management cluster to keep hosted clusters and their content as defined
// in Git: OpenShift GitOps, a cluster set, and Advanced Cluster Management's GitOpsCluster. The group is optional.
package gitops
