package multicluster

import (
	"context"

	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// findLocalCluster returns the ManagedCluster that is the hub itself, by label, or nil.
func findLocalCluster(ctx context.Context, r kube.Reader) (*clusterv1.ManagedCluster, error) {
	list := &clusterv1.ManagedClusterList{}
	err := r.List(ctx, list, client.MatchingLabels{localLabel: "true"})
	if err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	if len(list.Items) == 0 {
		return nil, nil
	}
	return &list.Items[0], nil
}

// klusterletNamespace is where the agents run by which a cluster joins its hub.
const klusterletNamespace = "open-cluster-management-agent"

// klusterletCause looks at the agents of this cluster, which nobody else says anything of while they cannot start; nil
// where they are well.
func klusterletCause(ctx context.Context, r kube.Reader) *step.Finding {
	if f := prereq.JudgeWorkloads(ctx, r, klusterletNamespace); f != nil {
		return f
	}
	// klusterlet-work-agent is at 0 until the cluster has joined.
	return prereq.JudgeWorkloads(ctx, r, klusterletNamespace, "klusterlet", "klusterlet-agent",
		"klusterlet-registration-agent")
}

// judgeLocalCluster wants the conditions True: the engine itself is content when they merely exist.
func judgeLocalCluster(cluster *clusterv1.ManagedCluster) step.Finding {
	object := "ManagedCluster " + cluster.Name
	if f := prereq.Deleting("ManagedCluster", cluster); f != nil {
		return *f
	}
	if !cluster.Spec.HubAcceptsClient {
		return step.Broken("spec.hubAcceptsClient is false: the hub does not let it join").On("%s", object).
			WithHint(`oc patch managedcluster %s --type=merge -p '{"spec":{"hubAcceptsClient":true}}'`, cluster.Name)
	}
	conditions := kube.ConditionsOf(cluster, cluster.Status.Conditions)
	for _, t := range []string{clusterv1.ManagedClusterConditionHubAccepted, clusterv1.ManagedClusterConditionJoined,
		clusterv1.ManagedClusterConditionAvailable} {
		c := kube.FindCondition(conditions, t)
		if c.True() {
			continue
		}
		// The import says why a cluster does not join.
		if in := kube.FindCondition(conditions, conditionImported); in.False() {
			c = in
		}
		if c.Status == "" {
			return step.Pending("%s", c.Describe()).On("%s", object)
		}
		f := step.Pending("%s", c.Describe()).On("%s", object).
			WithHint("oc get pods -n open-cluster-management-agent; oc describe managedcluster %s", cluster.Name)
		// One that had joined and is not heard of any more is in trouble; before, it is on its way.
		f.Trouble = c.Type == clusterv1.ManagedClusterConditionAvailable
		return f
	}
	return step.OK("joined and available").On("%s", object)
}
