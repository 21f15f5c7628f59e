package prereqs

import (
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// access is every permission that bootstrap with these options may need, of the table that hcctl rbac prints. What is there already
// takes less, but only a run can tell what is, and it must not end half-way.
func access(o Options) []kube.Access {
	return rbac.Access(rbac.Rules(rbac.Options{Purposes: []rbac.Purpose{rbac.Bootstrap}, Features: o.Features()}))
}

// Features are what the options choose of the things that need permissions of their own.
func (o Options) Features() []rbac.Feature {
	out := []rbac.Feature{} // not nil, which means all
	switch o.Storage.Mode {
	case StorageNone:
	case StorageExisting:
		out = append(out, rbac.DefaultClass)
	case StorageLVM:
		out = append(out, rbac.DefaultClass, rbac.LVMStorage)
	case StorageAuto, StorageDataFoundation:
		out = append(out, rbac.DefaultClass, rbac.DataFoundation)
	default:
		out = append(out, rbac.DefaultClass, rbac.DataFoundation)
	}
	if o.LoadBalancer.Mode != LoadBalancerExisting && o.LoadBalancer.Mode != LoadBalancerNone {
		out = append(out, rbac.MetalLB)
	}
	if o.Virtualization.image() != "" {
		out = append(out, rbac.Community)
	}
	if o.Virtualization.Manifests != "" {
		out = append(out, rbac.Manifests)
	}
	return out
}
