package rbac

// measured marks rules of those who create and delete hosted clusters that density needs as well.
func measured() []Purpose { return []Purpose{Density} }

// densityRules are what density asks beyond that.
func densityRules() []Rule {
	return purposed(Density, []Rule{
		{Verbs: "list", Resources: "clusteroperators.config.openshift.io",
			Why: "whether a cluster operator degrades under the load"},
		{
			Verbs: "list", Why: "how many objects etcd holds; only their number is asked for",
			Resources: "events persistentvolumeclaims persistentvolumes serviceaccounts services deployments.apps " +
				"replicasets.apps endpointslices.discovery.k8s.io" +
				" virtualmachines.kubevirt.io routes.route.openshift.io",
		},
	})
}
