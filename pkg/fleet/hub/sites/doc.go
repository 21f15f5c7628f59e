// Package sites brings what management clusters need to all of them, through their hub of Open Cluster Management.
//
// What every site gets alike is a ManifestWorkReplicaSet, whose Placement says which sites those are; what depends on a
// site, such as its addresses and disks, is a ManifestWork of its own. The objects are those of hcctl bootstrap
// --render: this package decides nothing about prerequisites. A site's work agent applies each object by server-side
// apply without force, again and again until the operator before it has brought its CRD, and never deletes one: all
// ManifestWorks orphan what they brought.
//
// What the sites report is not trusted. Which site and which ManifestWork it is follows from namespace and name alone;
// values are taken by an allow-list of names, each with its form.
package sites
