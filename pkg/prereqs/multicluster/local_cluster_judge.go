package multicluster

import (
	"context"

	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// findLocalCluster returns the ManagedCluster with the label of the hub itself, or nil.
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

// klusterletNamespace is the namespace of the agents that join a cluster to its hub.
const klusterletNamespace = "open-cluster-management-agent"

// klusterletCause returns the problem of this cluster's agents, or nil. No condition reports it while they cannot
// start.
func klusterletCause(ctx context.Context, r kube.Reader) *step.Finding {
	if f := prereq.JudgeWorkloads(ctx, r, klusterletNamespace); f != nil {
		return f
	}
	// klusterlet-work-agent has no replicas until the cluster has joined.
	return prereq.JudgeWorkloads(ctx, r, klusterletNamespace, "klusterlet", "klusterlet-agent",
		"klusterlet-registration-agent")
}

// judgeLocalCluster requires that the conditions are True. For the engine it is enough that they exist.
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
		// The import condition explains why a cluster does not join.
		if in := kube.FindCondition(conditions, conditionImported); in.False() {
			c = in
		}
		if c.Status == "" {
			return step.Pending("%s", c.Describe()).On("%s", object)
		}
		f := step.Pending("%s", c.Describe()).On("%s", object).
			WithHint("oc get pods -n open-cluster-management-agent; oc describe managedcluster %s", cluster.Name)
		// Not Available after joining is trouble; before, the cluster is still joining.
		f.Trouble = c.Type == clusterv1.ManagedClusterConditionAvailable
		return f
	}
	return step.OK("joined and available").On("%s", object)
}
