// Package score reports the free capacity of a management cluster to its hub of Open Cluster Management.
//
// On the management cluster, which is a site of the hub, hcctl check --publish writes the count into a ConfigMap. A
// ManifestWork of the hub refers to that ConfigMap as read-only, so that the site's own work agent reports its values
// by feedback rules. hcctl turns a report into an AddOnPlacementScore, which the hub's placement controller reads.
//
// A site's report is not trusted: an allow-list defines the names with their form and maximum, and a report is valid
// for one hour after its count.
package score
