package multicluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestOperator(t *testing.T) {
	offered := prereqtest.ClusterVersion("4.20.3") +
		prereqtest.Offered("multicluster-engine", "multicluster-engine", "stable-2.10", "multicluster-engine.v2.10.0")
	management := prereqtest.Subscription("advanced-cluster-management", "ocm", "")
	run(t, map[string]prereqtest.Case{
		"bare": {Objects: []string{offered}, ID: Operator, State: step.StateMissing,
			Says: []string{"multicluster engine is not installed", "channel stable-2.10"}},
		"installed": {Objects: []string{prereqtest.Installed("multicluster-engine", "multicluster-engine",
			"multicluster-engine.v2.10.0")}, ID: Operator, State: step.StateOK, Says: []string{"multicluster-engine.v2.10.0"}},
		"installed, and at 0": {Objects: []string{prereqtest.Installed("multicluster-engine", "multicluster-engine",
			"multicluster-engine.v2.10.0"), stopped}, ID: Operator, State: step.StateBroken,
			Says: []string{"Deployment mce/multicluster-engine-operator: the operator is scaled to 0", "oc scale deployment/"}},
		"by other means, and gone": {Objects: []string{offered, engine("2.10.0", "Available", allOn)}, ID: Operator,
			State: step.StateMissing, Says: []string{"MultiClusterEngine multiclusterengine is there, and its operator is not"}},
		"by other means": {Objects: []string{offered, prereqtest.Deployment(operatorName), engine("2.10.0", "Available", allOn)}, ID: Operator,
			State: step.StateOK, Says: []string{"installed by other means", "Available, version 2.10.0"}},
		"a paused hub": {Objects: []string{offered, `
{apiVersion: operator.open-cluster-management.io/v1, kind: MultiClusterHub, metadata: {name: acm, namespace: ocm},
  status: {phase: Installing, conditions: [{type: Progressing, status: Unknown, reason: MCHPaused}]}}
`}, ID: Operator, State: step.StateBroken, Says: []string{"MultiClusterHub ocm/acm", "is paused"}},
		"by OLM v1": {Objects: []string{offered, extended("multicluster-engine", "Installed", "True", "Succeeded")},
			ID: Operator, State: step.StateOK, Says: []string{"ClusterExtension multiclusterengine", "installed by OLM v1: engine.v5.0.1"}},
		"by OLM v1, whose update cannot": {Objects: []string{offered, strings.Replace(extended("multicluster-engine", "Installed",
			"True", "Succeeded"), "conditions: [", "conditions: [{type: Progressing, status: 'True', reason: Retrying, message: no bundle}, ",
			1)}, ID: Operator, State: step.StateOK, Says: []string{"installed by OLM v1: engine.v5.0.1; an update waits: " +
			"Progressing True (Retrying): no bundle"}},
		"by OLM v1, and no update": {Objects: []string{offered, strings.Replace(extended("multicluster-engine", "Installed", "True",
			"Succeeded"), "conditions: [", "conditions: [{type: Progressing, status: 'True', reason: Succeeded, message: desired state reached}, ",
			1)}, ID: Operator, State: step.StateOK, Says: []string{"installed by OLM v1: engine.v5.0.1"}},
		"by OLM v1, which cannot": {Objects: []string{offered, extended("multicluster-engine", "Progressing", "False", "Blocked")},
			ID: Operator, State: step.StateBroken, Says: []string{"does not install it: Progressing False (Blocked): words"}},
		"by OLM v1, on the way": {Objects: []string{offered, hub("", "Installing"), extended("multicluster-engine", "Progressing",
			"True", "Retrying")}, ID: Operator, State: step.StatePending, Says: []string{"Progressing True (Retrying): words"}},
		"by OLM v1 without v0": {Objects: []string{extended("multicluster-engine", "Installed", "True", "Succeeded")},
			Refused: map[string]int{subscriptions: 404}, ID: Operator, State: step.StateOK, Says: []string{"by OLM v1"}},
		"Advanced Cluster Management by OLM v1": {Objects: []string{offered, extended("advanced-cluster-management", "Installed",
			"True", "Succeeded")}, ID: Operator, State: step.StateBroken, Says: []string{"has no MultiClusterHub to do it for"}},
		"another operator by OLM v1": {Objects: []string{offered, extended("other", "Installed", "True", "Succeeded")}, ID: Operator,
			State: step.StateMissing, Says: []string{"multicluster engine is not installed"}},
		"a hub brings it": {Objects: []string{offered, hub("", "Installing")}, ID: Operator, State: step.StatePending,
			Says: []string{"MultiClusterHub ocm/acm", "(phase Installing) brings multicluster engine itself"}},
		"Advanced Cluster Management comes": {Objects: []string{offered, management}, ID: Operator,
			State: step.StatePending, Says: []string{"Subscription ocm/advanced-cluster-management", "not installed yet"}},
		"Advanced Cluster Management without a hub": {Objects: []string{offered, prereqtest.Installed(
			"advanced-cluster-management", "ocm", "advanced-cluster-management.v2.15.0")}, ID: Operator,
			State: step.StateBroken, Says: []string{"has no MultiClusterHub to do it for"}},
		"its Subscription goes before a hub": {Objects: []string{`
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: mce, namespace: ns},
  spec: {name: multicluster-engine}}
`, hub("", "Running")}, ID: Operator, State: step.StateMissing, Says: []string{"its namespace has no OperatorGroup"}},
		"no catalog, but a hub": {Objects: []string{prereqtest.ClusterVersion("4.20.3"), hub("", "Running")},
			ID: Operator, State: step.StatePending, Says: []string{"brings multicluster engine itself"}},
		"without OLM": {Refused: map[string]int{subscriptions: 404}, ID: Operator, State: step.StateBroken,
			Says: []string{"no Operator Lifecycle Manager"}},
		"without OLM, engine there": {Objects: []string{prereqtest.Deployment(operatorName), engine("2.10.0", "Available", allOn)},
			Refused: map[string]int{subscriptions: 404}, ID: Operator, State: step.StateOK,
			Says: []string{"installed by other means"}},
		"no permission": {Refused: prereqtest.Forbidden(subscriptions), ID: Operator,
			Says: []string{"Subscriptions", "not allowed"}},
		"no permission for hubs": {Objects: []string{offered}, Refused: prereqtest.Forbidden(hubs), ID: Operator,
			Says: []string{"MultiClusterHubs", "not allowed"}},
		"server fails": {Refused: map[string]int{subscriptions: 500}, ID: Operator, Says: []string{"Subscriptions"}},
	})
}

