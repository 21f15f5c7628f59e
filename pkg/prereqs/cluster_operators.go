package prereqs

import (
	"context"
	"slices"
	"time"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// clusterOperators: the parts of OpenShift that hosted clusters rest on are well.
type clusterOperators struct{ c *kube.Client }

func (s clusterOperators) step() step.Step {
	return step.Step{ID: ClusterOperators, Title: "cluster operators", Check: s.check, Timeout: 10 * time.Minute}
}

// restsOn are the cluster operators whose trouble reaches hosted clusters.
func restsOn() []string {
	return []string{"dns", "ingress", "monitoring", "network", "operator-lifecycle-manager", "storage"}
}

func (s clusterOperators) check(ctx context.Context) step.Finding {
	list := &configv1.ClusterOperatorList{}
	if err := s.c.List(ctx, list); err != nil {
		return kube.Unread(err).On("ClusterOperators")
	}
	return judgeClusterOperators(list.Items)
}

func judgeClusterOperators(operators []configv1.ClusterOperator) step.Finding {
	seen := 0
	var degraded *step.Finding
	for _, co := range operators {
		if !slices.Contains(restsOn(), co.Name) {
			continue
		}
		seen++
		for _, c := range co.Status.Conditions {
			switch {
			case c.Type == configv1.OperatorAvailable && c.Status != configv1.ConditionTrue:
				return step.Waiting("Available %s (%s): %s", c.Status, c.Reason, c.Message).On("ClusterOperator %s", co.Name).WithHint("oc describe clusteroperator %s", co.Name)
			case c.Type == configv1.OperatorDegraded && c.Status == configv1.ConditionTrue && degraded == nil:
				f := step.NotThere("Degraded (%s): %s", c.Reason, c.Message).On("ClusterOperator %s", co.Name).WithHint("oc describe clusteroperator %s", co.Name)
				degraded = &f
			}
		}
	}
	if degraded != nil {
		return *degraded
	}
	return step.Okay("%d that hosted clusters rest on are available, none is degraded", seen).On("ClusterOperators")
}
