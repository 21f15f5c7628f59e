package density

import (
	"context"
	"fmt"
	"math"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// measure is a duration that is summarised over the clusters.
type measure struct {
	// name is the name of the step without its group, such as "api" of "cluster/api".
	name string
	// burner is the name in kube-burner's documents.
	burner string
	// deletion is set for a part of the deletion, counted from its start. Milestones count from the write of the
	// HostedCluster.
	deletion bool
}

// measures returns the milestones of create cluster, the long steps of delete cluster, and the whole deletion.
func measures() []measure {
	return []measure{
		{"accepted", "Accepted", false}, {"infrastructure", "InfrastructureReady", false},
		{"etcd", "EtcdAvailable", false}, {"api", "Available", false}, {"machines", "MachinesReady", false},
		{"nodes", "NodesReady", false}, {rollout, "RolloutCompleted", false},
		{"managed-cluster", "ManagedClusterDetached", true}, {"hosted-cluster", "HostedClusterGone", true},
		{"control-plane", "ControlPlaneGone", true}, {wholeDeletion, "Deleted", true},
	}
}

const (
	rollout = follow.RolloutMilestone
	// wholeDeletion is the name of the part that is the whole deletion.
	wholeDeletion = "deleted"
)

func measured(name string, deletion bool) bool {
	return slices.ContainsFunc(measures(), func(m measure) bool { return m.name == name && m.deletion == deletion })
}

// of returns how long a cluster took, in milliseconds.
func (m measure) of(c *ClusterTimes) (milliseconds int64, known bool) {
	seconds := 0.0
	if !m.deletion {
		var at MilestoneTime
		at, known = c.Milestones[m.name]
		seconds = at.Seconds
	} else if c.Deletion != nil {
		seconds, known = c.Deletion.Parts[m.name]
	}
	return int64(math.Round(seconds * millisecondsInOne)), known
}

// conditionMilestones returns the milestones from the conditions of the objects, in seconds since the
// HostedCluster's creation; see follow.MilestoneTimes.
func conditionMilestones(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool) map[string]MilestoneTime {
	out := map[string]MilestoneTime{}
	for _, m := range follow.MilestoneTimes(hc, pools) {
		if seconds := m.At.Sub(hc.CreationTimestamp.Time).Seconds(); !m.At.IsZero() && seconds >= 0 {
			out[m.Name] = MilestoneTime{rounded(seconds), condition}
		}
	}
	return out
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
