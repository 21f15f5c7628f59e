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

// requiredAccess returns every permission that bootstrap with these options may need, from the table that hcctl rbac
// prints. Existing objects reduce the need, but that is only known during the run, which must not stop halfway.
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

// Features returns the features of the options that need permissions of their own.
func (o Validated) Features() []access.Feature {
	out := []access.Feature{} // nil would mean all
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
