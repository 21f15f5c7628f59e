package hypershift

// HostedCluster, recorded.
const (
	msgNotInCVO             = "Condition not found in the CVO."
	msgAllIsWell            = "All is well"
	msgConfigurationValid   = "Configuration passes validation"
	msgReconciliationActive = "Reconciliation active on resource"
)

// HostedCluster, source.
const (
	msgPausedUntilRemoved = "Reconciliation paused until field removed"
	msgPausedInvalid      = "Invalid value provided for PausedUntil field"
)

// Source.
func msgPausedUntil(when string) string { return "Reconciliation paused until: " + when }

// NodePool, source unless marked.
const (
	condLiveMigratable = "KubeVirtNodesLiveMigratable"
)
