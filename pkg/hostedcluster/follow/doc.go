// Package follow waits for a hosted cluster or a node pool: by milestones from its objects to its roll-out, or for the
// goals of a user. Create, wait, scale and upgrade use it.
//
// A milestone that is not reached names its cause: the pod that fits on no node, the VM whose image cannot be imported,
// the cluster operators of the guest that are not ready.
//
// Package conditions describes the meaning of the conditions.
package follow
