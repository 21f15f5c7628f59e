// Package gitops is what Argo CD needs on a management cluster to keep hosted clusters and what is in them as they are
// in Git: OpenShift GitOps, a cluster set, and Advanced Cluster Management's GitOpsCluster. The group is optional.
package gitops
