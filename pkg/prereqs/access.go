package prereqs

import (
	"slices"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
)

// requiredAccess is every permission that bootstrap with these options may need, of the table that hcctl rbac prints.
// What is there already takes less, but only a run can tell what is, and it must not end half-way.
func requiredAccess(o Validated) []kube.Access {
	rights, features := Rights(), o.Features()
	var wanted []access.Rule
	for _, r := range slices.Concat(rights.Check, rights.Bootstrap) {
		if r.Wanted(features) {
			wanted = append(wanted, r)
		}
	}
	return access.Access(wanted)
}

// Features are what the options choose of the things that need permissions of their own.
func (o Validated) Features() []access.Feature {
	out := []access.Feature{} // not nil, which means all
	switch o.Storage.Mode {
	case storage.ModeNone:
	case storage.ModeExisting:
		out = append(out, access.DefaultClass)
	case storage.ModeLVM:
		out = append(out, access.DefaultClass, access.LVMStorage)
	case storage.ModeHostPath:
		out = append(out, access.DefaultClass, access.HostPath)
	case storage.ModeAuto, storage.ModeDataFoundation:
		out = append(out, access.DefaultClass, access.DataFoundation)
	default:
		out = append(out, access.DefaultClass, access.DataFoundation)
	}
	if o.LoadBalancer.Mode != loadbalancer.ModeExisting && o.LoadBalancer.Mode != loadbalancer.ModeNone {
		out = append(out, access.MetalLB)
	}
	if o.Virtualization.Image() != "" {
		out = append(out, access.Community)
	}
	if o.Mirrors.Sources() {
		out = append(out, access.Mirrors)
	}
	if len(o.Mirrors.Certificates) > 0 {
		out = append(out, access.Certificates)
	}
	if o.TakeOver[cluster.Nodes] {
		out = append(out, access.ControlPlaneNodes)
	}
	if o.Mirrors.PullSecret != "" {
		out = append(out, access.PullSecret)
	}
	if len(o.planned()) > 0 {
		out = append(out, access.Settings)
	}
	if o.wants(gitops.Group) {
		out = append(out, access.GitOps)
	}
	if o.Virtualization.Manifests != "" {
		out = append(out, access.Manifests)
	}
	return out
}
