// Package follow waits for a hosted cluster or a node pool: by milestones from its objects to its roll-out, or by goals
// of the user's. Create, wait, scale and upgrade all use it.
//
// A milestone that does not hold names its cause: the pod that fits on no node, the VM whose image does not come, the
// cluster operators of the guest that are not ready.
//
// What the conditions mean is in package conditions.
package follow