func TestEngine(t *testing.T) {
	progressing := engine("2.10.0", "Progressing", allOn)
	run(t, map[string]prereqtest.Case{
		"none": {ID: Engine, State: step.StateMissing, Says: []string{"multicluster engine is not deployed"}},
		"a hub brings it": {Objects: []string{hub("", "Installing")}, ID: Engine, State: step.StatePending,
			Says: []string{"it has not created its MultiClusterEngine yet"}},
		"available": {Objects: []string{engine("2.10.0", "Available", allOn)}, ID: Engine, State: step.StateOK,
			Says: []string{"Available, version 2.10.0"}},
		"progressing": {Objects: []string{progressing, local()}, ID: Engine, State: step.StatePending,
			Says: []string{"Progressing: hive-operator is not ready: Available False (MinimumReplicasUnavailable)"}},
		"error": {Objects: []string{engine("2.10.0", "Error", allOn), local()}, ID: Engine, State: step.StatePending,
			Says: []string{"Error: hive-operator"}, Trouble: true},
		"not looked at": {Objects: []string{engine("", `""`, "")}, ID: Engine, State: step.StatePending,
			Says: []string{"has not processed it yet"}},
		"no component is told": {Objects: []string{`
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: mce}, status: {phase: Progressing,
  conditions: [{type: Progressing, status: "True", message: deploying}, {type: Available, status: "False"},
    {type: Complete, status: "False", reason: Webhook, message: no webhook}]}}
`, local()}, ID: Engine, State: step.StatePending, Says: []string{"Progressing: its components are being installed"}},
		"its klusterlet cannot start": {Objects: []string{engineWith(
			"{name: local-cluster, kind: local-cluster, type: ManagedClusterImportSucceeded, status: 'True'}"), local(),
			workload("open-cluster-management-agent", "klusterlet-agent", 1),
			stuckPod("open-cluster-management-agent", "klusterlet-agent")}, ID: Engine, State: step.StatePending, Trouble: true,
			Says: []string{"Pod open-cluster-management-agent/klusterlet-agent-5f7-x",
				"component local-cluster of multicluster engine is not available: container c: ImagePullBackOff"}},
		"its klusterlet is at 0": {Objects: []string{engineWith(
			"{name: local-cluster, kind: local-cluster, type: Unknown, status: Unknown}"), local(),
			workload("open-cluster-management-agent", "klusterlet", 0)}, ID: Engine, State: step.StateBroken,
			Says: []string{"Deployment open-cluster-management-agent/klusterlet", "it is scaled to 0", "oc scale"}},
		"its own operator is at 0": {Objects: []string{progressing, stopped}, ID: Engine, State: step.StateBroken,
			Says: []string{"Deployment mce/multicluster-engine-operator: the operator is scaled to 0: what it has said of its " +
				"objects is not renewed; so MultiClusterEngine multiclusterengine: Progressing: hive-operator", "oc scale"}},
		"HyperShift's operator is at 0": {Objects: []string{engineWith(
			"{name: hypershift-addon, kind: ManagedClusterAddOn, type: RegistrationApplied, status: 'True'}"), local(),
			workload("hypershift", "operator", 0)}, ID: Engine, State: step.StateBroken,
			Says: []string{"Deployment hypershift/operator", "component hypershift-addon", "it is scaled to 0",
				"oc scale deployment/operator -n hypershift --replicas=2"}},
		"another addon is not ready, and HyperShift's operator is at 0": {Objects: []string{engineWith(
			"{name: managed-serviceaccount, kind: ManagedClusterAddOn, type: RegistrationApplied, status: 'True'}"), local(),
			workload("hypershift", "operator", 0), workload("open-cluster-management-agent-addon", "managed-serviceaccount", 1),
			stuckPod("open-cluster-management-agent-addon", "managed-serviceaccount")}, ID: Engine, State: step.StatePending,
			Trouble: true, Says: []string{"Pod open-cluster-management-agent-addon/managed-serviceaccount-5f7-x",
				"component managed-serviceaccount of multicluster engine is not available: container c: ImagePullBackOff"}},
		"its hub's controllers cannot start": {Objects: []string{engineWith(
			"{name: cluster-manager, kind: ClusterManager, type: Progressing, status: 'True'}"), local(),
			workload("open-cluster-management-hub", "cluster-manager-registration-controller", 1),
			stuckPod("open-cluster-management-hub", "cluster-manager-registration-controller")}, ID: Engine,
			State: step.StatePending, Trouble: true, Says: []string{
				"Pod open-cluster-management-hub/cluster-manager-registration-controller-5f7-x",
				"component cluster-manager of multicluster engine is not available: container c: ImagePullBackOff"}},
		"Available, and its last pass failed": {Objects: []string{engineSays("Available", `{type: Available, status: "True",
    reason: ComponentsAvailable}, {type: Progressing, status: Unknown, reason: FailedDeployingComponent, message: no chart}`), local()},
			ID: Engine, State: step.StatePending, Trouble: true, Says: []string{
				"Available: Progressing Unknown (FailedDeployingComponent): no chart", "oc get mce multiclusterengine -o jsonpath"}},
		"Available, and not all of it": {Objects: []string{engineSays("Available", `{type: Progressing, status: "True",
    reason: ComponentsDeployed}, {type: Available, status: "False", reason: ComponentsUnavailable, message: Not all components available}`)},
			ID: Engine, State: step.StatePending, Trouble: true, Says: []string{"Available False (ComponentsUnavailable)"}},
		"Available, and a component that the API server refuses": {Objects: []string{engineSays("Available", `{type: Progressing,
    status: "True", reason: ComponentsDeployed}, {type: "ComponentFailure: x (Kind:Deployment)", status: "True",
    reason: FailedApplyingComponent, message: forbidden}`)}, ID: Engine, State: step.StatePending, Trouble: true,
			Says: []string{"ComponentFailure: x (Kind:Deployment) True (FailedApplyingComponent): forbidden"}},
		"paused before 2.5, which keeps the phase": {Objects: []string{engineSays("Available", `{type: Progressing, status: Unknown,
    reason: Paused, message: Multiclusterengine is paused}`)}, ID: Engine, State: step.StateBroken, Says: []string{"its operator is paused"}},
		"Available after a pass that is done": {Objects: []string{engineSays("Available", `{type: Progressing, status: "True",
    reason: ComponentsDeployed, message: All components deployed}, {type: Available, status: "True", reason: ComponentsAvailable}`)},
			ID: Engine, State: step.StateOK, Says: []string{"Available, version 2.10.0"}},
		"does not know it": {Objects: []string{engine("2.10.0", "Unimplemented", allOn)}, ID: Engine,
			State: step.StateBroken, Says: []string{"does not know what to do with it: hive-operator"}},
		"being deleted": {Objects: []string{`
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine,
  metadata: {name: mce, deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {phase: Uninstalling}}
`, namespace("local-cluster", 2*time.Hour, "")}, ID: Engine, State: step.StatePending,
			Says: []string{"it is being deleted since"}},
		"a pod of it is stuck": {Objects: []string{progressing, workload("mce", "hive-operator", 1),
			stuckPod("mce", "hive-operator")}, ID: Engine,
			State: step.StatePending, Says: []string{"Pod mce/hive-operator-5f7-x",
				"component hive-operator of multicluster engine is not available: container c: ImagePullBackOff"},
			Trouble: true},
		"a namespace is in the way": {Objects: []string{progressing, namespace("local-cluster", 2*time.Hour, "")},
			ID: Engine, State: step.StateBroken, Says: []string{"Namespace local-cluster", "waits for this namespace"}},
		"a namespace is in nobody's way": {Objects: []string{engine("2.10.0", "Progressing", "hypershift -local-cluster"),
			namespace("local-cluster", 2*time.Hour, "")}, ID: Engine, State: step.StatePending,
			Says: []string{"Progressing: hive-operator"}},
		"a namespace may be its own": {Objects: []string{progressing, namespace("local-cluster", time.Second, "")},
			ID: Engine, State: step.StatePending, Says: []string{"Progressing: hive-operator"}, Recheck: namespaceGrace / 4},
		"clusters not to be read": {Objects: []string{progressing}, Refused: prereqtest.Forbidden(clusters), ID: Engine,
			State: step.StatePending, Says: []string{"Progressing: hive-operator"}},
		"no permission": {Refused: prereqtest.Forbidden(engines), ID: Engine,
			Says: []string{"MultiClusterEngines", "not allowed"}},
		"no permission for hubs": {Refused: prereqtest.Forbidden(hubs), ID: Engine,
			Says: []string{"MultiClusterHubs", "not allowed"}},
		"create": {Kinds: []kube.Kind{kube.MultiClusterEngine}, ID: Engine, Change: step.Created,
			Writes: []string{"patch " + engines + " multiclusterengine"},
			Sends:  []string{`"app.kubernetes.io/managed-by":"hcctl"`, `"spec":{}`}},
	})
}

