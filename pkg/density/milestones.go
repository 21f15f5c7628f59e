package density

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
)

// milestone is one milestone of create cluster.
type milestone struct {
	// name is that of the step without its group, such as "api" of "cluster/api".
	name string
	// burner is the name in kube-burner's documents.
	burner string
	// cluster and pool are the conditions whose transition is the milestone, where no hcctl saw it.
	cluster, pool []string
}

func milestones() []milestone {
	return []milestone{
		{name: "accepted", burner: "Accepted", cluster: []string{string(hyperv1.ValidHostedClusterConfiguration),
			string(hyperv1.ValidReleaseImage)}},
		{name: "infrastructure", burner: "InfrastructureReady", cluster: []string{string(hyperv1.InfrastructureReady)}},
		{name: "etcd", burner: "EtcdAvailable", cluster: []string{string(hyperv1.EtcdAvailable)}},
		{name: "api", burner: "Available", cluster: []string{string(hyperv1.HostedClusterAvailable)}},
		{name: "machines", burner: "MachinesReady", pool: []string{hyperv1.NodePoolAllMachinesReadyConditionType}},
		{name: "nodes", burner: "NodesReady", pool: []string{hyperv1.NodePoolAllNodesHealthyConditionType,
			hyperv1.NodePoolReadyConditionType}},
		{name: rollout, burner: "RolloutCompleted"},
	}
}

const rollout = "rollout"

// part is one part of a deletion.
type part struct{ name, burner string }

// deletionParts are the long steps of delete cluster, and the whole deletion.
func deletionParts() []part {
	return []part{{"managed-cluster", "ManagedClusterDetached"}, {"hosted-cluster", "HostedClusterGone"},
		{"control-plane", "ControlPlaneGone"}, {wholeDeletion, "Deleted"}}
}

// wholeDeletion is the part that is all of it.
const wholeDeletion = "deleted"

func isMilestone(name string) bool {
	for _, m := range milestones() {
		if m.name == name {
			return true
		}
	}
	return false
}

func isPart(name string) bool {
	for _, p := range deletionParts() {
		if p.name == name {
			return true
		}
	}
	return false
}

// conditionMilestones returns the milestones by the conditions of the objects, in seconds since the HostedCluster's
// creation. The API server's times have whole seconds, and only the last transition of a condition is known.
func conditionMilestones(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool) map[string]MilestoneTime {
	out := map[string]MilestoneTime{}
	since := func(name string, at time.Time) {
		if seconds := at.Sub(hc.CreationTimestamp.Time).Seconds(); !at.IsZero() && seconds >= 0 {
			out[name] = MilestoneTime{rounded(seconds), condition}
		}
	}
	for _, m := range milestones() {
		switch {
		case m.name == rollout:
			if v := hc.Status.Version; v != nil && len(v.History) > 0 {
				if first := v.History[len(v.History)-1]; first.CompletionTime != nil {
					since(rollout, first.CompletionTime.Time)
				}
			}
		case m.cluster != nil:
			since(m.name, allTrue(follow.ClusterConditions(hc), m.cluster))
		default:
			var last time.Time
			for i := range pools {
				at := allTrue(follow.PoolConditions(&pools[i]), m.pool)
				if at.IsZero() {
					last = time.Time{}
					break
				}
				if at.After(last) {
					last = at
				}
			}
			since(m.name, last)
		}
	}
	return out
}

// allTrue returns when the last of the conditions became True, zero if one is not.
func allTrue(conditions follow.Conditions, types []string) time.Time {
	var last time.Time
	for _, t := range types {
		c := conditions.Get(t)
		if !c.True() {
			return time.Time{}
		}
		if c.LastTransitionTime.After(last) {
			last = c.LastTransitionTime
		}
	}
	return last
}

// addPastMilestones adds the milestones that no hcctl observed. It keeps observed ones.
func addPastMilestones(ctx context.Context, r kube.Reader, namespace string, own *ClusterTimes) error {
	hc, err := hostedcluster.Find(ctx, r, namespace, own.Name)
	if err != nil {
		return err
	}
	all := &hyperv1.NodePoolList{}
	if err := r.List(ctx, all, client.InNamespace(namespace)); err != nil {
		return fmt.Errorf("list NodePools in namespace %s: %w", namespace, err)
	}
	var pools []hyperv1.NodePool
	for i := range all.Items {
		if all.Items[i].Spec.ClusterName == own.Name {
			pools = append(pools, all.Items[i])
		}
	}
	for name, at := range conditionMilestones(hc, pools) {
		own.setMilestone(name, at)
	}
	return nil
}

// setMilestone records a milestone the first time it is reached.
func (c *ClusterTimes) setMilestone(name string, at MilestoneTime) {
	if _, known := c.Milestones[name]; known {
		return
	}
	if c.Milestones == nil {
		c.Milestones = map[string]MilestoneTime{}
	}
	c.Milestones[name] = at
}
