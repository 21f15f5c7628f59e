package rbac

// density returns the purpose Density, for rules of other purposes that density needs, too.
func density() []Purpose { return []Purpose{Density} }

// densityRules returns the rules that only density needs.
func densityRules() []Rule {
	return rulesFor(Density, []Rule{
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
