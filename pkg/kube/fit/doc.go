// Package fit judges whether a pod, or the pod of a VM, may run on a node: by labels, affinity, taints and cordons, and
// by what is free there of every resource that it requests. It is the one judge of that; what decides are the filters
// of kube-scheduler, of which affinity to other pods, volumes and ports are left to the caller.
package fit
