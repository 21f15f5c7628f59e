package management

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

// Architecture is the prerequisite of this file.
const Architecture step.ID = "cluster/architecture"

// kubevirtArchitecture is the only one HyperShift's KubeVirt platform runs control planes and workers on (4.12 to
// 4.21).
const kubevirtArchitecture = "amd64"

// architecture checks the processor architecture of the workers, which KubeVirt hosted clusters depend on.
type architecture struct{}

func (s architecture) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Architecture, Title: "processor architecture",
		Check:  s.check,
		Rights: prereq.Rights{Check: []rule.Rule{prereq.ListNodes()}},
	}
}

func (s architecture) check(ctx context.Context, r kube.Reader) step.Finding {
	nodes, err := prereq.Workers(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	return judgeArchitecture(nodes).On("Nodes")
}

func judgeArchitecture(nodes []corev1.Node) step.Finding {
	count := map[string]int{}
	for i := range nodes {
		if a := nodes[i].Status.NodeInfo.Architecture; a != "" && prereq.TakesPods(&nodes[i]) {
			count[a]++
		}
	}
	var others []string
	for _, a := range slices.Sorted(maps.Keys(count)) {
		if a != kubevirtArchitecture {
			others = append(others, fmt.Sprintf("%d %s", count[a], a))
		}
	}
	fit := count[kubevirtArchitecture]
	switch {
	case len(count) == 0:
		return step.Pending("no worker reports its architecture yet")
	case len(others) == 0 && fit == 1:
		return step.OK("the one worker is %s", kubevirtArchitecture)
	case len(others) == 0:
		return step.OK("all %d workers are %s", fit, kubevirtArchitecture)
	case fit == 0:
		return step.Broken("the workers are %s; hosted clusters on KubeVirt run on %s only", strings.Join(others, ", "),
			kubevirtArchitecture).
			WithHint("add %s workers, or use a management cluster that has them", kubevirtArchitecture)
	default:
		return step.OK("of the workers %d are %s, and %s: virtual machines run on %[2]s only; hosted clusters need a "+
			"release image that ends in -multi", fit, kubevirtArchitecture, strings.Join(others, ", "))
	}
}
