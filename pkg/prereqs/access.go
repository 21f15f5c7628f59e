package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// access is every permission that bootstrap with these options may need, of the table that hcctl rbac prints. What is
// there already takes less, but only a run can tell what is, and it must not end half-way.
func access(o Validated) []kube.Access {
	return rbac.Access(rbac.Rules(rbac.Options{Purposes: []rbac.Purpose{rbac.Bootstrap}, Features: o.Features()}))
}

// Features are what the options choose of the things that need permissions of their own.
func (o Validated) Features() []rbac.Feature {
	out := []rbac.Feature{} // not nil, which means all
	switch o.Storage.Mode {
	case storage.ModeNone:
	case storage.ModeExisting:
		out = append(out, rbac.DefaultClass)
	case storage.ModeLVM:
		out = append(out, rbac.DefaultClass, rbac.LVMStorage)
	case storage.ModeAuto, storage.ModeDataFoundation:
		out = append(out, rbac.DefaultClass, rbac.DataFoundation)
	default:
		out = append(out, rbac.DefaultClass, rbac.DataFoundation)
	}
	if o.LoadBalancer.Mode != loadbalancer.ModeExisting && o.LoadBalancer.Mode != loadbalancer.ModeNone {
		out = append(out, rbac.MetalLB)
	}
	if o.Virtualization.Image() != "" {
		out = append(out, rbac.Community)
	}
	if o.Virtualization.Manifests != "" {
		out = append(out, rbac.Manifests)
	}
	return out
}