// stopped is the engine's operator, scaled to 0.
const stopped = `
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: multicluster-engine-operator, namespace: mce, labels: {
    olm.owner: multicluster-engine.v2.10.0, olm.owner.kind: ClusterServiceVersion}}, spec: {replicas: 0}}
`

func TestRemoveEngine(t *testing.T) {
	own := engine("2.10.0", "Available", allOn)
	going := prereqtest.Deleted(`
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: multiclusterengine, labels: {
    app.kubernetes.io/managed-by: hcctl}}, status: {phase: Uninstalling, conditions: [{type: Available, status: "False",
    reason: ComponentsUnavailable}, {type: Progressing, status: "False", reason: WaitingForResource,
    message: Waiting for ManagedCluster local-cluster to terminate.}]}}`)
	run(t, map[string]prereqtest.Case{
		"there": {Objects: []string{own, local()}, ID: prereq.RemoveEngine, State: step.StateMissing,
			Says: []string{"created by hcctl and still there"}},
		"without Open Cluster Management": {Objects: []string{own}, ID: prereq.RemoveEngine, State: step.StateMissing},
		"it manages others": {Objects: []string{own, local(), managedCluster("far", "a: b")}, ID: prereq.RemoveEngine,
			State: step.StateBroken, Says: []string{"it manages other clusters: far", "oc delete managedcluster far"}},
		"a ClusterPool": {Objects: []string{engine("2.11.0", "Available", allOn), local(), pooled}, ID: prereq.RemoveEngine, State: step.StateBroken,
			Says: []string{"its webhook refuses its deletion as long as these exist: DiscoveryConfig mine/discovery, " +
				"AgentServiceConfig agent, ClusterPool mine/pool", "each of them: oc delete " +
				"discoveryconfigs.discovery.open-cluster-management.io discovery -n mine"}},
		"a ClusterPool, of which 2.10 asks nothing": {Objects: []string{own, local(), `
{apiVersion: hive.openshift.io/v1, kind: ClusterPool, metadata: {name: pool, namespace: mine}}
`}, ID: prereq.RemoveEngine, State: step.StateMissing},
		"an AgentServiceConfig": {Objects: []string{own, local(), `
{apiVersion: agent-install.openshift.io/v1beta1, kind: AgentServiceConfig, metadata: {name: agent}}
`}, ID: prereq.RemoveEngine, State: step.StateBroken, Says: []string{"exist: AgentServiceConfig agent",
			"if what they do is not needed: oc delete agentserviceconfigs.agent-install.openshift.io agent"}},
		"pools not to be read": {Objects: []string{engine("2.11.0", "Available", allOn), pooled},
			Refused: prereqtest.Forbidden("clusterpools.hive.openshift.io"), ID: prereq.RemoveEngine,
			Says: []string{"ClusterPools", "not allowed"}},
		"it goes in stages": {Objects: []string{going, prereqtest.Deleted(local())}, ID: prereq.RemoveEngine, State: step.StatePending,
			Says: []string{"being deleted, Uninstalling; Progressing False (WaitingForResource): Waiting for ManagedCluster local-cluster",
				"ManagedCluster local-cluster is kept by example.com/hold", "oc describe multiclusterengine multiclusterengine"}},
		"it waits for the addon": {Objects: []string{going, prereqtest.Deleted(local()), prereqtest.Deleted(addon("True"))},
			ID: prereq.RemoveEngine, State: step.StatePending,
			Says: []string{"ManagedClusterAddOn local-cluster/hypershift-addon is kept by example.com/hold"}},
		"it goes, and its operator is at 0": {Objects: []string{going, stopped}, ID: prereq.RemoveEngine, State: step.StatePending,
			Says: []string{"Deployment mce/multicluster-engine-operator, its operator, is scaled to 0: oc scale"}},
		"clusters not to be read": {Objects: []string{own}, Refused: prereqtest.Forbidden(clusters), ID: prereq.RemoveEngine,
			Says: []string{"ManagedClusters", "not allowed"}},
		"delete": {Objects: []string{own}, ID: prereq.RemoveEngine, Change: step.Deleted,
			Writes: []string{"delete " + engines + " multiclusterengine"}},
		"delete the local cluster": {Objects: []string{managedCluster("mine",
			"local-cluster: 'true', app.kubernetes.io/managed-by: hcctl")}, ID: removeLocalCluster, Change: step.Deleted,
			Writes: []string{"delete " + clusters + " mine"}},
		"delete the addon": {Objects: []string{addon("False")}, ID: removeAddon, Change: step.Deleted,
			Writes: []string{"delete " + addons + " local-cluster/hypershift-addon"}},
	})
}

