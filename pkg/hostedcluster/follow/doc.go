// Package follow waits for a hosted cluster or a node pool: by milestones from its objects to its roll-out, or by goals
// of the user's. Create, wait, scale and upgrade all use it.
//
// A milestone that does not hold names its cause: the pod that fits on no node, the VM whose image does not come, the
// cluster operators of the guest that are not ready.
//
// One table says which conditions are terminal (terminal_conditions.go). A condition or reason that is not in it may
// pass: the unknown word of a newer operator must not end a create that would have succeeded. A second table has what
// each condition is when all is well (expected.go); status goes by it.
package follow
