package guest

import (
	"fmt"
	"strings"
)

// HostedCluster, source.
const (
	reasonPayloadLoaded     = "PayloadLoaded" // the cluster version operator's
	reasonOperatorsNotReady = "ClusterOperatorsNotAvailable"
)

// Cluster version operator. The messages follow its public behaviour and were not recorded.
func msgWorkingTowards(version string, done int) string {
	const total = 620
	return fmt.Sprintf("Working towards %s: %d of %d done (%d%% complete)", version, total*done/100, total, done)
}

func msgUnableToApply(version string, operators []string) string {
	return fmt.Sprintf("Unable to apply %s: wait has exceeded 40 minutes for these operators: %s", version,
		strings.Join(operators, ", "))
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

func msgOperatorsDegraded(operators []string) string {
	if len(operators) == 1 {
		return fmt.Sprintf("Cluster operator %s is degraded", operators[0])
	}
	return fmt.Sprintf("Cluster operators %s are degraded", strings.Join(operators, ", "))
}

func msgDoneApplying(version string) string { return "Done applying " + version }

func msgClusterVersionIs(version string) string { return "Cluster version is " + version }

func msgPayloadLoaded(version, image, arch string) string {
	return fmt.Sprintf("Payload loaded version=%q image=%q architecture=%q", version, image, arch)
}

// Cluster operators of a guest. Source: HyperShift's page on ingress and DNS for KubeVirt has both messages of a guest
// whose *.apps leads nowhere; the console's with a host that does not resolve.
const (
	msgCanaryFails = `The "default" ingress controller reports Degraded=True: DegradedConditions: One or more other ` +
		`status conditions indicate a degraded state: CanaryChecksSucceeding=False (CanaryChecksRepetitiveFailures: ` +
		`Canary route checks for the default ingress controller are failing)`
	reasonCanaryFails = "IngressDegraded"
	reasonRouteHealth = "RouteHealth_FailedGet"
)

// The cluster operators that faults affect.
const (
	notUpgradeableOperator = "operator-lifecycle-manager"
)
