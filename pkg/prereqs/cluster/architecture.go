package cluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Architecture is the prerequisite of this file.
const Architecture step.ID = "cluster/architecture"

// Architectures on which HyperShift's KubeVirt platform runs control planes and workers: amd64, and s390x from
// HyperShift 4.21 (multicluster engine 2.11) on.
const (
	kubevirtArchitecture = "amd64"
	laterArchitecture    = "s390x"
	laterEngine          = 11
)

// architecture checks the processor architecture of the workers, which must match KubeVirt hosted clusters.
type architecture struct{}

func (s architecture) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Architecture, Title: "processor architecture",
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ListNodes(), prereq.ListEngine()}},
	}
}

func (s architecture) check(ctx context.Context, r kube.Reader) step.Finding {
	nodes, err := prereq.Workers(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	count := architectures(nodes)
	if count[kubevirtArchitecture] > 0 || count[laterArchitecture] == 0 {
		return judgeArchitecture(count, kubevirtArchitecture).On("Nodes")
	}
	mce, err := prereq.Engine(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("MultiClusterEngines")
	case mce != nil && tooOld(prereq.EngineVersion(mce)):
		return step.Broken("the workers are %s; hosted clusters run there from multicluster engine 2.%d on, and this is %s",
			counted(count), laterEngine, prereq.EngineVersion(mce)).On("Nodes").
			WithHint("upgrade multicluster engine, or add %s workers", kubevirtArchitecture)
	}
	return judgeArchitecture(count, laterArchitecture).On("Nodes")
}

// tooOld reports whether the engine's HyperShift lacks support for s390x. It is false if the engine does not report its
// version.
func tooOld(version *semver.Version) bool {
	return version.Major() > 0 && prereq.EngineBefore(version, laterEngine)
}

// architectures counts the schedulable workers by architecture.
func architectures(nodes []corev1.Node) map[string]int {
	count := map[string]int{}
	for i := range nodes {
		if a := nodes[i].Status.NodeInfo.Architecture; a != "" && prereq.TakesPods(&nodes[i]) {
			count[a]++
		}
	}
	return count
}

// counted lists numbers of workers by architecture, without the excepted ones.
func counted(count map[string]int, except ...string) string {
	var out []string
	for _, a := range slices.Sorted(maps.Keys(count)) {
		if !slices.Contains(except, a) {
			out = append(out, fmt.Sprintf("%d %s", count[a], a))
		}
	}
	return strings.Join(out, ", ")
}

// judgeArchitecture judges whether workers of the wanted architecture exist.
func judgeArchitecture(count map[string]int, want string) step.Finding {
	others, fit := counted(count, want), count[want]
	switch {
	case len(count) == 0:
		return step.Pending("no worker reports its architecture yet")
	case others == "" && fit == 1:
		return step.OK("the one worker is %s", want)
	case others == "":
		return step.OK("all %d workers are %s", fit, want)
	case fit == 0:
		return step.Broken("the workers are %s; hosted clusters on KubeVirt run on %s only", others, want).
			WithHint("add %s workers, or use a management cluster that has them", want)
	default:
		return step.OK("of the workers %d are %s, and %s: virtual machines run on %[2]s only; hosted clusters need a "+
			"release image that ends in -multi", fit, want, others)
	}
}
