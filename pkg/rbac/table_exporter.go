package rbac

// exporterRules returns the rules for the reads behind the metrics.
func exporterRules() []Rule {
	return rulesFor(Exporter, []Rule{
		{Verbs: "list watch", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters,
			Why: "the states of hosted clusters"},
		{Verbs: "list watch", Resources: "nodepools.hypershift.openshift.io", At: Clusters,
			Why: "the nodes of their node pools"},
	})
}
