package controlplane

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// HostedCluster, recorded.
const (
	msgExternalDNSOff       = "External DNS is not configured"
	msgKASNotFound          = "Kube APIServer deployment not found"
	msgKASAvailable         = "Kube APIServer deployment is available"
	msgWaitingForKubeconfig = "Waiting for hosted control plane kubeconfig to be created"
	msgIDPValid             = "Identity provider configuration is valid"
	reasonIDPValid          = "IDPConfigurationValid"
	reasonComponentsMissing = "ComponentsNotAvailable"
)

// HostedCluster, source.
const (
	msgKASNotAvailable        = "Waiting for Kube APIServer deployment to become available"
	msgEtcdWaiting            = "Waiting for etcd to reach quorum"
	msgProvisioning           = "Cluster infrastructure is still provisioning"
	msgNoComponents           = "Control plane components have not been created yet"
	msgNoWorkers              = "No worker nodes available"
	msgNoWorkersForConnection = "No worker nodes available to verify control plane connectivity"
	msgResourcesDestroyed     = "All guest resources destroyed"

	reasonUnavailable = "UnavailableReplicas"

	reasonNoWorkers = "NoWorkerNodesAvailable"
	reasonDestroyed = "CloudResourcesDestroyed"

	reasonNoAgents = "KonnectivityAgentPodsNotFound"
	msgNoAgents    = "Couldn't find any konnectivity-agent running in data plane"

	msgMigrationFailed = "the storage version migration has failed" // made up
)

// Recorded: the prefix of both messages, and the full stop of the first one. events are warnings about the Service
// (source: they replace the age).
func msgLoadBalancerPending(service string, age time.Duration, events []string) string {
	if len(events) > 0 {
		return fmt.Sprintf("%s load balancer is not provisioned: %s", service, strings.Join(events, "; "))
	}
	return fmt.Sprintf("%s load balancer is not provisioned; %v since creation.", service,
		duration.ShortHumanDuration(age))
}

// Recorded.
func msgOAuthRouteWithoutHost(age time.Duration) string {
	return fmt.Sprintf("OAuth service route does not contain valid host; %v since creation",
		duration.ShortHumanDuration(age))
}

// Source: warnings about a pending claim of etcd.
func msgEtcdClaimPending(claim string, events []string) string {
	return fmt.Sprintf("Etcd volume claim %s pending: %s", claim, strings.Join(events, "; "))
}

// Recorded.
func msgUnhealthyEndpoint(endpoint string, status int, failing []string) string {
	if len(failing) > 0 {
		return fmt.Sprintf("APIServer endpoint %s is not healthy (status %d): failing health checks: %s",
			endpoint, status, strings.Join(failing, ", "))
	}
	return fmt.Sprintf("APIServer endpoint %s is not healthy (status %d)", endpoint, status)
}

// Source.
func msgHealthCheckFailed(endpoint string, err error) string {
	return fmt.Sprintf("health check to APIServer endpoint %s failed: %v", endpoint, err)
}

// Recorded.
func msgWaitingForComponents(names []string) string {
	return "Waiting for components to be available: " + strings.Join(names, ", ")
}

// Recorded.
func msgWaitingForDependencies(names []string) string {
	return "Waiting for Dependencies: " + strings.Join(names, ", ")
}

// ControlPlaneComponent, source.
func msgComponentAvailable(kind, name string) string {
	return fmt.Sprintf("%s %s is available", kind, name)
}

func msgComponentUnavailable(kind, name, why string) string {
	return fmt.Sprintf("%s %s is not available: %s", kind, name, why)
}

func msgComponentRolledOut(kind, name string) string {
	return fmt.Sprintf("%s %s successfully rolled out", kind, name)
}

func msgComponentRollingOut(kind, name string, updated, want int32) string {
	return fmt.Sprintf("Waiting for %s %s rollout to finish: %d out of %d new replicas have been updated",
		strings.ToLower(kind), name, updated, want)
}

// Source: Degraded.
func errUnavailable(deployment string, replicas int32) error {
	return fmt.Errorf("%s deployment has %d unavailable replicas", deployment, replicas)
}
