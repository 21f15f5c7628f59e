// Package hub works on the hosted clusters of many management clusters through a hub of Open Cluster Management.
//
// Each management cluster is a ManagedCluster of the hub, here called a site. A hosted cluster is assigned to its site
// by a ConfigMap in a namespace of hcctl's own, and delivered by a ManifestWork in the namespace of the site, both
// named after the cluster. The ConfigMap is created first: its name follows from the cluster alone, so that the API
// server decides between two commands. Nothing but hcctl's own commands moves a cluster. The work agent of the site
// applies the objects, and reports the values of feedback rules.
//
// What a site can write is not trusted. By Open Cluster Management's own role a site's agent may change, but neither
// create nor delete, ManifestWorks in the namespace of its site alone. So the name and the namespace of a ManifestWork
// say which hosted cluster it is and where, never a label, an annotation or a reported value; values are taken by an
// allow-list of names, each with its form and its bound (feedback.go).
package hub
