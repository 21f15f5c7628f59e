package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/ingress"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/step"
)

type (
	// Wanted is a hosted cluster that is about to be created, as far as the management cluster has to have something for
	// it.
	Wanted = prereq.Wanted
	// WantedNetwork is one network of a hosted cluster.
	WantedNetwork = prereq.WantedNetwork
	// WantedPull is where a hosted cluster's release is pulled from, and with which credentials.
	WantedPull = prereq.WantedPull
)

// The IDs of checks by which callers tell findings apart.
const (
	ClusterCapacity = cluster.Capacity
	IngressWildcard = ingress.Wildcard
	IngressDNS      = ingress.DNS
	StorageCluster  = storage.Cluster
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

// Preflight are the steps that have to hold before the hosted cluster is created. They have the IDs and the words of
// those of check, and are only looked at: none is applied, none waits for another. What check only advises about is
// required here where this very cluster would suffer from it.
func Preflight(c *kube.Client, w Wanted) []step.Step {
	return preflightOf(c, prerequisites(ValidatedDefaults(), nil), w)
}

func preflightOf(c *kube.Client, all []prereq.Prerequisite, w Wanted) []step.Step {
	var steps []step.Step
	for _, p := range all {
		if s, asked := p.Asked(c, w); asked {
			steps = append(steps, s)
		}
	}
	return steps
}

// Requested is what one cluster requests by the sizing guidance that the check of capacity goes by (docs/scale.md), and
// in how many copies its control plane runs. Workers that run elsewhere request nothing here.
func Requested(w Wanted) (plane, machines Resources, copies int64) {
	d := cluster.Demand(w)
	if w.Elsewhere {
		d.Machines = Resources{}
	}
	return d.Plane, d.Machines, d.Copies
}