func TestEngineVersion(t *testing.T) {
	version := prereqtest.ClusterVersion("4.20.3")
	run(t, map[string]prereqtest.Case{
		"fits": {Objects: []string{version, engine("2.10.0", "Available", "")}, ID: Version, State: step.StateOK,
			Says: []string{"MultiClusterEngine multiclusterengine", "is of those that work on OpenShift 4.20"}},
		"none": {Objects: []string{version}, ID: Version, State: step.StateSkipped,
			Says: []string{"OpenShift 4.20 takes 2.10 to 2.17"}},
		"OpenShift's is not known": {ID: Version, Says: []string{"ClusterVersion version"}},
		"no permission": {Objects: []string{version}, Refused: prereqtest.Forbidden(engines), ID: Version,
			Says: []string{"MultiClusterEngines", "not allowed"}},
	})
}

func TestComponent(t *testing.T) {
	const patch = "patch " + engines + " multiclusterengine"
	run(t, map[string]prereqtest.Case{
		"on": {Objects: []string{engine("2.10.0", "Available", allOn)}, ID: Component, State: step.StateOK,
			Says: []string{"MultiClusterEngine multiclusterengine", "component hypershift is on"}},
		"off": {Objects: []string{engine("2.10.0", "Available", "-hypershift -hypershift-local-hosting")}, ID: Component,
			State: step.StateBroken, Says: []string{"components are off: hypershift, hypershift-local-hosting",
				"hcctl bootstrap --enable-component hypershift,hypershift-local-hosting"}},
		"off, and asked for": {Objects: []string{engine("2.10.0", "Available", "-hypershift")}, Of: asking("hypershift"),
			ID: Component, State: step.StateMissing, Says: []string{"component hypershift is off"}},
		"one of two is asked for": {Objects: []string{engine("2.10.0", "Available", "-hypershift -hypershift-local-hosting")},
			Of: asking("hypershift"), ID: Component, State: step.StateBroken,
			Says: []string{"--enable-component hypershift-local-hosting"}},
		"off by default": {Objects: []string{engine("2.3.0", "Available", "-hypershift-preview hypershift-local-hosting")},
			ID: Component, State: step.StateMissing, Says: []string{"component hypershift-preview is off"}},
		"hubs not to be read": {Objects: []string{engine("2.10.0", "Available", allOn)},
			Refused: prereqtest.Forbidden(hubs), ID: Component, Says: []string{"MultiClusterHubs", "not allowed"}},
		"refused beside Cluster API": {Objects: []string{engine("2.10.0", "Available", "-hypershift cluster-api")},
			ID: Component, State: step.StateBroken, Says: []string{"refuses it beside cluster-api", "--type=json"}},
		"no engine": {ID: Component, State: step.StateMissing, Says: []string{"there is no MultiClusterEngine"}},
		"no permission": {Refused: prereqtest.Forbidden(engines), ID: Component,
			Says: []string{"MultiClusterEngines", "not allowed"}},
		"turn on": {Objects: []string{engine("2.10.0", "Available", "discovery -hypershift")}, ID: Component,
			Change: step.Configured, Writes: []string{patch}, Sends: []string{
				`"components":[{"enabled":true,"name":"discovery"},{"enabled":true,"name":"hypershift"}]`,
				`"metadata":{"resourceVersion":"`}},
		"on already": {Objects: []string{engine("2.10.0", "Available", allOn)}, ID: Component,
			Change: step.Unchanged},
		"apply: no engine":     {ID: Component, Fails: "there is no MultiClusterEngine"},
		"apply: no permission": {Refused: prereqtest.Forbidden(engines), ID: Component, Fails: "Forbidden"},
	})
}

