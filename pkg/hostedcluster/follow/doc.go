// Package follow waits for a hosted cluster or a node pool: by milestones from its objects to its rollout, or by goals
// of the user.
//
// terminal_conditions.go says which conditions waiting does not change, expected.go what each condition is on a healthy
// cluster.
package follow
