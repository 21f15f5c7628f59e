package follow

import (
	"slices"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/step"
)

// Reached is a milestone of a new hosted cluster, with the time at which it was reached.
type Reached struct {
	// Name of the step without its group, such as "api" of "cluster/api".
	Name string
	// Conditions are the condition types of the kind Kind that make the milestone. It is empty for the roll-out, whose
	// time is in the first entry of the version history.
	Conditions []string
	Kind       string
	// At is zero if the milestone is not reached. It is the last transition of a condition, in whole seconds: if a
	// condition was False again for a while, it is later.
	At time.Time
}

// Step returns the ID of the milestone's step. cluster/nodes is the ID of a check of the management cluster.
func (m Reached) Step() step.ID {
	if m.Name == "nodes" {
		return nodesStep
	}
	return step.ID("cluster/" + m.Name)
}

// RolloutMilestone is the name of the last milestone, the completed roll-out.
const RolloutMilestone = "rollout"

// MilestoneTimes returns the milestones of a hosted cluster in their order, with the times in its HostedCluster and its
// NodePools. A milestone of the NodePools is reached when all pools have reached it.
func MilestoneTimes(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool) []Reached {
	const cluster, pool = hostedcluster.HostedClusterKind, hostedcluster.NodePoolKind
	all := []Reached{
		{Name: "accepted", Kind: cluster, Conditions: []string{string(hyperv1.ValidHostedClusterConfiguration),
			string(hyperv1.ValidReleaseImage)}},
		{Name: "infrastructure", Kind: cluster, Conditions: []string{string(hyperv1.InfrastructureReady)}},
		{Name: "etcd", Kind: cluster, Conditions: []string{string(hyperv1.EtcdAvailable)}},
		{Name: "api", Kind: cluster, Conditions: []string{string(hyperv1.HostedClusterAvailable)}},
		{Name: "machines", Kind: pool, Conditions: []string{hyperv1.NodePoolAllMachinesReadyConditionType}},
		{Name: "nodes", Kind: pool, Conditions: []string{hyperv1.NodePoolAllNodesHealthyConditionType,
			hyperv1.NodePoolReadyConditionType}},
		{Name: RolloutMilestone, Kind: cluster},
	}
	if !hostedcluster.PlatformOf(hc).MakesNodes() {
		all = slices.DeleteFunc(all, func(m Reached) bool { return m.Kind == pool })
	}
	for i, m := range all {
		switch {
		case m.Name == RolloutMilestone:
			all[i].At = firstRollout(hc)
		case m.Kind == hostedcluster.HostedClusterKind:
			all[i].At = allTrue(conditions.OfCluster(hc), m.Conditions)
		default:
			all[i].At = allPoolsTrue(pools, m.Conditions)
		}
	}
	return all
}

// firstRollout returns when the first release was rolled out, or zero. The history's newest entry is first.
func firstRollout(hc *hyperv1.HostedCluster) time.Time {
	v := hc.Status.Version
	if v == nil || len(v.History) == 0 || v.History[len(v.History)-1].CompletionTime == nil {
		return time.Time{}
	}
	return v.History[len(v.History)-1].CompletionTime.Time
}

// allPoolsTrue returns when all conditions of all pools became True, or zero if one is not.
func allPoolsTrue(pools []hyperv1.NodePool, types []string) time.Time {
	var last time.Time
	for i := range pools {
		at := allTrue(conditions.OfPool(&pools[i]), types)
		if at.IsZero() {
			return time.Time{}
		}
		if at.After(last) {
			last = at
		}
	}
	return last
}

// allTrue returns when the last of the conditions became True, or zero if one is not.
func allTrue(set conditions.Set, types []string) time.Time {
	var last time.Time
	for _, t := range types {
		c := set.Get(t)
		if !c.True() {
			return time.Time{}
		}
		if c.LastTransitionTime.After(last) {
			last = c.LastTransitionTime
		}
	}
	return last
}
