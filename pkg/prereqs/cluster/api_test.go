package cluster

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func run(t *testing.T, cases map[string]prereqtest.Case) {
	t.Helper()
	prereqtest.Run(t, Prerequisites(Options{}), cases)
}

const (
	infrastructures = "infrastructures.config.openshift.io"
	networks        = "networks.config.openshift.io"
	engines         = "multiclusterengines.multicluster.openshift.io"
)

// worker is a ready one with a number of cores and pods.
func worker(name string, cores, pods int) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {node-role.kubernetes.io/worker: ""}},
  status: {nodeInfo: {architecture: amd64}, conditions: [{type: Ready, status: "True"}],
    capacity: {pods: "%[3]d"}, allocatable: {cpu: "%[2]d", memory: 256Gi, pods: "%[3]d"}}}
`, name, cores, pods)
}

// zoned is a worker in a zone.
func zoned(name, zone string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {node-role.kubernetes.io/worker: "",
  topology.kubernetes.io/zone: %s}}, status: {conditions: [{type: Ready, status: "True"}]}}
`, name, zone)
}

// zLinux is a worker with processors of s390x.
const zLinux = `
---
{apiVersion: v1, kind: Node, metadata: {name: z1, labels: {node-role.kubernetes.io/worker: ""}},
  status: {nodeInfo: {architecture: s390x}, conditions: [{type: Ready, status: "True"}]}}
`

// engineOf is a MultiClusterEngine of a version.
func engineOf(version string) string {
	return fmt.Sprintf(`
---
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: mce},
  status: {currentVersion: %s}}
`, version)
}

func threeWorkers(cores, pods int) string {
	return worker("w1", cores, pods) + worker("w2", cores, pods) + worker("w3", cores, pods)
}

// infrastructure has a platform and a topology of its control plane.
func infrastructure(platform, topology string) string {
	return fmt.Sprintf(`
---
{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: cluster},
  status: {controlPlaneTopology: %s, platformStatus: {type: %s}}}
`, topology, platform)
}

const network = `
---
{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster},
  status: {networkType: OVNKubernetes, clusterNetworkMTU: 8900, clusterNetwork: [{cidr: 10.128.0.0/14}],
    serviceNetwork: [172.30.0.0/16]}}
`

func TestTheClusterItself(t *testing.T) {
	const version = "clusterversions.config.openshift.io"
	run(t, map[string]prereqtest.Case{
		"version": {Objects: []string{prereqtest.ClusterVersion("4.20.3")}, ID: prereq.ClusterVersion, State: step.StateOK,
			Says: []string{"ClusterVersion version", "OpenShift 4.20.3"}},
		"an old version": {Objects: []string{prereqtest.ClusterVersion("4.11.9")}, ID: prereq.ClusterVersion,
			State: step.StateBroken, Says: []string{"4.12 is the first that can"}},
		"no OpenShift": {ID: prereq.ClusterVersion, State: step.StateBroken, Says: []string{"it is not OpenShift"}},
		"version not to be read": {Refused: prereqtest.Forbidden(version), ID: prereq.ClusterVersion,
			Says: []string{"ClusterVersion version", "not allowed"}},
		"server fails": {Refused: map[string]int{version: 500}, ID: prereq.ClusterVersion, Says: []string{"ClusterVersion"}},

		"a cluster of its own": {Objects: []string{infrastructure("BareMetal", "HighlyAvailable")},
			ID: prereq.ClusterPlatform, State: step.StateOK, Says: []string{"a control plane of its own"}},
		"a hosted cluster": {Objects: []string{infrastructure("KubeVirt", "External")}, ID: prereq.ClusterPlatform,
			State: step.StateBroken, Says: []string{"this is a hosted cluster"}},
		"platform not to be read": {Refused: prereqtest.Forbidden(infrastructures), ID: prereq.ClusterPlatform,
			Says: []string{"Infrastructure cluster", "not allowed"}},
		"topology": {Objects: []string{infrastructure("BareMetal", "HighlyAvailable")}, ID: prereq.ClusterTopology,
			State: step.StateOK, Says: []string{"control plane HighlyAvailable"}},
		"a single node": {Objects: []string{infrastructure("None", "SingleReplica")}, ID: prereq.ClusterTopology,
			State: step.StateBroken, Says: []string{"single-node OpenShift is unsupported"}},
		"topology not to be read": {Refused: prereqtest.Forbidden(infrastructures), ID: prereq.ClusterTopology,
			Says: []string{"Infrastructure cluster", "not allowed"}},
		"bare metal": {Objects: []string{infrastructure("BareMetal", "HighlyAvailable")}, ID: BareMetal,
			State: step.StateOK, Says: []string{"platform BareMetal"}},
		"another platform": {Objects: []string{infrastructure("VSphere", "HighlyAvailable")}, ID: BareMetal,
			State: step.StateMissing, Says: []string{"platform VSphere"}},
		"bare metal not to be read": {Refused: prereqtest.Forbidden(infrastructures), ID: BareMetal,
			Says: []string{"Infrastructure cluster", "not allowed"}},
	})
}

