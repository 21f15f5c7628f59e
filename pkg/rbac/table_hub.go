package rbac

// hubRules are what commands with --hub do at a hub. The management clusters' own agents do the rest.
func hubRules() []Rule {
	return purposed(Hub, []Rule{
		{Verbs: "list get watch", Resources: "managedclusters.cluster.open-cluster-management.io",
			Why: "the management clusters, and whether they are available"},
		{Verbs: "list", Resources: "leases.coordination.k8s.io", Unwatched: true,
			Why: "when each management cluster was last heard of"},
		{Verbs: "list", Resources: "placementdecisions.cluster.open-cluster-management.io", Unwatched: true,
			Why: "the management clusters that a Placement has chosen"},
		{Verbs: "get", Resources: "placements.cluster.open-cluster-management.io", Unwatched: true,
			Why: "why a Placement has chosen none"},
		{Verbs: "list", Resources: "addonplacementscores.cluster.open-cluster-management.io", Unwatched: true,
			Why: "how much room each management cluster has"},
		{Verbs: "get list watch create patch delete", Resources: "manifestworks.work.open-cluster-management.io",
			Why: "the hosted clusters of all management clusters"},
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version", Unwatched: true,
			Why: "names the hub before anything is changed"},
	})
}
