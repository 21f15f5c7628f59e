// Package backup writes the backup of a hosted cluster into one file: its HostedCluster and NodePools, the Secrets and
// ConfigMaps that they name, the keys of its control plane, and a snapshot of its etcd.
//
// The snapshot is taken as the vendor's procedure for on-premise clusters says, by etcdctl in a pod of etcd, while the
// cluster goes on. Nothing of the cluster is changed. docs/backup.md has the sources.
package backup