func TestPermissions(t *testing.T) {
	wanted := []kube.Access{kube.AccessTo("get create", "secrets"), kube.AccessTo("list", "nodes")}
	of := Prerequisites(Options{Access: wanted})
	for name, tc := range map[string]struct {
		denied  []string
		refused int
		want    step.State
		says    string
	}{
		"all": {nil, 0, step.StateOK, "all that bootstrap needs"},
		"not all": {[]string{"create secrets", "list nodes"}, 0, step.StateMissing,
			"you may not create secrets; list nodes"},
		"no word":  {nil, 403, step.StateUnknown, "not allowed"},
		"not that": {[]string{"delete secrets"}, 0, step.StateOK, "all that bootstrap needs"},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t)
			for _, permission := range tc.denied {
				api.Deny(permission)
			}
			if tc.refused != 0 {
				api.Refuse("selfsubjectaccessreviews", tc.refused)
			}
			prereqtest.Expect(t, prereqtest.Check(t, api.Client, of, prereq.ClusterPermissions), tc.want, tc.says)
		})
	}
}

// operatorStatus is a ClusterOperator.
func operatorStatus(name, available, degraded string) string {
	return fmt.Sprintf(`
---
{apiVersion: config.openshift.io/v1, kind: ClusterOperator, metadata: {name: %s}, status: {conditions: [
  {type: Available, status: %q, reason: R, message: words}, {type: Degraded, status: %q, reason: R, message: sick}]}}
`, name, available, degraded)
}

func TestOperatorsAndPools(t *testing.T) {
	const operators, pools = "clusteroperators.config.openshift.io",
		"machineconfigpools.machineconfiguration.openshift.io"
	pool := func(updated string) string {
		return fmt.Sprintf(`
---
{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfigPool, metadata: {name: worker},
  status: {machineCount: 3, updatedMachineCount: 1, conditions: [{type: Updated, status: %q}]}}
`, updated)
	}
	run(t, map[string]prereqtest.Case{
		"well": {Objects: []string{operatorStatus("dns", "True", "False")}, ID: Operators, State: step.StateOK,
			Says: []string{"the 1 that hosted clusters depend on are available"}},
		"not available": {Objects: []string{operatorStatus("dns", "False", "False")}, ID: Operators,
			State: step.StatePending, Says: []string{"ClusterOperator dns", "Available False (R): words"}},
		"operators not to be read": {Refused: prereqtest.Forbidden(operators), ID: Operators,
			Says: []string{"ClusterOperators", "not allowed"}},
		"updated": {Objects: []string{pool("True")}, ID: ConfigPools, State: step.StateOK},
		"updating": {Objects: []string{pool("False")}, ID: ConfigPools, State: step.StatePending,
			Says: []string{"its nodes are being updated: 1 of 3 are"}},
		"no such kind": {Refused: map[string]int{pools: 404}, ID: ConfigPools, State: step.StateOK,
			Says: []string{"the cluster has no MachineConfigPools"}},
		"pools not to be read": {Refused: prereqtest.Forbidden(pools), ID: ConfigPools,
			Says: []string{"MachineConfigPools", "not allowed"}},
	})
}

