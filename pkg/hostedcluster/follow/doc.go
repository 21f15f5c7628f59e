// Package follow waits for a hosted cluster or a node pool: by milestones from its objects to its roll-out, or by goals
// of the user's. It knows which conditions are terminal, so that waiting cannot cure them.
package follow
