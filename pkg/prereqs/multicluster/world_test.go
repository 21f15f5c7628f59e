package multicluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
)

func run(t *testing.T, cases map[string]prereqtest.Case) {
	t.Helper()
	prereqtest.Run(t, Prerequisites(Options{}, olm.Pins{}, nil), cases)
}

const (
	engines       = "multiclusterengines.multicluster.openshift.io"
	hubs          = "multiclusterhubs.operator.open-cluster-management.io"
	clusters      = "managedclusters.cluster.open-cluster-management.io"
	addons        = "managedclusteraddons.addon.open-cluster-management.io"
	subscriptions = "subscriptions.operators.coreos.com"
	deployments   = "deployments.apps"
)

func ago(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) }

// engine is a MultiClusterEngine of hcctl's own, an hour old; components are names, with a "-" before those that are
// off.
func engine(version, phase, components string) string {
	var list []string
	for _, name := range strings.Fields(components) {
		name, off := strings.CutPrefix(name, "-")
		list = append(list, fmt.Sprintf("{name: %s, enabled: %t}", name, !off))
	}
	return fmt.Sprintf(`
---
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: multiclusterengine,
    creationTimestamp: %q, labels: {app.kubernetes.io/managed-by: hcctl}},
  spec: {targetNamespace: mce, overrides: {components: [%s]}},
  status: {currentVersion: %q, phase: %s, components: [
    {name: console-mce, kind: Deployment, type: Available, status: "True"},
    {name: hive-operator, kind: Deployment, type: Available, status: "False", reason: MinimumReplicasUnavailable}]}}
`, ago(time.Hour), strings.Join(list, ", "), version, phase)
}

// pooled are objects of other components, which keep an engine.
const pooled = `
---
{apiVersion: discovery.open-cluster-management.io/v1, kind: DiscoveryConfig, metadata: {name: discovery, namespace: mine}}
---
{apiVersion: agent-install.openshift.io/v1beta1, kind: AgentServiceConfig, metadata: {name: agent}}
---
{apiVersion: hive.openshift.io/v1, kind: ClusterPool, metadata: {name: pool, namespace: mine}}
`

// engineSays is a MultiClusterEngine with these conditions.
func engineSays(phase, conditions string) string {
	return fmt.Sprintf(`
---
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: multiclusterengine},
  spec: {targetNamespace: mce}, status: {currentVersion: 2.10.0, phase: %s, conditions: [%s]}}
`, phase, conditions)
}

const allOn = "hypershift hypershift-local-hosting local-cluster"

// engineWith is a MultiClusterEngine that progresses, with one entry in status.components.
func engineWith(component string) string {
	return fmt.Sprintf(`
---
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: multiclusterengine},
  spec: {targetNamespace: mce}, status: {phase: Progressing, components: [%s]}}
`, component)
}

// workload is a Deployment that is to have so many pods and has none ready.
func workload(namespace, name string, replicas int) string {
	return fmt.Sprintf(`
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s, namespace: %s, generation: 1}, spec: {replicas: %d},
  status: %s}
`, name, namespace, replicas, healthtest.RolledOut(replicas, replicas, 0))
}

// stuckPod is a pod of Deployment hive-operator or operator whose image cannot be pulled.
func stuckPod(namespace, deployment string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Pod, metadata: {name: %[2]s-5f7-x, namespace: %[1]s, labels: {pod-template-hash: 5f7},
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: %[2]s-5f7, uid: u}]},
  status: {phase: Pending, containerStatuses: [{name: c, state: {waiting: {reason: ImagePullBackOff, message: no such image}}}]}}
`, namespace, deployment)
}

// hub is Advanced Cluster Management's MultiClusterHub.
func hub(spec, phase string) string {
	return fmt.Sprintf(`
---
{apiVersion: operator.open-cluster-management.io/v1, kind: MultiClusterHub, metadata: {name: acm, namespace: ocm},
  spec: {%s}, status: {phase: %s}}
`, spec, phase)
}

// managedCluster is a ManagedCluster that has joined; labels are YAML.
func managedCluster(name, labels string) string {
	return fmt.Sprintf(`
---
{apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: {name: %s, labels: {%s}},
  spec: {hubAcceptsClient: true}, status: {conditions: [
    {type: HubAcceptedManagedCluster, status: "True"}, {type: ManagedClusterJoined, status: "True"},
    {type: ManagedClusterConditionAvailable, status: "True"}]}}
`, name, labels)
}

func local() string { return managedCluster("local-cluster", "local-cluster: 'true'") }

// addon is the hypershift addon with a status of Degraded.
func addon(degraded string) string {
	return fmt.Sprintf(`
---
{apiVersion: addon.open-cluster-management.io/v1alpha1, kind: ManagedClusterAddOn,
  metadata: {name: hypershift-addon, namespace: local-cluster, labels: {app.kubernetes.io/managed-by: hcctl}},
  status: {conditions: [{type: Available, status: "True"},
    {type: Degraded, status: %q, reason: HypershiftDeployed, message: OperatorNotAllAvailableReplicas}]}}
`, degraded)
}

// operator is HyperShift's operator with so many of two pods ready.
func operator(ready int) string {
	return fmt.Sprintf(`
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: operator, namespace: hypershift, generation: 1},
  spec: {replicas: 2}, status: %s}
`, healthtest.RolledOut(2, 2, ready))
}

func namespace(name string, age time.Duration, status string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Namespace, metadata: {name: %s, creationTimestamp: %q%s}}
`, name, ago(age), status)
}