func TestUnwell(t *testing.T) {
	api := prereqtest.Serve(t, operatorStatus("dns", "True", "False"), operatorStatus("etcd", "False", "True"),
		operatorStatus("ingress", "True", "True"))
	got, err := Unwell(t.Context(), api.Client)
	if err != nil || len(got) != 2 || got["etcd"] != "Degraded True (R): sick" ||
		got["ingress"] != "Degraded True (R): sick" {
		t.Errorf("got %v, %v", got, err)
	}
	const resource = "clusteroperators.config.openshift.io"
	api.Refuse(resource, 404)
	if got, err := Unwell(t.Context(), api.Client); got != nil || err != nil {
		t.Errorf("without the kind: %v, %v", got, err)
	}
	api.Refuse(resource, 403)
	if _, err := Unwell(t.Context(), api.Client); err == nil {
		t.Error("an error was lost")
	}
}

func TestNodes(t *testing.T) {
	cases := map[string]prereqtest.Case{
		"workers": {Objects: []string{threeWorkers(16, 250)}, ID: Nodes, State: step.StateOK,
			Says: []string{"3 workers are ready"}},
		"too few": {Objects: []string{worker("w1", 16, 250)}, ID: Nodes, State: step.StateMissing,
			Says: []string{"1 worker can be scheduled on, 3 are needed"}},
		"architecture": {Objects: []string{threeWorkers(16, 250)}, ID: Architecture, State: step.StateOK,
			Says: []string{"all 3 workers are amd64"}},
		"s390x, before the engine": {Objects: []string{zLinux}, ID: Architecture, State: step.StateOK,
			Says: []string{"the one worker is s390x"}},
		"s390x with 2.11": {Objects: []string{zLinux, engineOf("2.11.0")}, ID: Architecture, State: step.StateOK,
			Says: []string{"the one worker is s390x"}},
		"s390x with 2.10": {Objects: []string{zLinux, engineOf("2.10.3")}, ID: Architecture, State: step.StateBroken,
			Says: []string{"1 s390x; hosted clusters run there from multicluster engine 2.11", "and this is 2.10.3"}},
		"s390x beside amd64": {Objects: []string{zLinux, worker("w1", 16, 250), engineOf("2.10.3")}, ID: Architecture,
			State: step.StateOK, Says: []string{"1 are amd64, and 1 s390x"}},
		"s390x, engines not to be read": {Objects: []string{zLinux}, ID: Architecture,
			Refused: prereqtest.Forbidden("multiclusterengines.multicluster.openshift.io"),
			Says:    []string{"MultiClusterEngines", "not allowed"}},
		"no zones": {Objects: []string{threeWorkers(16, 250)}, ID: Zones, State: step.StateOK,
			Says: []string{"no worker has a zone"}},
		"two zones": {Objects: []string{zoned("w1", "a"), zoned("w2", "b"), zoned("w3", "b")}, ID: Zones,
			State: step.StateMissing, Says: []string{"in 2 zones (a, b)", "releases up to 4.17", "would stay Pending",
				"4.18 or later", "oc label node NAME topology.kubernetes.io/zone-"}},
		"one zone": {Objects: []string{zoned("w1", "a"), zoned("w2", "a"), zoned("w3", "a")}, ID: Zones,
			State: step.StateMissing, Says: []string{"all in one zone (a)"}},
		"two zones, for a cluster of 4.17": {Objects: []string{zoned("w1", "a"), zoned("w2", "b")}, ID: Zones,
			Wanted: &prereq.Wanted{HighlyAvailable: true, ZoneBound: true}, State: step.StateMissing},
		"three zones": {Objects: []string{zoned("w1", "a"), zoned("w2", "b"), zoned("w3", "c")}, ID: Zones,
			State: step.StateOK, Says: []string{"in 3 zones: a, b, c"}},
		"two zones and one without": {Objects: []string{zoned("w1", "a"), zoned("w2", "b"), worker("w3", 16, 250)},
			ID: Zones, State: step.StateOK, Says: []string{"some workers are in zones (a, b), and 1 in none"}},
		"a third zone that takes no pods": {Objects: []string{zoned("w1", "a"), zoned("w2", "b"), `
{apiVersion: v1, kind: Node, metadata: {name: w3, labels: {node-role.kubernetes.io/worker: "",
  topology.kubernetes.io/zone: c}}, spec: {unschedulable: true}}
`}, ID: Zones, State: step.StateMissing, Says: []string{"in 2 zones (a, b)"}},
		"usual pods": {Objects: []string{threeWorkers(16, 250)}, ID: MaxPods, State: step.StateOK,
			Says: []string{"each worker takes 250 or more, about 3 highly available control planes of 75 pods"}},
		"few pods": {Objects: []string{worker("w1", 16, 500), worker("w2", 16, 249), worker("w3", 16, 250)}, ID: MaxPods,
			State: step.StateMissing, Says: []string{"Node w2", "it takes 249 pods", "room for 3"}},
		"many pods": {Objects: []string{threeWorkers(16, 500)}, ID: MaxPods, State: step.StateOK,
			Says: []string{"each worker takes 500 or more, about 6"}},
		"pods not told": {ID: MaxPods, State: step.StatePending, Says: []string{"no worker reports"}},
	}
	for _, id := range []step.ID{Nodes, Architecture, Zones, MaxPods, Capacity} {
		cases["no permission for "+string(id)] = prereqtest.Case{Refused: prereqtest.Forbidden("nodes"), ID: id,
			Says: []string{"Nodes", "not allowed"}}
	}
	run(t, cases)
}

