package nodepool

import (
	"fmt"
	"sort"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Recorded.
const msgIgnitionEndpointAbsent = "Ignition endpoint not available, waiting"

// NodePool, source unless marked.
const (
	msgNoMachines       = "No Machines are created"
	msgNoReplicas       = "NodePool set to no replicas"
	msgReleaseVersionOK = "Release image version is valid"
	msgPayloadGenerated = "Payload generated successfully"
	msgKubeletNotReady  = "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady " +
		"message:Network plugin returns error: no CNI configuration file in /etc/kubernetes/cni/net.d/. Has your network " +
		"provider started?"
	msgKubeletReady   = "kubelet is posting ready status"
	msgKubeletSilent  = "Kubelet stopped posting node status."
	msgVersionIsEmpty = "Failed to parse control plane version (): Version string empty" // recorded
	msgWaitingForNode = "Waiting for a node with matching ProviderID to exist"

	reasonIgnitionNotReached    = "ignitionNotReached"
	reasonInvalidArch           = "InvalidArchPlatform"
	reasonReconciliationActive  = "ReconciliationActive" // recorded; HostedClusters say AsExpected instead
	reasonReconciliationPaused  = "ReconciliationPaused"
	reasonWaitingForMachines    = "WaitingForAvailableMachines"
	reasonWaitingForNodeRef     = "WaitingForNodeRef"
	reasonNodeProvisioning      = "NodeProvisioning"
	reasonWaitingInfrastructure = "WaitingForInfrastructure"
	reasonNodeConditionsFailed  = "NodeConditionsFailed"
	reasonVMNotReady            = "VMNotReady"
	reasonDraining              = "Draining"
	reasonKubeletReady          = "KubeletReady"
	reasonKubeletNotReady       = "KubeletNotReady"
	reasonNodeStatusUnknown     = "NodeStatusUnknown"
	machinesReady, nodesHealthy = "ready", "healthy"
	machinesMigratable          = "live migratable"
	tokenIgnitionReached        = "hypershift.openshift.io/ignition-reached"
	canonicalImagesAnnotation   = "hypershift.openshift.io/canonical-data-plane-images"
	condValidArch               = "ValidArchPlatform"
	condValidPlatformImage      = "ValidPlatformImage"
	condReachedIgnitionEndpoint = "ReachedIgnitionEndpoint"
	condIgnitionEndpoint        = "IgnitionEndpointAvailable"
)

func msgNoSecret(name string) string { return fmt.Sprintf("Secret %q not found", name) }

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

func msgNodeDegraded(node, why string) string {
	return fmt.Sprintf("Node %s in nodepool degraded: %s", node, why)
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
	return fmt.Sprintf("Couldn't discover a KubeVirt Image for release image %q: no kubevirt image metadata present in "+
		"release", image)
}

func msgKubeVirtImage(image string) string { return "Bootstrap KubeVirt Image is " + image }

func msgPlatformInvalid(err error) string {
	return fmt.Sprintf("validation of NodePool KubeVirt platform failed: %v", err)
}

// The words are made up after Cluster API's for a MachineDeployment with too few machines.
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

// msgMachine is the line about one machine. Of an empty detail, the colon before it stays.
func msgMachine(name string, reasonAndDetail ...string) string {
	return strings.Join(append([]string{"Machine " + name}, reasonAndDetail...), ": ") + "\n"
}

// Source: cluster-api-provider-kubevirt.
func msgVMNotReady(printableStatus string) string { return "VM is not ready: " + printableStatus }

// Source: Cluster API, drain.EvictionResult.ConditionMessage.
func msgDraining(began metav1.Time, lines []string) string {
	return fmt.Sprintf("Drain not completed yet (started at %s):", began.UTC().Format(time.RFC3339)) +
		strings.Join(lines, "")
}

// Source: the same; of more than three pods the others are counted.
func msgNotEvicted(pods []string, why string) string {
	kind := "Pod"
	if len(pods) > 1 {
		kind = "Pods"
	}
	if n := len(pods) - 3; n > 0 {
		pods = append(pods[:3:3], fmt.Sprintf("... (%d more)", n))
	}
	why = strings.Replace(why, "Cannot evict pod as it would violate the pod's disruption budget.",
		"cannot evict pod as it would violate the pod's disruption budget.", 1)
	if !strings.HasPrefix(why, "cannot evict pod as it would violate the pod's disruption budget.") {
		why = "failed to evict Pod, " + why
	}
	return fmt.Sprintf("\n* %s %s: %s", kind, strings.Join(pods, ", "), why)
}

func msgNotMigratable(machine, why string) string {
	return fmt.Sprintf("%s is not a live migratable machine: %s", machine, why)
}
