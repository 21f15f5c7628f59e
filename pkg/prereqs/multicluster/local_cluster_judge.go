package multicluster

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	for _, t := range []string{clusterv1.ManagedClusterConditionHubAccepted, clusterv1.ManagedClusterConditionJoined,
		clusterv1.ManagedClusterConditionAvailable} {
		c := meta.FindStatusCondition(cluster.Status.Conditions, t)
		if c != nil && c.Status == metav1.ConditionTrue {
			continue
		}
		// The import says why a cluster does not join.
		if in := meta.FindStatusCondition(cluster.Status.Conditions, conditionImported); in != nil &&
			in.Status == metav1.ConditionFalse {
			c = in
		}
		if c == nil {
			return step.Pending("%s not reported yet", t).On("%s", object)
		}
		f := step.Pending("%s %s (%s): %s", c.Type, c.Status, c.Reason, c.Message).On("%s", object).
			WithHint("oc get pods -n open-cluster-management-agent; oc describe managedcluster %s", cluster.Name)
		// One that had joined and is not heard of any more is in trouble; before, it is on its way.
		f.Trouble = c.Type == clusterv1.ManagedClusterConditionAvailable
		return f
	}
	return step.OK("joined and available").On("%s", object)
}