func TestCapacity(t *testing.T) {
	const gib = 1 << 30
	pod := func(name, node, phase string) string {
		return fmt.Sprintf(`
---
{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: ns}, spec: {nodeName: %q, containers: [
  {name: c, resources: {requests: {cpu: "16"}}}]}, status: {phase: %s}}
`, name, node, phase)
	}
	engine := `
---
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: mce}, spec: {targetNamespace: mce}}
`
	bound := func(name string) string {
		return fmt.Sprintf(`
---
{apiVersion: addon.open-cluster-management.io/v1alpha1, kind: AddOnDeploymentConfig,
  metadata: {name: hypershift-addon-deploy-config, namespace: mce}, spec: {customizedVariables: [
    {name: hcThresholdNumber, value: "60"}, {name: hcMaxNumber, value: words}, {name: %s, value: "1"}]}}
`, name)
	}
	hosted := `
---
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: a, namespace: clusters}}
`
	wanted := &prereq.Wanted{Workers: 2, Cores: 8, Memory: 16 * gib}
	large := &prereq.Wanted{HighlyAvailable: true, Workers: 2, Cores: 8, Memory: 16 * gib}
	run(t, map[string]prereqtest.Case{
		"room": {Objects: []string{threeWorkers(64, 500)}, ID: Capacity, State: step.StateOK,
			Says: []string{"on 3 workers, by requests: CPU 192.0 free of 192.0"}},
		"used": {Objects: []string{threeWorkers(64, 500), pod("a", "w1", "Running"), pod("b", "w1", "Succeeded"),
			pod("c", "w2", "Failed"), pod("d", "", "Pending")}, ID: Capacity, State: step.StateOK,
			Says: []string{"CPU 176.0 free of 192.0", "not counting 1 pod without a node"}},
		"no ready worker": {ID: Capacity, State: step.StateMissing, Says: []string{"no ready worker takes pods"}},
		"clusters are there": {Objects: []string{threeWorkers(64, 500), hosted}, ID: Capacity, State: step.StateOK,
			Says: []string{"hosted clusters: 1, and the hypershift addon counts 80 as full"}},
		"full by the addon": {Objects: []string{threeWorkers(64, 500), hosted, engine, bound("hcMaxNumber")}, ID: Capacity,
			State: step.StateMissing, Says: []string{"the hypershift addon counts 1 as full", "raise hcMaxNumber"}},
		"another bound": {Objects: []string{threeWorkers(64, 500), hosted, engine, bound("other")}, ID: Capacity,
			State: step.StateOK, Says: []string{"counts 80 as full"}},
		"no bound": {Objects: []string{threeWorkers(64, 500), hosted, engine}, ID: Capacity, State: step.StateOK,
			Says: []string{"counts 80 as full"}},
		"for a hosted cluster": {Objects: []string{threeWorkers(64, 500)}, Wanted: wanted, ID: Capacity, State: step.StateOK,
			Says: []string{"it requests", "(control plane and 2 workers)", "free on 3 workers, by requests: CPU 192.0"}},
		"no room for a hosted cluster": {Objects: []string{worker("w1", 64, 500)}, Wanted: large, ID: Capacity,
			State: step.StateMissing, Says: []string{"no room: it requests", "on each of 3 nodes"}},
		"full for a hosted cluster": {Objects: []string{threeWorkers(64, 500), hosted, engine, bound("hcMaxNumber")},
			Wanted: wanted, ID: Capacity, State: step.StateMissing,
			Says: []string{"AddOnDeploymentConfig hypershift-addon-deploy-config", "counts 1 as full"}},
		"no permission for pods": {Objects: []string{threeWorkers(64, 500)}, Refused: prereqtest.Forbidden("pods"),
			ID:   Capacity,
			Says: []string{"Pods", "not allowed"}},
		"no permission for HostedClusters": {Objects: []string{threeWorkers(64, 500)},
			Refused: prereqtest.Forbidden("hostedclusters.hypershift.openshift.io"), ID: Capacity,
			Says: []string{"HostedClusters", "not allowed"}},
		"no permission for engines": {Objects: []string{threeWorkers(64, 500)}, Refused: prereqtest.Forbidden(engines),
			ID:   Capacity,
			Says: []string{"AddOnDeploymentConfig", "not allowed"}},
		"no permission for the bound": {Objects: []string{threeWorkers(64, 500), engine}, ID: Capacity,
			Refused: prereqtest.Forbidden("addondeploymentconfigs.addon.open-cluster-management.io"),
			Says:    []string{"AddOnDeploymentConfig", "not allowed"}},
	})
}

