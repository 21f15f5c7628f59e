// Package backup writes the backup of a hosted cluster into one file: its HostedCluster and NodePools, the Secrets and
// ConfigMaps that they refer to, the keys of its control plane, and a snapshot of its etcd.
//
// The snapshot follows the vendor's procedure for on-premise clusters: etcdctl takes it in a pod of etcd while the
// cluster runs. The cluster is not changed. docs/backup.md has the sources.
package backup
