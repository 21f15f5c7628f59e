package prereqs

import (
	"slices"

	"github.com/hcctl/hcctl/pkg/kube"
)

// What a write takes. Server-side apply needs "create" beside "patch" for an object that does not exist yet.
const (
	creates = "create"
	changes = "patch"
	applies = "create patch"
)

// access is every permission that bootstrap with these options, and create cluster after it, may need. What is there already
// takes less, but only a run can tell what is, and it must not end half-way. Every check reads, every wait watches.
func access(o Options) []kube.Access {
	return slices.Concat(operatorAccess(), storageAccess(o.Storage), virtualizationAccess(o.Virtualization), loadBalancerAccess(o.LoadBalancer),
		multiclusterAccess(), ingressAccess(), createAccess(), kube.ReadAccess())
}

// operatorAccess is what installing an operator takes (olm*.go): multicluster engine at least is one.
func operatorAccess() []kube.Access {
	return []kube.Access{
		kube.AccessTo(creates, "namespaces"),
		kube.AccessTo(creates, "operatorgroups.operators.coreos.com"),
		kube.AccessTo(creates, "subscriptions.operators.coreos.com"),
		kube.AccessTo(changes, "installplans.operators.coreos.com"),
	}
}

// storageAccess is what the storage steps write (storage*.go).
func storageAccess(o StorageOptions) []kube.Access {
	mark := kube.AccessTo(changes, "storageclasses.storage.k8s.io")
	foundation := []kube.Access{
		mark,
		kube.AccessTo(changes, "nodes"),
		kube.AccessTo(applies, "localvolumediscoveries.local.storage.openshift.io"),
		kube.AccessTo(applies, "localvolumesets.local.storage.openshift.io"),
		kube.AccessTo(applies, "storageclusters.ocs.openshift.io"),
		kube.AccessTo(applies, "storagesystems.odf.openshift.io"),
	}
	switch o.Mode {
	case StorageNone:
		return nil
	case StorageExisting:
		return []kube.Access{mark}
	case StorageLVM:
		return []kube.Access{mark, kube.AccessTo(applies, "lvmclusters.lvm.topolvm.io"), kube.AccessTo(changes, "namespaces")}
	case StorageAuto, StorageDataFoundation:
		return foundation
	}
	return foundation
}

// virtualizationAccess is what the virtualization steps write (virtualization*.go). Manifests may hold anything; these are
// what the operator's own deployment consists of, whose roles hold more than most users have: hence escalate and bind.
func virtualizationAccess(o VirtualizationOptions) []kube.Access {
	out := []kube.Access{kube.AccessTo(applies, "hyperconvergeds.hco.kubevirt.io")}
	if o.Source != "" {
		out = append(out, kube.AccessTo(applies, "catalogsources.operators.coreos.com"))
	}
	if o.Manifests == "" {
		return out
	}
	for _, resource := range []string{
		"namespaces", "serviceaccounts", "services", "configmaps", "deployments.apps", "customresourcedefinitions.apiextensions.k8s.io",
		"roles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io",
		"validatingwebhookconfigurations.admissionregistration.k8s.io", "mutatingwebhookconfigurations.admissionregistration.k8s.io",
	} {
		out = append(out, kube.AccessTo(applies, resource))
	}
	return append(out, kube.AccessTo("escalate bind", "clusterroles.rbac.authorization.k8s.io"), kube.AccessTo("escalate bind", "roles.rbac.authorization.k8s.io"))
}

// loadBalancerAccess is what the load balancer steps write (load_balancer*.go).
func loadBalancerAccess(o LoadBalancerOptions) []kube.Access {
	if o.Mode == LoadBalancerExisting || o.Mode == LoadBalancerNone {
		return nil
	}
	return []kube.Access{
		kube.AccessTo(applies, "metallbs.metallb.io"),
		kube.AccessTo(applies, "ipaddresspools.metallb.io"),
		kube.AccessTo(applies, "l2advertisements.metallb.io"),
	}
}

// multiclusterAccess is what the multicluster and hypershift steps write (multicluster*.go, hypershift*.go). To create a
// ManagedCluster that is accepted, Open Cluster Management's webhook asks for the permission to accept it.
func multiclusterAccess() []kube.Access {
	return []kube.Access{
		kube.AccessTo(applies, "multiclusterengines.multicluster.openshift.io"),
		kube.AccessTo(creates, "managedclusters.cluster.open-cluster-management.io"),
		kube.AccessTo("update", "managedclusters/accept.register.open-cluster-management.io"),
		kube.AccessTo(creates, "managedclusteraddons.addon.open-cluster-management.io"),
	}
}

// ingressAccess is what the ingress steps write (ingress*.go).
func ingressAccess() []kube.Access {
	return []kube.Access{kube.AccessTo(changes, "ingresscontrollers.operator.openshift.io")}
}

// createAccess is what hcctl create cluster writes, in whatever namespace the clusters are to be, and the Secrets it reads
// there: its own, and the kubeconfigs that HyperShift makes.
func createAccess() []kube.Access {
	return []kube.Access{
		kube.AccessTo("create get list watch", "secrets"),
		kube.AccessTo(creates, "hostedclusters.hypershift.openshift.io"),
		kube.AccessTo(creates, "nodepools.hypershift.openshift.io"),
	}
}