func TestNetworks(t *testing.T) {
	pool := func(texts string) string {
		return fmt.Sprintf(`
---
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: p, namespace: ns}, spec: {addresses: [%s]}}
`, texts)
	}
	own := func(cidr string) *prereq.Wanted {
		return &prereq.Wanted{Networks: []prereq.WantedNetwork{{Name: "--cluster-cidr", CIDR: netip.MustParsePrefix(cidr)}}}
	}
	joined := func(ipv4 string) string {
		return `
---
{apiVersion: operator.openshift.io/v1, kind: Network, metadata: {name: cluster},
  spec: {defaultNetwork: {ovnKubernetesConfig: {ipv4: ` + ipv4 + `}}}}
`
	}
	const pools = "ipaddresspools.metallb.io"
	run(t, map[string]prereqtest.Case{
		"OVN": {Objects: []string{network}, ID: Network, State: step.StateOK,
			Says: []string{"Network cluster", "OVNKubernetes"}},
		"network not to be read": {Refused: prereqtest.Forbidden(networks), ID: Network,
			Says: []string{"Network cluster", "not allowed"}},
		"MTU": {Objects: []string{network}, ID: MTU, State: step.StateOK, Says: []string{"MTU 8900, guests get 8800"}},
		"MTU not to be read": {Refused: prereqtest.Forbidden(networks), ID: MTU,
			Says: []string{"Network cluster", "not allowed"}},
		"usual networks are free": {Objects: []string{network}, ID: GuestNetworks, State: step.StateOK,
			Says: []string{"10.132.0.0/14"}},
		"networks not to be read": {Refused: prereqtest.Forbidden(networks), ID: GuestNetworks,
			Says: []string{"not allowed"}},
		"pools not to be read": {Objects: []string{network}, Refused: prereqtest.Forbidden(pools), ID: GuestNetworks,
			Says: []string{"IPAddressPools", "not allowed"}},
		"the load balancer's": {Objects: []string{network, pool("192.0.2.0/28, 10.133.0.0/28")}, ID: GuestNetworks,
			State: step.StateMissing,
			Says:  []string{"IPAddressPool ns/p", "the load balancer's addresses (10.133.0.0/28)"}},
		"a hosted cluster's": {Objects: []string{network}, Wanted: own("10.140.0.0/16"), ID: GuestNetworks,
			State: step.StateOK, Says: []string{"--cluster-cidr (10.140.0.0/16): not in use"}},
		"a hosted cluster's, the join subnet": {Objects: []string{network, joined("{internalJoinSubnet: 10.140.0.0/16}")},
			Wanted: own("10.140.0.0/16"), ID: GuestNetworks, State: step.StateMissing,
			Says: []string{"OVN-Kubernetes' join subnet (10.140.0.0/16)"}},
		"a join subnet of a wrong type": {Objects: []string{network, joined("10.140.0.0/16")}, ID: GuestNetworks,
			Wanted: own("10.150.0.0/16"), State: step.StateUnknown},
		"a hosted cluster's, used": {Objects: []string{network}, Wanted: own("10.128.0.0/16"), ID: GuestNetworks,
			State: step.StateMissing,
			Says:  []string{"--cluster-cidr (10.128.0.0/16) shares addresses with the management cluster's pods"}},
	})
}

