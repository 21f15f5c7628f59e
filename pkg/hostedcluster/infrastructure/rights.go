package infrastructure

import "github.com/hcctl/hcctl/pkg/kube/access"

const every = "get list watch create update patch delete"

// Rights are what the user of the kubeconfig needs: HyperShift with Cluster API, the cloud controller and the CSI
// driver of KubeVirt (HyperShift's page on external infrastructure, and the roles that it gives the same controllers in
// the namespace of a control plane, v0.1.81), then hcctl.
func Rights() []access.Rule { return append(Needed(), looked()...) }

// Needed are the rights without which a hosted cluster does not get its VMs.
func Needed() []access.Rule {
	return at([]access.Rule{
		{Verbs: every, Resources: "virtualmachines.kubevirt.io virtualmachineinstances.kubevirt.io " +
			"datavolumes.cdi.kubevirt.io", Why: "the worker VMs, their disks, and volumes of the hosted cluster"},
		{Verbs: "update", Resources: "virtualmachines/finalizers.kubevirt.io", Why: "the VMs' finalizers"},
		{Verbs: every, Resources: "secrets", Why: "what the VMs boot with"},
		{Verbs: every, Resources: "services endpointslices.discovery.k8s.io routes.route.openshift.io",
			Why: "load balancers and *.apps of the hosted cluster"},
		{Verbs: "create", Resources: "endpointslices/restricted.discovery.k8s.io routes/custom-host.route.openshift.io",
			Why: "the same, with addresses and hosts of their own"},
		{Verbs: every, Resources: "networkpolicies.networking.k8s.io", Why: "keeps the VMs apart (OpenShift 4.23 and later)"},
		{Verbs: "get create update", Resources: "events", Why: "tells there what is missing"},
		{Verbs: "get create delete", Resources: "volumesnapshots.snapshot.storage.k8s.io",
			Why: "snapshots of the hosted cluster's volumes"},
		{Verbs: "get patch", Resources: "persistentvolumeclaims", Why: "the hosted cluster's volumes"},
		{Verbs: "update", Resources: "virtualmachineinstances/addvolume.subresources.kubevirt.io " +
			"virtualmachineinstances/removevolume.subresources.kubevirt.io virtualmachines/addvolume.subresources.kubevirt.io " +
			"virtualmachines/removevolume.subresources.kubevirt.io", Why: "plugs volumes into VMs"},
	})
}

// looked are what hcctl reads beside those.
func looked() []access.Rule {
	placement := []access.Feature{access.Placement}
	return append(at([]access.Rule{
		{Verbs: "get", Resources: "namespaces network-attachment-definitions.k8s.cni.cncf.io",
			Why: "whether the namespace and additional networks are there"},
		{Verbs: "list", Resources: "pods events persistentvolumeclaims resourcequotas " +
			"virtualmachineinstancemigrations.kubevirt.io", Why: "why a VM does not run"},
		{Verbs: "get", Resources: "pods/log", Why: "the logs of launchers and importers, for a dump"},
		{Verbs: "get", Resources: "virtualmachineinstances/portforward.subresources.kubevirt.io " +
			"virtualmachineinstances/console.subresources.kubevirt.io", Features: []access.Feature{access.Consoles},
			Why: "the way to the VMs' SSH servers and serial consoles"},
	}), []access.Rule{
		{Verbs: "get", Resources: "networks.config.openshift.io", Names: "cluster",
			Why: "the networks that VMs must not reach (OpenShift 4.23 and later)"},
		{Verbs: "list", Resources: "storageclasses.storage.k8s.io", Why: "whether those of the VMs exist"},
		{Verbs: "list", Resources: "nodes pods hyperconvergeds.hco.kubevirt.io", Features: placement,
			Why: "whether the VMs find places, and how KubeVirt makes pods of them"},
		{Verbs: "get", Resources: "customresourcedefinitions.apiextensions.k8s.io", Names: "hyperconvergeds.hco.kubevirt.io",
			Features: placement, Why: "which version of it is stored"},
		{Verbs: "get", Resources: "network-attachment-definitions.k8s.cni.cncf.io", Features: placement,
			Why: "additional networks of other namespaces"},
	}...)
}

// at puts rules into the namespace of the VMs.
func at(rules []access.Rule) []access.Rule {
	for i := range rules {
		rules[i].At = access.Infrastructure
	}
	return rules
}
