package prereqs

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Steps returns every prerequisite of KubeVirt hosted clusters, in the order of reports. Nothing is read or written before
// a step is checked or applied. The options must be valid.
func Steps(c *kube.Client, o Options) []step.Step {
	steps := slices.Concat(
		clusterSteps(c, clusterOptions{Manifests: o.Virtualization.Manifests != "", Access: access(o)}),
		storageSteps(c, o.Storage, o.Operators),
		virtualizationSteps(c, o.Virtualization, o.Operators),
		loadBalancerSteps(c, o.LoadBalancer, o.Operators),
		multiclusterSteps(c, o.Operators),
		hypershiftSteps(c),
		ingressSteps(c),
	)
	guardRanges(steps, o.LoadBalancer)
	for i := range steps {
		steps[i] = named(steps[i])
	}
	return steps
}

// named fills in what follows from the step's ID: its group and its page. The IDs, in one file a group, are a contract with
// scripts and documentation.
func named(s step.Step) step.Step {
	s.Group = strings.ReplaceAll(s.ID.Group(), "-", " ")
	s.Docs = "docs/checks/" + strings.ReplaceAll(string(s.ID), "/", "-") + ".md"
	return s
}
