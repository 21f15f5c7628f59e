package rbac

// scheduleRules are what stop and start take that do not wait, as the CronJobs of a schedule run them.
func scheduleRules() []Rule {
	return purposed(Schedule, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "names the cluster before anything is changed"},
		{Verbs: "get list", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters,
			Why: "which hosted clusters have the labels, and which are paused"},
		{Verbs: "get list watch", Resources: "nodepools.hypershift.openshift.io", At: Clusters, Why: "their node pools"},
		{Verbs: "patch", Resources: "nodepools.hypershift.openshift.io", Only: cluster, At: Clusters,
			Why: "sets the sizes of their node pools"},
	})
}
