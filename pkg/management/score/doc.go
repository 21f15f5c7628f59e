// Package score brings what a management cluster has room for to its hub of Open Cluster Management.
//
// On the management cluster, a site of the hub, hcctl check --publish writes what it has counted into a ConfigMap. A
// ManifestWork of the hub names that ConfigMap as one to read only, so that the site's own work agent reports its
// values by feedback rules. hcctl makes an AddOnPlacementScore of a report, which the hub's placement controller reads.
//
// What a site reports is not trusted: it is taken by an allow-list of names, each with its form and its bound, and only
// for an hour from the time at which it was counted.
package score
