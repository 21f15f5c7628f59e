package density

import (
	"context"
	"fmt"

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
}

func milestones() []milestone {
	return []milestone{
		{"accepted", "Accepted"}, {"infrastructure", "InfrastructureReady"}, {"etcd", "EtcdAvailable"},
		{"api", "Available"}, {"machines", "MachinesReady"}, {"nodes", "NodesReady"}, {rollout, "RolloutCompleted"},
	}
}

const rollout = follow.RolloutMilestone

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
// creation; see follow.MilestoneTimes.
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
