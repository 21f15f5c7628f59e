package prereqs

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/ingress"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/management"
	"github.com/hcctl/hcctl/pkg/prereqs/multicluster"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
	"github.com/hcctl/hcctl/pkg/step"
)

// Steps returns every prerequisite of KubeVirt hosted clusters, in the order of reports. Nothing is read or written
// before a step is checked or applied.
func Steps(c *kube.Client, o Validated) []step.Step {
	steps := slices.Concat(
		management.Steps(c, management.Options{Manifests: o.Virtualization.Manifests != "", Access: access(o)}),
		storage.Steps(c, o.Storage, o.Operators),
		virtualization.Steps(c, o.Virtualization, o.Operators),
		loadbalancer.Steps(c, o.LoadBalancer, o.Operators),
		multicluster.Steps(c, o.Operators),
		multicluster.HypershiftSteps(c),
		ingress.Steps(c),
	)
	loadbalancer.GuardRanges(steps, o.LoadBalancer)
	for i := range steps {
		steps[i] = named(steps[i])
	}
	return steps
}

// named fills in what follows from the step's ID: its group and its page. The IDs are a contract with scripts and
// documentation.
func named(s step.Step) step.Step {
	s.Group = strings.ReplaceAll(s.ID.Group(), "-", " ")
	s.Docs = "docs/checks/" + strings.ReplaceAll(string(s.ID), "/", "-") + ".md"
	return s
}
