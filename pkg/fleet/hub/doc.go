// Package hub works on the hosted clusters of many management clusters through a hub of Open Cluster Management.
//
// Each management cluster is a ManagedCluster of the hub, here called a site. A ConfigMap in a namespace of
// hcctl's own assigns a hosted cluster to its site, and a ManifestWork in the site's namespace delivers it; both
// are named after the cluster. The ConfigMap is created first: its name depends only on the cluster, so that the
// API server decides between two commands. Only hcctl's own commands move a cluster. The work agent of the site
// applies the objects, and reports the values of feedback rules.
//
// Data that a site can write is not trusted. By Open Cluster Management's own role a site's agent may change,
// but neither create nor delete, ManifestWorks, and only in the namespace of its site. So only the name and the
// namespace of a ManifestWork identify the hosted cluster and its site, never a label, an annotation or a
// reported value. Values are accepted by an allow-list of names, each with its form and its limit (feedback.go).
package hub
