// Package fit decides whether a pod, or the pod of a VM, can run on a node: by labels, affinity, taints, cordons, and
// the free amount of every requested resource. It follows the filters of kube-scheduler, except inter-pod affinity,
// volumes and ports, which the caller checks. No other package makes this decision.
package fit
