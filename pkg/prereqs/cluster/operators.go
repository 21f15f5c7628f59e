package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Operators is the prerequisite of this file.
const Operators step.ID = "cluster/operators"

// clusterOperators checks the cluster operators that hosted clusters need.
type clusterOperators struct{}

func (s clusterOperators) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Operators, Title: "cluster operators",
		Check: s.check, Timeout: 10 * time.Minute,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ListConfig("clusteroperators.config.openshift.io")}},
	}
}

// restsOn are the cluster operators whose trouble reaches hosted clusters: their control planes are pods with volumes,
// names and routes on this cluster's own API, installed by its Operator Lifecycle Manager and watched by its
// monitoring.
func restsOn() []string {
	return []string{"dns", "etcd", "ingress", "kube-apiserver", "marketplace", "monitoring", "network",
		"operator-lifecycle-manager", "storage"}
}

func (s clusterOperators) check(ctx context.Context, r kube.Reader) step.Finding {
	list := &configv1.ClusterOperatorList{}
	if err := r.List(ctx, list); err != nil {
		return kube.Unknown(err).On("ClusterOperators")
	}
	return judgeClusterOperators(list.Items)
}

// judgeClusterOperators waits for an operator that is not available, and calls for a user if one is degraded. It only
// mentions operators that hosted clusters do not need. Absent ones belong to disabled capabilities.
func judgeClusterOperators(operators []configv1.ClusterOperator) step.Finding {
	seen, absent, degraded, others := 0, []string{}, []string{}, []string{}
	var first *step.Finding
	for _, co := range operators {
		away, sick := troubles(co)
		if !slices.Contains(restsOn(), co.Name) {
			if away != "" || sick != "" {
				others = append(others, co.Name)
			}
			continue
		}
		seen++
		switch {
		case away != "":
			absent = append(absent, co.Name)
			if len(absent) == 1 {
				first = found(step.Pending("%s", away), co.Name)
			}
		case sick != "":
			degraded = append(degraded, co.Name)
			if first == nil {
				first = found(step.Missing("%s", sick), co.Name)
			}
		}
	}
	switch bad := slices.Concat(absent, degraded); {
	case len(bad) > 1:
		first.Message += fmt.Sprintf(" (and %s)", prereq.Listed(bad[1:]))
		return *first
	case len(bad) == 1:
		return *first
	case seen == 0:
		return step.Pending("none of them is reported yet").On("ClusterOperators")
	case len(others) > 0:
		return step.OK("the %d that hosted clusters depend on are healthy; unhealthy, but not needed by them: %s", seen,
			prereq.Listed(others)).On("ClusterOperators")
	}
	return step.OK("the %d that hosted clusters depend on are available, none is degraded", seen).On("ClusterOperators")
}

func found(f step.Finding, clusterOperator string) *step.Finding {
	f = f.On("ClusterOperator %s", clusterOperator).WithHint("oc describe clusteroperator %s", clusterOperator)
	return &f
}

// troubles says why the operator is not available, and why it is degraded; empty where it is well.
func troubles(co configv1.ClusterOperator) (away, sick string) {
	away = "Available is not reported yet"
	for _, c := range co.Status.Conditions {
		condition := kube.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, Message: c.Message}
		switch c.Type {
		case configv1.OperatorAvailable:
			if away = ""; !condition.True() {
				away = condition.Describe()
			}
		case configv1.OperatorDegraded:
			if condition.True() {
				sick = condition.Describe()
			}
		}
	}
	return away, sick
}

// Unwell are the cluster operators that are degraded or not available, each with what it says. A cluster without that
// kind has none.
func Unwell(ctx context.Context, r kube.Reader) (map[string]string, error) {
	list := &configv1.ClusterOperatorList{}
	if err := r.List(ctx, list); err != nil {
		if kube.IsKindMissing(err) {
			return nil, nil
		}
		return nil, err
	}
	out := map[string]string{}
	for _, co := range list.Items {
		if away, sick := troubles(co); away+sick != "" {
			out[co.Name] = away
			if away == "" {
				out[co.Name] = sick
			}
		}
	}
	return out, nil
}