// secretOf is the cluster's pull secret with credentials for registries.
func secretOf(registries ...string) string {
	data := base64.StdEncoding.EncodeToString(dockerConfig(registries...))
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Secret, metadata: {name: pull-secret, namespace: openshift-config},
  type: kubernetes.io/dockerconfigjson, data: {.dockerconfigjson: %s}}
`, data)
}

// catalogsOff is a cluster without the default catalogs, and mirrored one with a mirror of what releases are made of.
const (
	catalogsOff = `
---
{apiVersion: config.openshift.io/v1, kind: OperatorHub, metadata: {name: cluster}, spec: {disableAllDefaultSources: true}}
`
	mirrored = `
---
{apiVersion: config.openshift.io/v1, kind: ImageDigestMirrorSet, metadata: {name: releases}, spec: {imageDigestMirrors: [
  {source: quay.io/openshift-release-dev, mirrors: [mirror.example.com:5000/ocp]},
  {source: registry.redhat.io, mirrors: [mirror.example.com:5000/redhat]}]}}
`
)

func TestPullSecret(t *testing.T) {
	all := []string{"quay.io", "registry.redhat.io", "cloud.openshift.com", "registry.connect.redhat.com"}
	given := func(registries ...string) *prereq.Wanted {
		return &prereq.Wanted{Pulls: []prereq.WantedPull{{Secret: dockerConfig(registries...)}}}
	}
	const hubs = "operatorhubs.config.openshift.io"
	run(t, map[string]prereqtest.Case{
		"whole": {Objects: []string{secretOf(all...)}, ID: PullSecret, State: step.StateOK,
			Says: []string{"Secret openshift-config/pull-secret", "credentials for cloud.openshift.com, quay.io"}},
		"part": {Objects: []string{secretOf("quay.io")}, ID: PullSecret, State: step.StateMissing,
			Says: []string{"no credentials for registry.redhat.io"}},
		"none": {ID: PullSecret, State: step.StateMissing, Says: []string{"there is no pull secret", "--pull-secret FILE"}},
		"no permission": {Refused: prereqtest.Forbidden("secrets"), ID: PullSecret,
			Says: []string{"Secret openshift-config/pull-secret", "not allowed"}},
		"no permission for catalogs": {Objects: []string{secretOf("quay.io")}, Refused: prereqtest.Forbidden(hubs),
			ID: PullSecret, Says: []string{"not allowed"}},
		"whole, so that catalogs are not asked for": {Objects: []string{secretOf(all...)},
			Refused: prereqtest.Forbidden(hubs), ID: PullSecret, State: step.StateOK},
		"a hosted cluster without its own": {Objects: []string{secretOf(all...)}, Wanted: &prereq.Wanted{}, ID: PullSecret,
			State: step.StateOK, Says: []string{"Secret openshift-config/pull-secret"}},
		"a hosted cluster's own": {Wanted: given(all...), ID: PullSecret, State: step.StateOK,
			Says: []string{"--pull-secret", "credentials for cloud.openshift.com"}},
		"a release of another registry": {Objects: []string{secretOf(all...)},
			Wanted: &prereq.Wanted{Pulls: []prereq.WantedPull{{Release: "lab.example:5000/ocp:4.20.1"}}},
			ID:     PullSecret, State: step.StateMissing,
			Says: []string{"no credentials for lab.example:5000", "create cluster --pull-secret FILE",
				"--skip-preflight cluster/pull-secret"}},
		"several, the second lacks its registry": {Objects: []string{secretOf(all...)},
			Wanted: &prereq.Wanted{Pulls: []prereq.WantedPull{{Cluster: "lab/a", Release: "quay.io/ocp/release:4.20.1"},
				{Cluster: "lab/b", Release: "lab.example:5000/ocp:4.20.1"}}},
			ID: PullSecret, State: step.StateMissing,
			Says: []string{"hosted cluster lab/b: no credentials for lab.example:5000"}},
		"several, two lack theirs": {Objects: []string{secretOf(all...)},
			Wanted: &prereq.Wanted{Pulls: []prereq.WantedPull{{Cluster: "lab/a", Release: "lab.example:5000/ocp:4.20.1"},
				{Cluster: "lab/b", Secret: dockerConfig("quay.io")}}},
			ID: PullSecret, State: step.StateMissing,
			Says: []string{"hosted cluster lab/a: no credentials for lab.example:5000",
				"; hosted cluster lab/b: no credentials for registry.redhat.io"}},
		"several, all whole": {Objects: []string{secretOf(all...)},
			Wanted: &prereq.Wanted{Pulls: []prereq.WantedPull{{Cluster: "lab/a"},
				{Cluster: "lab/b", Secret: dockerConfig(all...)}}}, ID: PullSecret, State: step.StateOK,
			Says: []string{"credentials for cloud.openshift.com"}},
		"a hosted cluster's own, part": {Wanted: given("quay.io"), ID: PullSecret, State: step.StateMissing,
			Says: []string{"no credentials for registry.redhat.io"}},
		"a hosted cluster's own, for a mirror without": {Objects: []string{catalogsOff, mirrored},
			Wanted: given("other.example.com"),
			ID:     PullSecret, State: step.StateOK, Says: []string{"none for the mirror mirror.example.com:5000"}},
		"a hosted cluster's own, for a mirror": {Objects: []string{catalogsOff, mirrored},
			Wanted: given("mirror.example.com:5000"), ID: PullSecret, State: step.StateOK,
			Says: []string{"credentials for mirror.example.com:5000"}},
		"a hosted cluster's own, garbled": {
			Wanted: &prereq.Wanted{Pulls: []prereq.WantedPull{{Secret: []byte("{")}}}, ID: PullSecret, State: step.StateBroken, Says: []string{"is not JSON"}},
		"a hosted cluster's own, no permission for catalogs": {Wanted: given(all[1:]...),
			Refused: prereqtest.Forbidden(hubs), ID: PullSecret, Says: []string{"not allowed"}},
	})
}

func TestMirrors(t *testing.T) {
	image := `
