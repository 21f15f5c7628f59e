// Package restore brings a hosted cluster back to the state of a backup, by the vendor's procedure for etcd on
// premise: pause the HostedCluster, stop the API servers and etcd, restore the snapshot into the volume of member 0
// and remove the volumes of the others, start all again, resume. A HostedCluster that is gone is created again first,
// with the keys that it had, so that kubeconfigs and tokens go on working.
//
// Where a restore is, is on the cluster: a mark on the HostedCluster as long as it is under way, and one on the volume
// claim of member 0 once the data are there. The same command goes on from there. docs/backup.md has the sources.
package restore
