package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// PreflightIDs returns the IDs of all checks that Preflight may include.
func PreflightIDs() []step.ID {
	var ids []step.ID
	for _, p := range everyPrerequisite() {
		if p.Preflight != nil {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// CapacityIDs returns the IDs of the preflight checks whose result depends on the use by other hosted clusters.
func CapacityIDs() []step.ID { return []step.ID{cluster.Capacity, loadbalancer.FreeAddresses} }

// Preflight returns the steps that must succeed before the hosted cluster is created. They have the IDs and messages of
// hcctl check, no Apply and no dependencies. An advisory check is required here if this hosted cluster would be
// affected.
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
