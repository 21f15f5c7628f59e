package hypershift

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// Messages. Source of each: "recorded" were written by the vendor's own operators in a recorded run; "source" were read
// in github.com/openshift/hypershift v0.1.80; "guess" are neither.

// HostedCluster, recorded.
const (
	msgHCPNotFound            = "The hosted control plane is not found"
	msgNotInHCP               = "Condition not found in the HCP"
	msgNotInCVO               = "Condition not found in the CVO."
	msgNotDegraded            = "The hosted cluster is not degraded"
	msgAllIsWell              = "All is well"
	msgConfigurationValid     = "Configuration passes validation"
	msgSupported              = "HostedCluster is supported by operator configuration"
	msgNoProxyCA              = "No proxy CA bundle configured"
	msgReconciliationActive   = "Reconciliation active on resource"
	msgReleaseImageValid      = "Release image is valid"
	msgAtExpectedVersion      = "HostedCluster is at expected version"
	msgCredentialsFound       = "Required platform credentials are found"
	msgReconciled             = "Reconciliation completed successfully"
	msgAutoNodeNotConfigured  = "AutoNode provisioner is not configured"
	msgExternalDNSOff         = "External DNS is not configured"
	msgWaitingForHealthy      = "Waiting for hosted control plane to be healthy"
	msgIgnitionNotFound       = "Ignition server deployment not found"
	msgIgnitionAvailable      = "Ignition server deployment is available"
	msgKASNotFound            = "Kube APIServer deployment not found"
	msgKASAvailable           = "Kube APIServer deployment is available"
	msgWaitingForKubeconfig   = "Waiting for hosted control plane kubeconfig to be created"
	msgIDPValid               = "Identity provider configuration is valid"
	msgIgnitionEndpointAbsent = "Ignition endpoint not available, waiting"

	reasonReconciled        = "ReconciliatonSucceeded" // the vendor's own spelling
	reasonReconcileError    = "ReconciliationError"
	reasonIDPValid          = "IDPConfigurationValid"
	reasonAutoNodeOff       = "AutoNodeNotConfigured"
	reasonComponentsMissing = "ComponentsNotAvailable"
	reasonProgressing       = "Progressing"
)

// HostedCluster, source.
const (
	msgAvailable              = "The hosted control plane is available"
	msgProgressing            = "HostedCluster is deploying, upgrading, or reconfiguring"
	msgIgnitionNotAvailable   = "Ignition server deployment is not yet available"
	msgKASNotAvailable        = "Waiting for Kube APIServer deployment to become available"
	msgEtcdWaiting            = "Waiting for etcd to reach quorum"
	msgNoComponents           = "Control plane components have not been created yet"
	msgPausedUntilRemoved     = "Reconciliation paused until field removed"
	msgPausedInvalid          = "Invalid value provided for PausedUntil field"
	msgNoWorkers              = "No worker nodes available"
	msgNoWorkersForConnection = "No worker nodes available to verify control plane connectivity"
	msgResourcesDestroyed     = "All guest resources destroyed"
	msgNotUpgradeable         = "cluster version is not upgradeable"
	msgForcedElsewhere        = "force upgrade annotation is present but does not match desired release image"
	msgBaseDomainUnknown      = "unable to autodetect kubevirt platform base domain, temporary route is not giving a host value"

	reasonNoWorkers         = "NoWorkerNodesAvailable"
	reasonDestroyed         = "CloudResourcesDestroyed"
	reasonPayloadLoaded     = "PayloadLoaded" // guess: as the cluster version operator says it
	reasonOperatorsNotReady = "ClusterOperatorsNotAvailable"
)

// Registry. The first follows the recorded row; the words between "Get" and "no such host" are Go's own.
func msgNoSuchHost(host string) string {
	return fmt.Sprintf("failed to create repository client for https://%s: Get \"https://%s/v2/\": dial tcp: lookup %s: no such host", host, host, host)
}

// Guess: how the registry client words a tag that is not there.
const msgManifestUnknown = "manifest unknown: manifest unknown"

