package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// PreflightIDs are the checks that Preflight may have.
func PreflightIDs() []step.ID {
	var ids []step.ID
	for _, p := range everyPrerequisite() {
		if p.Preflight != nil {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// CapacityIDs are those of the checks of Preflight that what others take decides.
func CapacityIDs() []step.ID { return []step.ID{cluster.Capacity, loadbalancer.FreeAddresses} }

// Preflight are the steps that have to hold before the hosted cluster is created. They have the IDs and the words of
// those of check, and are only looked at: none is applied, none waits for another. What check only advises about is
// required here where this very cluster would suffer from it.
func Preflight(c *kube.Client, w prereq.Wanted) []step.Step {
	return preflightOf(c, prerequisites(ValidatedDefaults(), nil), w)
}

func preflightOf(c *kube.Client, all []prereq.Prerequisite, w prereq.Wanted) []step.Step {
	var steps []step.Step
	for _, p := range all {
		if s, needed := p.PreflightStep(c, w); needed {
			steps = append(steps, s)
		}
	}
	return steps
}
