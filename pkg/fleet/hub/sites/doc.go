// Package sites delivers the prerequisites of hosted clusters to many management clusters, through their hub of
// Open Cluster Management.
//
// Objects for every site are in a ManifestWorkReplicaSet, whose Placement selects the sites. Objects that depend
// on a site, such as its addresses and disks, are in a ManifestWork for that site. The objects are those of
// hcctl bootstrap --render: this package makes no decisions about prerequisites. A site's work agent applies
// each object by server-side apply without force, and retries until an operator has installed its CRD. It never
// deletes an object: all ManifestWorks have the deleteOption Orphan.
//
// Reports of the sites are not trusted. Only namespace and name identify the site and the ManifestWork. Values
// are accepted by an allow-list of names, each with its form.
package sites
