package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/health"
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

// requiredOperators returns the cluster operators whose problems affect hosted clusters. Their control planes are pods
// with volumes, names and routes on this cluster's own API, installed by its Operator Lifecycle Manager and watched by
// its monitoring.
func requiredOperators() []string {
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

// judgeClusterOperators waits for an operator that is not available. It requires a user's action if one is degraded,
// and only mentions unhealthy operators that hosted clusters do not need. Absent ones belong to disabled capabilities.
func judgeClusterOperators(operators []configv1.ClusterOperator) step.Finding {
	seen, others := 0, []string{}
	var absent, degraded []step.Finding
	for i := range operators {
		co := &operators[i]
		needed, v := slices.Contains(requiredOperators(), co.Name), health.Working(co)
		v.Trouble = false
		switch {
		case v.OK() && needed:
			seen++
		case v.OK():
		case !needed:
			others = append(others, co.Name)
		case health.OperatorCondition(co.Status.Conditions, configv1.OperatorAvailable).True():
			v.State = step.StateMissing
			degraded = append(degraded, v.Finding)
		default:
			absent = append(absent, v.Finding)
		}
	}
	switch bad := slices.Concat(absent, degraded); {
	case len(bad) > 0:
		first := bad[0]
		var also []string
		for _, f := range bad[1:] {
			also = append(also, strings.TrimPrefix(f.Object, "ClusterOperator "))
		}
		if len(also) > 0 {
			first.Message += fmt.Sprintf(" (and %s)", prereq.Listed(also))
		}
		return first
	case seen == 0:
		return step.Pending("none of them is reported yet").On("ClusterOperators")
	case len(others) > 0:
		return step.OK("the %d that hosted clusters depend on are healthy; unhealthy, but not needed by them: %s", seen,
			prereq.Listed(others)).On("ClusterOperators")
	}
	return step.OK("the %d that hosted clusters depend on are available, none is degraded", seen).On("ClusterOperators")
}

// Unwell returns the messages of the cluster operators that are degraded or not available, by name. It returns nil
// if the cluster does not have the kind.
func Unwell(ctx context.Context, r kube.Reader) (map[string]string, error) {
	list := &configv1.ClusterOperatorList{}
	if err := r.List(ctx, list); err != nil {
		if kube.IsKindMissing(err) {
			return nil, nil
		}
		return nil, err
	}
	out := map[string]string{}
	for i := range list.Items {
		if v := health.Working(&list.Items[i]); !v.OK() {
			out[list.Items[i].Name] = v.Message
		}
	}
	return out, nil
}
