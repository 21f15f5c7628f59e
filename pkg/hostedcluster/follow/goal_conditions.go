package follow

import (
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// CheckClusterConditions refuses goals with a mistyped condition, with an *options.Error of the flag "for". It returns
// the conditions that neither the hosted cluster nor this hcctl has: a newer HyperShift may have them.
func CheckClusterConditions(hc *hyperv1.HostedCluster, goals []Goal) (unknown []string, err error) {
	has := make([]string, 0, len(hc.Status.Conditions))
	for _, c := range hc.Status.Conditions {
		has = append(has, c.Type)
	}
	return checkConditions(goals, "clusters", has, conditions.Types(hostedcluster.HostedClusterKind))
}

// CheckPoolConditions is CheckClusterConditions for a NodePool.
func CheckPoolConditions(np *hyperv1.NodePool, goals []Goal) (unknown []string, err error) {
	has := make([]string, 0, len(np.Status.Conditions))
	for _, c := range np.Status.Conditions {
		has = append(has, c.Type)
	}
	return checkConditions(goals, "nodepools", has, conditions.Types(hostedcluster.NodePoolKind))
}

func checkConditions(goals []Goal, list string, has, known []string) (unknown []string, err error) {
	for _, g := range goals {
		if g.Condition == "" || slices.Contains(has, g.Condition) || slices.Contains(known, g.Condition) {
			continue
		}
		all := slices.Concat(has, known)
		slices.Sort(all)
		if near := suggest.Words(g.Condition, slices.Compact(all)); len(near) > 0 {
			return nil, &options.Error{Field: "for", Value: strings.TrimSuffix(g.String(), "=True"),
				Detail: fmt.Sprintf("there is no condition %q; did you mean %s?", g.Condition, strings.Join(near, " or ")),
				Next:   hint.New("%s shows the conditions", hint.Run("get", list).Flag("o", "yaml"))}
		}
		unknown = append(unknown, g.Condition)
	}
	return unknown, nil
}
