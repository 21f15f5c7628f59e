package status

// HostedCluster, recorded.
const (
	MsgNotInCVO             = "Condition not found in the CVO."
	MsgAllIsWell            = "All is well"
	MsgConfigurationValid   = "Configuration passes validation"
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
	CondLiveMigratable = "KubeVirtNodesLiveMigratable"
)