// Recorded.
func msgPayloadArch(image string, cause error) string {
	return fmt.Sprintf("failed to determine if release image multi-arch: failed to retrieve manifest %s: %v", image, cause)
}

// Recorded: what Progressing and Available say when the payload cannot be read.
func msgReleaseMetadata(cause error) string {
	return fmt.Sprintf("failed to extract release metadata: failed to get repo setup: %v", cause)
}

// Recorded.
func msgPullSecretMissing(name string) string {
	return fmt.Sprintf("pull secret unavailable: Secret %q not found", name)
}

// Source.
func msgPullSecretKey(name string) string {
	return fmt.Sprintf("pull secret unavailable: expected %s key in secret %q", pullSecretKey, name)
}

// Source: Progressing while a gate is closed.
func msgGateClosed(condition, message string) string {
	return fmt.Sprintf("%s condition is false: %s", condition, message)
}

// Recorded: the prefix of both messages, and that the first one ends in a full stop. events are warnings about the
// Service (source: they replace the age).
func msgLoadBalancerPending(service string, age time.Duration, events []string) string {
	if len(events) > 0 {
		return fmt.Sprintf("%s load balancer is not provisioned: %s", service, strings.Join(events, "; "))
	}
	return fmt.Sprintf("%s load balancer is not provisioned; %v since creation.", service, duration.ShortHumanDuration(age))
}

// Recorded.
func msgOAuthRouteWithoutHost(age time.Duration) string {
	return fmt.Sprintf("OAuth service route does not contain valid host; %v since creation", duration.ShortHumanDuration(age))
}

// Source: warnings about a claim of etcd, while it is pending.
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

// Source.
func msgPausedUntil(when string) string { return "Reconciliation paused until: " + when }

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

// Cluster version operator. Guess: the words follow its public behaviour, and were not recorded.
func msgWorkingTowards(version string, done int) string {
	const total = 620
	return fmt.Sprintf("Working towards %s: %d of %d done (%d%% complete)", version, total*done/100, total, done)
}

func msgUnableToApply(version string, operators []string) string {
	return fmt.Sprintf("Unable to apply %s: wait has exceeded 40 minutes for these operators: %s", version, strings.Join(operators, ", "))
}

func msgOperatorNotUpgradeable(operator, why string) string {
	return fmt.Sprintf("Cluster operator %s should not be upgraded between minor versions: %s", operator, why)
}

const (
	msgOperatorDegraded = "The rollout of 1 pod has not made progress for too long"

	reasonIncompatibleOperators = "IncompatibleOperatorsInstalled"
)

func msgOperatorsNotAvailable(operators []string) string {
	if len(operators) == 1 {
		return fmt.Sprintf("Cluster operator %s is not available", operators[0])
	}
	return fmt.Sprintf("Cluster operators %s are not available", strings.Join(operators, ", "))
}

func msgDoneApplying(version string) string { return "Done applying " + version }

func msgClusterVersionIs(version string) string { return "Cluster version is " + version }

func msgPayloadLoaded(version, image, arch string) string {
	return fmt.Sprintf("Payload loaded version=%q image=%q architecture=%q", version, image, arch)
}

