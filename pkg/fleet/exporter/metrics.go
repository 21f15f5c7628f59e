package exporter

// Metric is one metric family.
type Metric struct {
	// Name is a contract with dashboards and alerts.
	Name, Help string
	// Labels are the label names, in the order of a series' values.
	Labels []string
}

// Metric families.
const (
	buildInfo        = "hcctl_build_info"
	startTime        = "hcctl_exporter_start_time_seconds"
	sourceUp         = "hcctl_exporter_source_up"
	leftOut          = "hcctl_exporter_hosted_clusters_left_out"
	fleetSize        = "hcctl_hosted_clusters"
	clusterState     = "hcctl_hosted_cluster_state"
	clusterInfo      = "hcctl_hosted_cluster_info"
	clusterLabels    = "hcctl_hosted_cluster_labels"
	clusterCreated   = "hcctl_hosted_cluster_created_timestamp_seconds"
	clusterDeletion  = "hcctl_hosted_cluster_deletion_timestamp_seconds"
	milestoneSeconds = "hcctl_hosted_cluster_milestone_seconds"
	blockedSince     = "hcctl_hosted_cluster_blocked_since_timestamp_seconds"
	clusterCause     = "hcctl_hosted_cluster_cause"
	rolloutStarted   = "hcctl_hosted_cluster_rollout_started_timestamp_seconds"
	rolloutSeconds   = "hcctl_hosted_cluster_rollout_seconds"
	clusterExpiry    = "hcctl_hosted_cluster_expiry_timestamp_seconds"
	poolNodes        = "hcctl_node_pool_nodes"
	poolDesired      = "hcctl_node_pool_desired_nodes"
)

// Metrics returns all metric families, in the order of output; all are gauges. hcctl_hosted_cluster_labels also
// has the labels of Options.Labels. The namespace label has another name than namespace, because OpenShift's
// monitoring sets that to the namespace of the scraped pod.
func Metrics() []Metric {
	of := func(more ...string) []string { return append([]string{"cluster_namespace", "name"}, more...) }
	return []Metric{
		{buildInfo, "The version of hcctl; always 1.", []string{"version"}},
		{startTime, "When the exporter started, in seconds since 1970.", nil},
		{sourceUp, "1 if objects of this kind are read and up to date, 0 while they cannot be read.", []string{"kind"}},
		{leftOut, "Hosted clusters beyond the limit, which have no series of their own.", nil},
		{fleetSize, "Hosted clusters by phase and health.", []string{"phase", "health"}},
		{clusterState, "The phase and health of a hosted cluster; always 1.", of("phase", "health")},
		{clusterInfo, "The version of a hosted cluster, and the one being rolled out; always 1.",
			of("version", "desired_version")},
		{clusterLabels, "Labels of a hosted cluster that were asked for; always 1.", of()},
		{clusterCreated, "When a hosted cluster was created, in seconds since 1970.", of()},
		{clusterDeletion, "When the deletion of a hosted cluster was asked for, in seconds since 1970.", of()},
		{milestoneSeconds, "Seconds from the creation of a hosted cluster to a milestone that it has reached.",
			of("milestone")},
		{blockedSince, "When a bad condition changed last, in seconds since 1970.",
			of("kind", "object", "condition", "reason", "health")},
		{clusterCause, "The root cause of a hosted cluster that is not well, where that is looked for; always 1.",
			of("kind", "object", "reason", "health")},
		{rolloutStarted, "When the release began to roll out that is not complete yet, in seconds since 1970.", of()},
		{rolloutSeconds, "Seconds that the last complete roll-out of a release took.", of()},
		{clusterExpiry, "When the first certificate or token of a kind ends, in seconds since 1970, where Secrets are read.",
			of("what")},
		{poolNodes, "Nodes that a node pool has.", of("cluster")},
		{poolDesired, "Nodes that a node pool is to have, at least.", of("cluster")},
	}
}
