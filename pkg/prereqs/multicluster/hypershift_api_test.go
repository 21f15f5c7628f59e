package multicluster

import (
	"fmt"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestAddon(t *testing.T) {
	limits := `
---
{apiVersion: addon.open-cluster-management.io/v1alpha1, kind: AddOnDeploymentConfig,
  metadata: {name: hypershift-addon-deploy-config, namespace: mce}, spec: {customizedVariables: [
    {name: hcMaxNumber, value: "80"}, {name: hcThresholdNumber, value: "60"}]}}
`
	registered := []kube.Kind{managedAddOns()}
	newest := engine("2.10.0", "Available", allOn)
	run(t, map[string]prereqtest.Case{
		"no local cluster": {ID: HypershiftAddon, State: step.StateMissing,
			Says: []string{"there is no local cluster to install it on"}},
		"available": {Objects: []string{local(), addon("False")}, ID: HypershiftAddon, State: step.StateOK,
			Says: []string{"ManagedClusterAddOn local-cluster/hypershift-addon", "Available, not degraded"}},
		"with limits": {Objects: []string{local(), addon("False"), newest, limits}, ID: HypershiftAddon,
			State: step.StateOK, Says: []string{"full at 80 hosted clusters, and warns from 60"}},
		"limits are not set": {Objects: []string{local(), addon("False"), newest}, ID: HypershiftAddon,
			State: step.StateOK, Says: []string{"Available, not degraded"}},
		"degraded": {Objects: []string{local(), addon("True")}, ID: HypershiftAddon, State: step.StatePending,
			Says: []string{"not all replicas of HyperShift's operator are available"}, Trouble: true},
		"degraded, for a pod is stuck": {Objects: []string{local(), addon("True"), operator(0),
			stuckPod("hypershift", "operator")}, ID: HypershiftAddon, State: step.StatePending, Trouble: true,
			Says: []string{"Pod hypershift/operator-5f7-x: container c: ImagePullBackOff", "; so ManagedClusterAddOn local-cluster/",
				"not all replicas", "oc describe pod"}},
		"degraded, for the operator is at 0": {Objects: []string{local(), addon("True"), workload("hypershift", "operator", 0)},
			ID: HypershiftAddon, State: step.StateBroken, Says: []string{"Deployment hypershift/operator: it is scaled to 0; so ",
				"oc scale deployment/operator -n hypershift --replicas=2"}},
		"being deleted": {Objects: []string{local(), `
{apiVersion: addon.open-cluster-management.io/v1alpha1, kind: ManagedClusterAddOn, metadata: {name: hypershift-addon,
  namespace: local-cluster, deletionTimestamp: "2026-01-01T00:00:00Z"}}
`}, ID: HypershiftAddon, State: step.StatePending, Says: []string{"it is being deleted"}},
		"the engine creates it": {Objects: []string{local(), newest}, Kinds: registered, ID: HypershiftAddon,
			State: step.StatePending, Says: []string{"multicluster engine has not created it yet"}},
		"the engine does not, with its component off": {Objects: []string{local(),
			engine("2.10.0", "Available", "-hypershift local-cluster")}, Kinds: registered, ID: HypershiftAddon,
			State: step.StatePending, Says: []string{"does not create it: component hypershift is off"}},
		"the first engine that does": {Objects: []string{local(), engine("2.2.0", "Available", "hypershift-preview")},
			Kinds: registered, ID: HypershiftAddon, State: step.StatePending,
			Says: []string{"multicluster engine has not created it yet"}},
		"an old engine does not": {Objects: []string{local(), engine("2.1.0", "Available", "hypershift-preview")},
			Kinds: registered, ID: HypershiftAddon, State: step.StateMissing,
			Says: []string{"it is not installed on cluster local-cluster"}},
		"without an engine": {Objects: []string{local()}, Kinds: registered, ID: HypershiftAddon,
			State: step.StateMissing, Says: []string{"it is not installed on cluster local-cluster"}},
		"no permission for clusters": {Refused: prereqtest.Forbidden(clusters), ID: HypershiftAddon,
			Says: []string{"ManagedClusters", "not allowed"}},
		"no permission": {Objects: []string{local()}, Refused: prereqtest.Forbidden(addons), ID: HypershiftAddon,
			Says: []string{"ManagedClusterAddOn local-cluster/hypershift-addon", "not allowed"}},
		"no permission for engines": {Objects: []string{local()}, Kinds: registered, Refused: prereqtest.Forbidden(engines),
			ID: HypershiftAddon, Says: []string{"MultiClusterEngines", "not allowed"}},

		"create": {Objects: []string{local()}, Kinds: registered, ID: HypershiftAddon, Change: step.Created,
			Writes: []string{"create " + addons + " local-cluster/"},
			Sends:  []string{`"installNamespace":"open-cluster-management-agent-addon"`}},
		"create: no local cluster": {ID: HypershiftAddon, Fails: "there is no local cluster"},
		"create: no permission":    {Refused: prereqtest.Forbidden(clusters), ID: HypershiftAddon, Fails: "Forbidden"},
	})
}

// slice is the EndpointSlice of HyperShift's webhook, with one pod.
func slice(ready bool) string {
	return fmt.Sprintf(`
---
{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: operator-x, namespace: hypershift, labels: {
  kubernetes.io/service-name: operator}}, addressType: IPv4, endpoints: [{addresses: [10.128.0.7], conditions: {ready: %t}}]}
`, ready)
}

func TestHypershiftOperator(t *testing.T) {
	served := []kube.Kind{kube.HostedCluster, kube.NodePool}
	run(t, map[string]prereqtest.Case{
		"none": {ID: HypershiftOperator, State: step.StateMissing, Says: []string{"the operator is not deployed"}},
		"runs": {Objects: []string{operator(2)}, Kinds: served, ID: HypershiftOperator, State: step.StateOK,
			Says: []string{"2 of 2 pods are ready"}},
		"its webhook is served": {Objects: []string{operator(2), slice(true)}, Kinds: served, ID: HypershiftOperator,
			State: step.StateOK},
		"its webhook is not served": {Objects: []string{operator(2), slice(false)}, Kinds: served, ID: HypershiftOperator,
			State: step.StatePending, Says: []string{"Service hypershift/operator", "none of its 1 endpoint is ready",
				"oc rollout restart deployment/operator -n hypershift"}, Trouble: true},
		"before a create its write tells": {Objects: []string{operator(2), slice(false)}, Kinds: served,
			ID: HypershiftOperator, Wanted: &prereq.Wanted{}, State: step.StateOK},
		"no permission for endpoints": {Objects: []string{operator(2)}, Kinds: served, ID: HypershiftOperator,
			Refused: prereqtest.Forbidden("endpointslices.discovery.k8s.io"), Says: []string{"EndpointSlices", "not allowed"}},
		"half of it runs": {Objects: []string{operator(1)}, Kinds: served, ID: HypershiftOperator,
			State: step.StatePending, Says: []string{"1 of 2 pods are ready"}, Trouble: true},
		"a pod is stuck": {Objects: []string{operator(1), stuckPod("hypershift", "operator")}, Kinds: served,
			ID: HypershiftOperator, State: step.StatePending,
			Says: []string{"Pod hypershift/operator-5f7-x", "ImagePullBackOff"}},
		"scaled to 0": {Objects: []string{`
{apiVersion: apps/v1, kind: Deployment, metadata: {name: operator, namespace: hypershift}, spec: {replicas: 0}}
`, stuckPod("hypershift", "operator")}, ID: HypershiftOperator, State: step.StateBroken, Says: []string{"scaled to 0"}},
		"old pods": {Objects: []string{`
{apiVersion: apps/v1, kind: Deployment, metadata: {name: operator, namespace: hypershift, generation: 1}, spec: {replicas: 2},
  status: ` + healthtest.RolledOut(2, 1, 2) + "}\n"}, ID: HypershiftOperator, State: step.StatePending,
			Says: []string{"1 of 2 pods are updated"}},
		"not served": {Objects: []string{operator(2)}, Kinds: []kube.Kind{kube.NodePool}, ID: HypershiftOperator,
			State: step.StatePending, Says: []string{"HostedClusters and NodePools are not served yet"}},
		"for a hosted cluster, HostedClusters are known to be served": {Objects: []string{operator(2)},
			Kinds: []kube.Kind{kube.NodePool}, ID: HypershiftOperator, Wanted: &prereq.Wanted{}, State: step.StateOK},
		"no permission": {Refused: prereqtest.Forbidden(deployments), ID: HypershiftOperator,
			Says: []string{"Deployment hypershift/operator", "not allowed"}},
		"no permission for NodePools": {Objects: []string{operator(2)},
			Refused: prereqtest.Forbidden("nodepools.hypershift.openshift.io"), ID: HypershiftOperator,
			Says: []string{"not allowed"}},
	})
}

func TestHostedVersions(t *testing.T) {
	versions := `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: supported-versions, namespace: hypershift},
  data: {supported-versions: '{"versions":["4.20","4.19"]}'}}
`
	run(t, map[string]prereqtest.Case{
		"told": {Objects: []string{versions}, ID: HypershiftVersions, State: step.StateOK,
			Says: []string{"ConfigMap hypershift/supported-versions", "hosted clusters can be 4.20, 4.19"}},
		"not told yet": {Objects: []string{operator(2)}, ID: HypershiftVersions, State: step.StatePending,
			Says: []string{"has not written yet"}},
		"no operator": {ID: HypershiftVersions, State: step.StateSkipped, Says: []string{"is not there"}},
		"no permission": {Refused: prereqtest.Forbidden("configmaps"), ID: HypershiftVersions,
			Says: []string{"ConfigMap hypershift/supported-versions", "not allowed"}},
		"no permission for the operator": {Refused: prereqtest.Forbidden(deployments), ID: HypershiftVersions,
			Says: []string{"Deployment hypershift/operator", "not allowed"}},
	})
}
