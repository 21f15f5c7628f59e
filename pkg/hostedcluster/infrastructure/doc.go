// Package infrastructure reaches the cluster that runs the worker VMs of a hosted cluster where that is not the
// management cluster: HyperShift's external infrastructure. The HostedCluster names a Secret with its kubeconfig, which
// anybody who may write Secrets may have written: it is read as that of a hosted cluster is, and what answers is
// bounded in the same way. The package only reads.
package infrastructure
