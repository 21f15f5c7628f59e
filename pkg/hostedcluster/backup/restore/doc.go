// Package restore resets a hosted cluster to the state of a backup, by the vendor's procedure for etcd on premise:
// pause the HostedCluster, stop the API servers and etcd, restore the snapshot into the volume of member 0, remove the
// volumes of the other members, start everything again, and resume. A HostedCluster that does not exist is first
// created again with its previous keys, so that kubeconfigs and tokens stay valid.
//
// The progress is stored on the cluster: an annotation on the HostedCluster during the restore, and one on the volume
// claim of member 0 once the data are restored. The same command continues an interrupted restore. docs/backup.md has
// the sources.
package restore
