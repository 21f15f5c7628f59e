package prereqs

import (
	"slices"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
)

// access is every permission that bootstrap with these options may need, of the table that hcctl rbac prints. What is
// there already takes less, but only a run can tell what is, and it must not end half-way.
func access(o Validated) []kube.Access {
	rights, features := Rights(), o.Features()
	var wanted []rule.Rule
	for _, r := range slices.Concat(rights.Check, rights.Bootstrap) {
		if r.Wanted(features) {
			wanted = append(wanted, r)
		}
	}
	return rule.Access(wanted)
}

// Features are what the options choose of the things that need permissions of their own.
func (o Validated) Features() []rule.Feature {
	out := []rule.Feature{} // not nil, which means all
	switch o.Storage.Mode {
	case storage.ModeNone:
	case storage.ModeExisting:
		out = append(out, rule.DefaultClass)
	case storage.ModeLVM:
		out = append(out, rule.DefaultClass, rule.LVMStorage)
	case storage.ModeAuto, storage.ModeDataFoundation:
		out = append(out, rule.DefaultClass, rule.DataFoundation)
	default:
		out = append(out, rule.DefaultClass, rule.DataFoundation)
	}
	if o.LoadBalancer.Mode != loadbalancer.ModeExisting && o.LoadBalancer.Mode != loadbalancer.ModeNone {
		out = append(out, rule.MetalLB)
	}
	if o.Virtualization.Image() != "" {
		out = append(out, rule.Community)
	}
	if o.wants(gitops.Group) {
		out = append(out, rule.GitOps)
	}
	if o.Virtualization.Manifests != "" {
		out = append(out, rule.Manifests)
	}
	return out
}
