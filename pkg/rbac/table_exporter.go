package rbac

// exporterRules are what the metrics are made from.
func exporterRules() []Rule {
	return purposed(Exporter, []Rule{
		{Verbs: "list watch", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters,
			Why: "the states of hosted clusters"},
		{Verbs: "list watch", Resources: "nodepools.hypershift.openshift.io", At: Clusters,
			Why: "the nodes of their node pools"},
	})
}