// NodePool, source unless marked.
const (
	msgNoMachines        = "No Machines are created"
	msgNoReplicas        = "NodePool set to no replicas"
	msgReleaseVersionOK  = "Release image version is valid"
	msgPayloadGenerated  = "Payload generated successfully"
	msgKubeletNotReady   = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: no CNI configuration file in /etc/kubernetes/cni/net.d/. Has your network provider started?"
	msgKubeletReady      = "kubelet is posting ready status"
	msgKubeletSilent     = "Kubelet stopped posting node status."
	msgVersionIsEmpty    = "Failed to parse control plane version (): Version string empty" // recorded
	msgNoIgnitionConfigs = "expected 3 core ignition configs, found 0"                      // recorded, with another number

	reasonIgnitionNotReached    = "ignitionNotReached"
	reasonInvalidArch           = "InvalidArchPlatform"
	reasonReconciliationActive  = "ReconciliationActive" // recorded; HostedClusters say AsExpected instead
	reasonReconciliationPaused  = "ReconciliationPaused"
	reasonWaitingForMachines    = "WaitingForAvailableMachines" // guess: Cluster API's
	reasonWaitingForNodeRef     = "WaitingForNodeRef"
	reasonWaitingInfrastructure = "WaitingForInfrastructure"
	reasonNodeConditionsFailed  = "NodeConditionsFailed" // guess: Cluster API's
	reasonVMNotReady            = "VMNotReady"
	reasonKubeletReady          = "KubeletReady"
	reasonKubeletNotReady       = "KubeletNotReady"
	reasonNodeStatusUnknown     = "NodeStatusUnknown"
	machinesReady, nodesHealthy = "ready", "healthy"
	machinesMigratable          = "live migratable"
	tokenIgnitionReached        = "hypershift.openshift.io/ignition-reached"
	canonicalImagesAnnotation   = "hypershift.openshift.io/canonical-data-plane-images"
	condLiveMigratable          = "KubeVirtNodesLiveMigratable"
	condValidPlatformImage      = "ValidPlatformImage"
	condReachedIgnitionEndpoint = "ReachedIgnitionEndpoint"
	condIgnitionEndpoint        = "IgnitionEndpointAvailable"
)

// Recorded.
func msgUsingRelease(image string) string { return "Using release image: " + image }

func msgReleaseUnreadable(err error) string {
	return fmt.Sprintf("Failed to get release image: %v", err)
}

func msgArchUnsupported(arch string) string {
	return fmt.Sprintf("CPU arch %s is not supported for platform: KubeVirt, use 'amd64' instead", arch)
}

func msgAutoscaling(least, most int32) string {
	return fmt.Sprintf("Maximum nodes: %v, Minimum nodes: %v", most, least)
}

func msgUpdatingVersion(version string) string {
	return "Updating version in progress. Target version: " + version
}

func msgUpdatingConfig(hash string) string {
	return "Updating config in progress. Target config: " + hash
}

func msgUpdatingTemplate(name string) string {
	return "platform machine template update in progress. Target template: " + name
}

func msgNoKubeVirtImage(image string) string {
	return fmt.Sprintf("Couldn't discover a KubeVirt Image for release image %q: no kubevirt image metadata present in release", image)
}

func msgKubeVirtImage(image string) string { return "Bootstrap KubeVirt Image is " + image }

func msgPlatformInvalid(err error) string {
	return fmt.Sprintf("validation of NodePool KubeVirt platform failed: %v", err)
}

// Guess: Cluster API's words for a MachineDeployment with too few machines.
func msgMinimumAvailability(want, have int) string {
	return fmt.Sprintf("Minimum availability requires %d replicas, current %d available", want, have)
}

// Source: counts first, then one line for each machine, and the reasons in order.
func aggregateMachines(state string, total int, byReason map[string][]string) (reason, message string) {
	var reasons []string
	count := 0
	for r, lines := range byReason {
		reasons = append(reasons, r)
		count += len(lines)
	}
	sort.Strings(reasons)
	out := &strings.Builder{}
	fmt.Fprintf(out, "%d of %d machines are not %s\n", count, total, state)
	for _, r := range reasons {
		lines := byReason[r]
		sort.Strings(lines)
		out.WriteString(strings.Join(lines, ""))
	}
	return strings.Join(reasons, ","), out.String()
}

func msgMachine(name, reason, detail string) string {
	if detail == "" {
		return fmt.Sprintf("Machine %s: %s\n", name, reason)
	}
	return fmt.Sprintf("Machine %s: %s: %s\n", name, reason, detail)
}

// Source.
func msgUnmigratablePools(pools []string) string {
	return fmt.Sprintf("Non-live-migratable node(s) have been found on the following NodePool(s) attached to "+
		"this Hosted Cluster: %s. It is recommended to use live-migratable nodes in order to improve cluster stability "+
		"and downtime. Check the reason for the non-live-migratability in the corresponding NodePool(s).", strings.Join(pools, ", "))
}
