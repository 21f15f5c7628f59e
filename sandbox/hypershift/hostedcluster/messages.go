package hostedcluster

import (
	"fmt"
	"strings"
)

// HostedCluster, recorded.
const (
	msgHCPNotFound           = "The hosted control plane is not found"
	msgNotInHCP              = "Condition not found in the HCP"
	msgNotDegraded           = "The hosted cluster is not degraded"
	msgSupported             = "HostedCluster is supported by operator configuration"
	msgNoProxyCA             = "No proxy CA bundle configured"
	msgReleaseImageValid     = "Release image is valid"
	msgAtExpectedVersion     = "HostedCluster is at expected version"
	msgCredentialsFound      = "Required platform credentials are found"
	msgReconciled            = "Reconciliation completed successfully"
	msgAutoNodeNotConfigured = "AutoNode provisioner is not configured"
	msgWaitingForHealthy     = "Waiting for hosted control plane to be healthy"
	msgIgnitionNotFound      = "Ignition server deployment not found"
	msgIgnitionAvailable     = "Ignition server deployment is available"
	reasonReconciled         = "ReconciliatonSucceeded" // the vendor's spelling
	reasonReconcileError     = "ReconciliationError"
	reasonAutoNodeOff        = "AutoNodeNotConfigured"
	reasonProgressing        = "Progressing"
)

// HostedCluster, source.
const (
	msgAvailable            = "The hosted control plane is available"
	msgProgressing          = "HostedCluster is deploying, upgrading, or reconfiguring"
	msgIgnitionNotAvailable = "Ignition server deployment is not yet available"
	msgNotUpgradeable       = "cluster version is not upgradeable"
	msgForcedElsewhere      = "force upgrade annotation is present but does not match desired release image"
	msgBaseDomainUnknown    = "unable to autodetect kubevirt platform base domain, " +
		"temporary route is not giving a host value"
)

// Recorded.
func msgPayloadArch(image string, cause error) string {
	return fmt.Sprintf("failed to determine if release image multi-arch: failed to retrieve manifest %s: %v", image, cause)
}

// Source: Progressing while a gate is closed.
func msgGateClosed(condition, message string) string {
	return fmt.Sprintf("%s condition is false: %s", condition, message)
}

// Source.
func msgUnmigratablePools(pools []string) string {
	return fmt.Sprintf("Non-live-migratable node(s) have been found on the following NodePool(s) attached to "+
		"this Hosted Cluster: %s. It is recommended to use live-migratable nodes in order to improve cluster stability "+
		"and downtime. Check the reason for the non-live-migratability in the corresponding NodePool(s).",
		strings.Join(pools, ", "))
}