---
{apiVersion: config.openshift.io/v1, kind: Image, metadata: {name: cluster}, spec: {additionalTrustedCA: {name: ca}}}
`
	ca := func(key string) string {
		return `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: ca, namespace: openshift-config}, data: {` + key + `: PEM}}
`
	}
	written := func(name, at string) string {
		return `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + name + `, namespace: openshift-config, creationTimestamp: "2025-01-01T00:00:00Z",
  managedFields: [{manager: oc, operation: Update, time: "` + at + `"}]}, data: {mirror.example.com..5000: PEM}}
`
	}
	started := func(at string) string {
		return `
---
{apiVersion: v1, kind: Pod, metadata: {name: operator-5f7-x, namespace: hypershift, labels: {pod-template-hash: 5f7}, ownerReferences: [
  {apiVersion: apps/v1, kind: ReplicaSet, name: operator-5f7, uid: u, controller: true}]}, status: {containerStatuses: [{name: operator,
  state: {running: {startedAt: "` + at + `"}}}]}}
`
	}
	newer := strings.Replace(mirrored, "name: releases", `name: releases, creationTimestamp: "2026-01-02T00:00:00Z"`, 1)
	supported := func(version string) string {
		return `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: supported-versions, namespace: hypershift}, data: {
  supported-versions: '{"versions":["` + version + `","4.14"]}'}}
`
	}
	proxy := `
---
{apiVersion: config.openshift.io/v1, kind: Proxy, metadata: {name: cluster}, status: {httpsProxy: "http://proxy:3128"}}
`
	other := `
---
{apiVersion: config.openshift.io/v1, kind: ImageTagMirrorSet, metadata: {name: other}, spec: {imageTagMirrors: [
  {source: docker.io, mirrors: [mirror.example.com:5000/hub]}]}}
`
	run(t, map[string]prereqtest.Case{
		"none": {ID: Mirrors, State: step.StateOK,
			Says: []string{"the default catalogs are on, and no registry is mirrored"}},
		"none, catalogs off": {Objects: []string{catalogsOff}, ID: Mirrors, State: step.StateMissing,
			Says: []string{"no registry is mirrored", "oc-mirror"}},
		"others, catalogs off": {Objects: []string{catalogsOff, other}, ID: Mirrors, State: step.StateMissing,
			Says: []string{"no mirror set has quay.io/openshift-release-dev/ocp-release"}},
		"trusted already": {Objects: []string{catalogsOff, mirrored}, ID: Mirrors, State: step.StateOK,
			Says: []string{"mirror.example.com:5000 has OpenShift's releases", "spec.additionalTrustedCA is not set"}},
		"behind a proxy": {Objects: []string{catalogsOff, mirrored, proxy}, ID: Mirrors, State: step.StateOK,
			Says: []string{"the cluster uses a proxy"}},
		"its certificate is given": {Objects: []string{catalogsOff, mirrored, image, ca("mirror.example.com..5000")},
			ID: Mirrors, State: step.StateOK, Says: []string{"its certificate is in additionalTrustedCA"}},
		"its certificate is not given": {Objects: []string{catalogsOff, mirrored, image, ca("other")}, ID: Mirrors,
			State: step.StateOK, Says: []string{"ConfigMap ca has no certificate for mirror.example.com:5000"}},
		"certificates that the operator has not read": {Objects: []string{catalogsOff, mirrored, image,
			written("ca", "2026-01-02T00:00:00Z"), started("2026-01-01T00:00:00Z")}, ID: Mirrors, State: step.StateMissing,
			Says: []string{"Deployment hypershift/operator", "started before the certificates of registries were changed",
				"oc rollout restart deployment/operator -n hypershift"}},
		"certificates that it has read": {Objects: []string{catalogsOff, mirrored, image,
			written("ca", "2026-01-02T00:00:00Z"), started("2026-01-03T00:00:00Z")}, ID: Mirrors, State: step.StateOK,
			Says: []string{"its certificate is in additionalTrustedCA"}},
		"mirror sets that an old operator has not read": {Objects: []string{catalogsOff, newer, started("2026-01-01T00:00:00Z"),
			supported("4.15")}, ID: Mirrors, State: step.StateMissing, Says: []string{"before the mirror sets were changed"}},
		"mirror sets that an operator reads again": {Objects: []string{catalogsOff, newer, started("2026-01-01T00:00:00Z"),
			supported("4.16")}, ID: Mirrors, State: step.StateOK, Says: []string{"mirror.example.com:5000 has"}},
		"mirror sets, and nobody says which operator it is": {Objects: []string{catalogsOff, newer,
			started("2026-01-01T00:00:00Z")}, ID: Mirrors, State: step.StateOK, Says: []string{"mirror.example.com:5000 has"}},
		"the certificates are not there": {Objects: []string{catalogsOff, mirrored, image}, ID: Mirrors,
			State: step.StateMissing, Says: []string{"names ConfigMap openshift-config/ca, which does not exist",
				"--from-file=mirror.example.com..5000=CA.crt"}},
		"no permission": {Refused: prereqtest.Forbidden("proxies.config.openshift.io"), ID: Mirrors,
			Says: []string{"not allowed"}},
		"no permission for the image": {Objects: []string{catalogsOff, mirrored},
			Refused: prereqtest.Forbidden("images.config.openshift.io"), ID: Mirrors,
			Says: []string{"Image cluster", "not allowed"}},
		"no permission for the certificates": {Objects: []string{catalogsOff, mirrored, image},
			Refused: prereqtest.Forbidden("configmaps"), ID: Mirrors,
			Says: []string{"ConfigMap openshift-config/ca", "not allowed"}},
	})
}