// asking are the prerequisites with components that --enable-component names.
func asking(names ...string) []prereq.Prerequisite {
	return Prerequisites(Options{EnableComponents: names}, olm.Pins{}, nil)
}

// TestComponentOfAHub has Advanced Cluster Management, which writes its own entries over the engine's.
func TestComponentOfAHub(t *testing.T) {
	const patch = "patch " + hubs + " ocm/acm"
	off, on := engine("2.10.0", "Available", "discovery -hypershift"), engine("2.10.0", "Available", allOn)
	old := engine("2.3.0", "Available", "-hypershift-preview hypershift-local-hosting")
	list := func(entries string) string { return hub("overrides: {components: ["+entries+"]}", "Running") }
	run(t, map[string]prereqtest.Case{
		"on in both": {Objects: []string{on, list("{name: hypershift, enabled: true}")}, ID: Component,
			State: step.StateOK},
		"the hub has no entry": {Objects: []string{on, hub("", "Running")}, ID: Component, State: step.StateOK},
		"the hub turns it off": {Objects: []string{on, list("{name: hypershift, enabled: false}")}, ID: Component,
			State: step.StateBroken, Says: []string{"MultiClusterHub ocm/acm", "somebody has turned it off"}},
		"the hub turns local hosting off": {Objects: []string{engine("2.10.0", "Available", "hypershift"),
			list("{name: hypershift-local-hosting, enabled: false}")}, ID: Component,
			State: step.StateBroken, Says: []string{"--enable-component hypershift-local-hosting"}},
		"the hub is about to turn it on": {Objects: []string{off, list("{name: hypershift, enabled: true}")},
			ID: Component, State: step.StatePending, Says: []string{"MultiClusterEngine multiclusterengine",
				"component hypershift is off, and MultiClusterHub ocm/acm has not turned it on there yet"}},
		"off in the engine alone": {Objects: []string{off, hub("", "Running")}, ID: Component, State: step.StateBroken,
			Says: []string{"MultiClusterHub ocm/acm", "--enable-component hypershift"}},
		"a preview that the hub turns off": {Objects: []string{old, list("{name: hypershift-preview, enabled: false}")},
			ID: Component, State: step.StateBroken, Says: []string{"--enable-component hypershift-preview"}},
		"a preview, off by default": {Objects: []string{old, hub("", "Running")}, ID: Component,
			State: step.StateMissing, Says: []string{"MultiClusterHub ocm/acm"}},
		"refused beside Cluster API": {Objects: []string{engine("2.10.0", "Available", "-hypershift cluster-api"),
			hub("", "Running")}, ID: Component, State: step.StateBroken,
			Says: []string{"refuses it beside cluster-api", "oc edit multiclusterhub acm -n ocm"}},

		"turn on": {Objects: []string{off, list("{name: search, enabled: false}")}, Of: asking("hypershift"), ID: Component,
			Change: step.Configured, Writes: []string{patch}, Sends: []string{
				`"components":[{"enabled":false,"name":"search"},{"enabled":true,"name":"hypershift"}]`,
				`"metadata":{"resourceVersion":"`}},
		"turn the preview on": {Objects: []string{old, hub("", "Running")}, ID: Component, Change: step.Configured,
			Writes: []string{patch}, Sends: []string{`"components":[{"enabled":true,"name":"hypershift-preview"}]`}},
		"apply: hubs not to be read": {Objects: []string{off}, Refused: prereqtest.Forbidden(hubs), ID: Component,
			Fails: "Forbidden"},
	})
}

func TestLocalCluster(t *testing.T) {
	own := engine("2.10.0", "Progressing", allOn)
	off := engine("2.10.0", "Available", "hypershift -local-cluster")
	old := engine("2.1.0", "Available", "hypershift-preview")
	registered := []kube.Kind{{GroupVersionKind: managedClusters().GroupVersionKind, Plural: "managedclusters"}}
	going := namespace("local-cluster", time.Hour, `, deletionTimestamp: "2026-01-01T00:00:00Z"`)
	run(t, map[string]prereqtest.Case{
		"joined": {Objects: []string{own, local()}, ID: LocalCluster, State: step.StateOK,
			Says: []string{"ManagedCluster local-cluster", "joined and available"}},
		"joined by another name": {Objects: []string{managedCluster("hub", "local-cluster: 'true'")}, ID: LocalCluster,
			State: step.StateOK, Says: []string{"ManagedCluster hub"}},
		"switched off": {Objects: []string{off, local()}, ID: LocalCluster, State: step.StateBroken,
			Says: []string{"component local-cluster is off", "hcctl bootstrap --enable-component local-cluster"}},
		"switched off, and asked for": {Objects: []string{off, local()}, Of: asking("local-cluster"), ID: LocalCluster,
			State: step.StateMissing, Says: []string{"component local-cluster is off"}},
		"switched off by a hub, and asked for": {Objects: []string{off, hub("disableHubSelfManagement: true", "Running")},
			Of: asking("local-cluster"), ID: LocalCluster, State: step.StateMissing,
			Says: []string{"MultiClusterHub ocm/acm", "disableHubSelfManagement"}},
		"switched off by a hub": {Objects: []string{off, hub("disableHubSelfManagement: true", "Running")},
			ID: LocalCluster, State: step.StateBroken, Says: []string{"MultiClusterHub ocm/acm", "disableHubSelfManagement"}},
		"switched off, the hub wants it": {Objects: []string{off, hub("disableHubSelfManagement: false", "Running")},
			ID: LocalCluster, State: step.StatePending,
			Says: []string{"component local-cluster is off, and MultiClusterHub ocm/acm has not turned it on there yet"}},
		"switched off, and the hub is paused": {Objects: []string{off, hub("disableHubSelfManagement: false", "Paused")},
			ID: LocalCluster, State: step.StateBroken, Says: []string{"MultiClusterHub ocm/acm", "is paused",
				"hcctl bootstrap --take-over multicluster/operator"}},
		"switched off by GitOps, and asked for": {Objects: []string{strings.Replace(off, "name: multiclusterengine", "name: "+
			"multiclusterengine, annotations: {argocd.argoproj.io/tracking-id: 'hub:x/MultiClusterEngine:/multiclusterengine'}",
			1)}, Of: asking("local-cluster"), ID: LocalCluster, State: step.StateBroken,
			Says: []string{"Argo CD (application hub) puts that back", "in the source of Argo CD's application hub"}},
		"switched off, hubs not to be read": {Objects: []string{off}, Refused: prereqtest.Forbidden(hubs), ID: LocalCluster,
			Says: []string{"MultiClusterHubs", "not allowed"}},
		"no engine": {ID: LocalCluster, State: step.StateMissing,
			Says: []string{"the cluster does not manage itself: there is no MultiClusterEngine"}},
		"no engine, a namespace is in the way": {Objects: []string{namespace("local-cluster", time.Hour, "")},
			ID: LocalCluster, State: step.StateBroken, Says: []string{"Namespace local-cluster"}},
		"no engine, namespaces not to be read": {Refused: prereqtest.Forbidden("namespaces"), ID: LocalCluster,
			Says: []string{"Namespace local-cluster", "not allowed"}},
		"not created yet": {Objects: []string{own}, Kinds: registered, ID: LocalCluster, State: step.StatePending,
			Says: []string{"has not created ManagedCluster local-cluster yet"}},
		"not labelled": {Objects: []string{own, managedCluster("local-cluster", "a: b")}, ID: LocalCluster,
			State: step.StateBroken, Says: []string{"oc label managedcluster local-cluster local-cluster=true"}},
		"its kind is not registered": {Objects: []string{own}, ID: LocalCluster, State: step.StatePending,
			Says: []string{"has not created ManagedCluster local-cluster yet"}},
		"it is not to be read": {Objects: []string{own}, Kinds: registered, Refused: prereqtest.Forbidden(clusters),
			ID: LocalCluster, Says: []string{"ManagedClusters", "not allowed"}},
		"namespaces not to be read": {Objects: []string{own}, Refused: prereqtest.Forbidden("namespaces"), ID: LocalCluster,
			Says: []string{"Namespace local-cluster", "not allowed"}},
		"a namespace goes": {Objects: []string{own, going}, ID: LocalCluster, State: step.StatePending,
			Says: []string{"it is still being deleted; multicluster engine waits for that"}},
		"a fresh namespace": {Objects: []string{own, namespace("local-cluster", time.Second, "")}, ID: LocalCluster,
			State: step.StatePending, Says: []string{"Namespace local-cluster", "not created ManagedCluster"},
			Recheck: namespaceGrace / 4},
		"a namespace older than the engine": {Objects: []string{own, namespace("local-cluster", 2*time.Hour, "")},
			ID: LocalCluster, State: step.StateBroken, Says: []string{"oc delete namespace local-cluster"}},
		"a namespace that stays": {Objects: []string{own, namespace("local-cluster", time.Minute+5*time.Second, "")},
			ID: LocalCluster, State: step.StateBroken, Says: []string{"oc delete namespace local-cluster"}},
		"by hand": {Objects: []string{old}, ID: LocalCluster, State: step.StateMissing,
			Says: []string{"multicluster engine 2.1.0 does not create it"}},
		"no permission for engines": {Refused: prereqtest.Forbidden(engines), ID: LocalCluster,
			Says: []string{"MultiClusterEngines", "not allowed"}},
		"no permission for clusters": {Refused: prereqtest.Forbidden(clusters), ID: LocalCluster,
			Says: []string{"ManagedClusters", "not allowed"}},

		"turn on": {Objects: []string{off}, ID: LocalCluster, Change: step.Configured,
			Writes: []string{"patch " + engines + " multiclusterengine"},
			Sends:  []string{`{"enabled":true,"name":"local-cluster"}`}},
		"turn on in the hub": {Objects: []string{off, hub("disableHubSelfManagement: true", "Running")}, ID: LocalCluster,
			Change: step.Configured, Writes: []string{"patch " + hubs + " ocm/acm"},
			Sends: []string{`{"spec":{"disableHubSelfManagement":false}}`}},
		"turn on, hubs not to be read": {Objects: []string{off}, Refused: prereqtest.Forbidden(hubs), ID: LocalCluster,
			Fails: "Forbidden"},
		"create by hand": {Objects: []string{old}, Kinds: registered, ID: LocalCluster, Change: step.Created,
			Writes: []string{"create " + clusters},
			Sends:  []string{`"hubAcceptsClient":true`, `"local-cluster":"true"`, `"leaseDurationSeconds":60`}},
		"2.2 knows the component": {Objects: []string{engine("2.2.0", "Available", "hypershift-preview")}, ID: LocalCluster,
			Change: step.Configured, Writes: []string{"patch " + engines + " multiclusterengine"},
			Sends: []string{`{"enabled":true,"name":"local-cluster"}`}},
		"apply: no engine":     {ID: LocalCluster, Fails: "there is no MultiClusterEngine"},
		"apply: no permission": {Refused: prereqtest.Forbidden(engines), ID: LocalCluster, Fails: "Forbidden"},
	})
}

// extended is a ClusterExtension of OLM v1 with one condition.
func extended(name, condition, status, reason string) string {
	return fmt.Sprintf(`
---
{apiVersion: olm.operatorframework.io/v1, kind: ClusterExtension, metadata: {name: multiclusterengine},
  spec: {namespace: multicluster-engine, source: {sourceType: Catalog, catalog: {packageName: %s, channels: [stable-5.0]}}},
  status: {install: {bundle: {name: engine.v5.0.1, version: 5.0.1}},
  conditions: [{type: %s, status: "%s", reason: %s, message: words}]}}
`, name, condition, status, reason)
}
