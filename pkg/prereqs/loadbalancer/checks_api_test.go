package loadbalancer

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestOverlap(t *testing.T) {
	run(t, map[string]prereqtest.Case{
		"nothing to give out": {ID: Overlap, State: step.StateOK, Says: []string{"there are no addresses yet"}},
		"free": {Objects: []string{site}, Of: ranges(t, "192.0.2.32/28"), ID: Overlap, State: step.StateOK,
			Says: []string{"none belongs to a node"}},
		"a pool's are free": {Objects: []string{site, addressPool("p", "192.0.2.32/28", "")}, ID: Overlap,
			State: step.StateOK, Says: []string{"none belongs to a node"}},
		"a node's": {Objects: []string{site}, Of: ranges(t, "192.0.2.16/28"), ID: Overlap, State: step.StateBroken,
			Says: []string{"192.0.2.20, the address of node w1"}},
		"the API's": {Objects: []string{site}, Of: ranges(t, "192.0.2.5-192.0.2.5"), ID: Overlap, State: step.StateBroken,
			Says: []string{"the cluster's API"}},
		"the pods'": {Objects: []string{site, addressPool("p", "10.130.0.0/28", "")}, ID: Overlap,
			State: step.StateBroken, Says: []string{"IPAddressPool metallb-system/p", "addresses of the pod network"}},
		"a part of another pool": {Objects: []string{site, addressPool("p", "192.0.2.32/28", "")},
			Of: ranges(t, "192.0.2.40-192.0.2.60"), ID: Overlap, State: step.StateBroken,
			Says: []string{"IPAddressPool metallb-system/p", "MetalLB refuses addresses that overlap"}},
		"two pools have the same": {Objects: []string{site, addressPool("p", "192.0.2.32/28", ""),
			addressPool("q", "192.0.2.40-192.0.2.60", "")}, ID: Overlap, State: step.StateBroken, Says: []string{
			"IPAddressPool metallb-system/q: its 192.0.2.40-192.0.2.60 shares addresses with 192.0.2.32/28 of IPAddressPool " +
				"metallb-system/p: MetalLB takes no change", "oc edit ipaddresspool q -n metallb-system"}},
		"two pools beside each other": {Objects: []string{site, addressPool("p", "192.0.2.32/28", ""),
			addressPool("q", "192.0.2.48/28", "")}, ID: Overlap, State: step.StateOK},
		"a part of hcctl's own pool": {Objects: []string{site, addressPool("hcctl", "192.0.2.32/28", "")},
			Of: ranges(t, "192.0.2.40-192.0.2.60"), ID: Overlap, State: step.StateBroken,
			Says: []string{"IPAddressPool metallb-system/hcctl", "it has 192.0.2.32/28", "192.0.2.40-192.0.2.60"}},
		"all of hcctl's own pool": {Objects: []string{site, addressPool("hcctl", "192.0.2.32/28", "")},
			Of: ranges(t, "192.0.2.32-192.0.2.60"), ID: Overlap, State: step.StateOK},
		"beside hcctl's own pool": {Objects: []string{site, addressPool("hcctl", "192.0.2.32/28", "")},
			Of: ranges(t, "192.0.2.48-192.0.2.60"), ID: Overlap, State: step.StateOK},
		"a family that Services do not have": {Objects: []string{site}, Of: ranges(t, "2001:db8::/120"), ID: Overlap,
			State: step.StateBroken, Says: []string{"--metallb-range", "2001:db8::/120 is IPv6", "IPv4 only"}},
		"one more family that Services do not have": {Objects: []string{site}, Of: ranges(t, "192.0.2.32/28",
			"2001:db8::/120"), ID: Overlap, State: step.StateBroken, Says: []string{"2001:db8::/120 is IPv6"}},
		"no permission for pools": {Refused: prereqtest.Forbidden(poolsResource), ID: Overlap,
			Says: []string{"IPAddressPools", "not allowed"}},
		"no permission for the infrastructure": {Objects: []string{site}, Of: ranges(t, "192.0.2.32/28"),
			Refused: prereqtest.Forbidden(infrastructure), ID: Overlap, Says: []string{"Infrastructure cluster", "not allowed"}},
		"no permission for nodes": {Objects: []string{site}, Of: ranges(t, "192.0.2.32/28"),
			Refused: prereqtest.Forbidden("nodes"), ID: Overlap, Says: []string{"Nodes", "not allowed"}},
		"no permission for the network": {Objects: []string{site}, Of: ranges(t, "192.0.2.32/28"),
			Refused: prereqtest.Forbidden(networks), ID: Overlap, Says: []string{"Network cluster", "not allowed"}},
		"server fails": {Refused: map[string]int{poolsResource: 500}, ID: Overlap, Says: []string{"IPAddressPools"}},
	})
}

func TestReachableRange(t *testing.T) {
	far := addressPool("far", "198.51.100.0/28", "")
	run(t, map[string]prereqtest.Case{
		"nothing to give out": {ID: Range, State: step.StateOK, Says: []string{"no addresses to check"}},
		"within": {Objects: []string{site}, Of: ranges(t, "192.0.2.32/28"), ID: Range, State: step.StateOK,
			Says: []string{"all are within the nodes' networks (192.0.2.0/24)"}},
		"without": {Objects: []string{site}, Of: ranges(t, "198.51.100.0/28"), ID: Range, State: step.StateMissing,
			Says: []string{"--metallb-range", "198.51.100.0/28 is not within a network of the nodes"}},
		"a pool's without": {Objects: []string{site, far}, ID: Range, State: step.StateMissing,
			Says: []string{"IPAddressPool metallb-system/far", "198.51.100.0/28 is not within"}},
		"a range is judged as the pool's that has it": {Objects: []string{site, far}, Of: ranges(t, "198.51.100.0/28"),
			ID: Range, State: step.StateMissing, Says: []string{"IPAddressPool metallb-system/far"}},
		"routers find it": {Objects: []string{site, far, announced("BGPAdvertisement", "")}, ID: Range,
			State: step.StateOK, Says: []string{"there are no addresses to check"}},
		"routers find another": {Objects: []string{site, far, announced("BGPAdvertisement", "ipAddressPools: [x]")},
			ID: Range, State: step.StateMissing, Says: []string{"is not within"}},
		"loopback": {Objects: []string{site}, Of: ranges(t, "127.0.1.0/28"), ID: Range, State: step.StateMissing,
			Says: []string{"--metallb-range", "holds loopback addresses"}},
		"networks not told": {Objects: []string{`
{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: cluster}}
`}, Of: ranges(t, "192.0.2.32/28"), ID: Range, Says: []string{"not known"}},
		"no permission for pools": {Refused: prereqtest.Forbidden(poolsResource), ID: Range,
			Says: []string{"IPAddressPools", "not allowed"}},
		"no permission for advertisements": {Refused: prereqtest.Forbidden(bgpResource), ID: Range,
			Says: []string{"BGPAdvertisements", "not allowed"}},
		"no permission for the infrastructure": {Of: ranges(t, "192.0.2.32/28"),
			Refused: prereqtest.Forbidden(infrastructure),
			ID:      Range, Says: []string{"Infrastructure cluster", "not allowed"}},
		"no permission for nodes": {Objects: []string{site}, Of: ranges(t, "192.0.2.32/28"),
			Refused: prereqtest.Forbidden("nodes"), ID: Range, Says: []string{"Nodes", "not allowed"}},
	})
}

// silent is a MetalLB of that age without a status.
func silent(age time.Duration) string {
	return fmt.Sprintf(`
---
{apiVersion: metallb.io/v1beta1, kind: MetalLB, metadata: {name: metallb, namespace: metallb-system, creationTimestamp: %q}}
`, time.Now().Add(-age).UTC().Format(time.RFC3339))
}

func TestOperatorAndMetalLB(t *testing.T) {
	const progressing = `
---
{apiVersion: metallb.io/v1beta1, kind: MetalLB, metadata: {name: metallb, namespace: metallb-system}, status: {conditions: [
    {type: Available, status: "False", reason: Available}, {type: Upgradeable, status: "False", reason: Upgradeable},
    {type: Progressing, status: "True", reason: Progressing}, {type: Degraded, status: "False", reason: Degraded}]}}
`
	offered := prereqtest.ClusterVersion("4.20.3") +
		prereqtest.Offered("metallb-operator", "metallb-system", "stable", "metallb-operator.v4.20.1")
	misnamed := `
---
{apiVersion: metallb.io/v1beta1, kind: MetalLB, metadata: {name: mine, namespace: ns}}
`
	run(t, map[string]prereqtest.Case{
		"bare": {Objects: []string{offered}, ID: Operator, State: step.StateMissing,
			Says: []string{"MetalLB Operator is not installed"}},
		"installed": {Objects: []string{operator()}, ID: Operator, State: step.StateOK, Says: []string{"v4.20.1"}},
		"by other means": {Objects: []string{offered, prereqtest.Deployment(operatorName), metal("True")}, ID: Operator,
			State: step.StateOK},
		"by other means, and gone": {Objects: []string{offered, metal("True")}, ID: Operator, State: step.StateMissing,
			Says: []string{"MetalLB metallb-system/metallb is there, and its operator is not"}},
		"no permission": {Refused: prereqtest.Forbidden(subscriptions), ID: Operator,
			Says: []string{"Subscriptions", "not allowed"}},

		"none": {ID: MetalLB, State: step.StateMissing, Says: []string{"MetalLB is not deployed"}},
		"available": {Objects: []string{misnamed, metal("True")}, ID: MetalLB,
			State: step.StateOK, Says: []string{"Available"}},
		"its controller is gone": {Objects: []string{metalAlone("True"), speaker(2, 2)}, ID: MetalLB, State: step.StateMissing,
			Says: []string{"Deployment metallb-system/controller: it does not exist", "operator has not noticed"}},
		"its speakers are gone": {Objects: []string{metalAlone("True"), controller(1)}, ID: MetalLB, State: step.StateMissing,
			Says: []string{"DaemonSet metallb-system/speaker: it does not exist", "oc annotate metallb metallb -n metallb-system"}},
		"its controller does not run": {Objects: []string{metalAlone("True"), controller(0), speaker(2, 2)}, ID: MetalLB,
			State: step.StatePending, Says: []string{"Deployment metallb-system/controller: 0 of 1 pods are ready"}},
		"a speaker does not run, and why": {Objects: []string{metalAlone("True"), controller(1), speaker(2, 1), `
---
{apiVersion: v1, kind: Pod, metadata: {name: speaker-x, namespace: metallb-system, ownerReferences: [
  {apiVersion: apps/v1, kind: DaemonSet, name: speaker, uid: u}]}, status: {containerStatuses: [
  {name: speaker, state: {waiting: {reason: ImagePullBackOff}}}]}}
`}, ID: MetalLB, State: step.StatePending, Trouble: true,
			Says: []string{"Pod metallb-system/speaker-x: container speaker: ImagePullBackOff"}},
		"no node takes a speaker": {Objects: []string{metalAlone("True"), controller(1), speaker(0, 0)}, ID: MetalLB,
			State: step.StatePending, Trouble: true, Says: []string{"no node has a speaker"}},
		"its controller is scaled to 0": {Objects: []string{metalAlone("True"), `
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: controller, namespace: metallb-system, generation: 1},
  spec: {replicas: 0}, status: ` + healthtest.RolledOut(0, 0, 0) + "}\n", speaker(1, 1)}, ID: MetalLB,
			State: step.StateBroken, Says: []string{"it is scaled to 0", "oc scale deployment/controller -n metallb-system"}},
		"its workloads are not to be read": {Objects: []string{metal("True")},
			Refused: prereqtest.Forbidden("deployments.apps"), ID: MetalLB, Says: []string{"controller", "not allowed"}},
		"it progresses, without a word": {Objects: []string{progressing, controller(1), speaker(2, 1), `
---
{apiVersion: v1, kind: Pod, metadata: {name: speaker-x, namespace: metallb-system, ownerReferences: [
    {apiVersion: apps/v1, kind: DaemonSet, name: speaker, uid: u}]}, status: {phase: Pending, conditions: [
    {type: PodScheduled, status: "False", reason: Unschedulable, message: Too many pods}]}}
`}, ID: MetalLB, State: step.StatePending, Trouble: true,
			Says: []string{"Pod metallb-system/speaker-x: Unschedulable: Too many pods; so MetalLB metallb-system/metallb: Progressing True"}},
		"it progresses, before its workloads": {Objects: []string{progressing}, ID: MetalLB, State: step.StatePending,
			Says: []string{"MetalLB metallb-system/metallb: Progressing True (Progressing)"}},
		"no pod of its speakers is created": {Objects: []string{progressing, controller(1), speaker(2, 0),
			prereqtest.Warning("metallb-system", "DaemonSet", "speaker", "FailedCreate", `pods "speaker-" is forbidden: exceeded quota: q`)},
			ID: MetalLB, State: step.StatePending, Trouble: true,
			Says: []string{"DaemonSet metallb-system/speaker: FailedCreate: exceeded quota: q; so MetalLB"}},
		"its operator reports nothing": {Objects: []string{silent(time.Hour)}, ID: MetalLB, State: step.StatePending, Trouble: true,
			Says: []string{"its operator has reported nothing of it",
				"oc logs deployment/metallb-operator-controller-manager -n metallb-system"}},
		"its operator has reported nothing yet": {Objects: []string{silent(10 * time.Second)}, ID: MetalLB, State: step.StatePending,
			Says: []string{"Available not reported yet"}, Recheck: 51 * time.Second},
		"bring it back": {Objects: []string{operator(), metalAlone("True"), speaker(2, 2)}, ID: MetalLB, Change: step.Configured,
			Writes: []string{"patch " + metalLBs + " metallb-system/metallb"}},
		"not yet": {Objects: []string{metal("False")}, ID: MetalLB, State: step.StatePending,
			Says: []string{"Available False"}},
		"misnamed": {Objects: []string{misnamed}, ID: MetalLB, State: step.StateBroken,
			Says: []string{"accepts the name metallb only", "oc delete metallb mine -n ns"}},
		"no permission for MetalLB": {Refused: prereqtest.Forbidden(metalLBs), ID: MetalLB,
			Says: []string{"MetalLB metallb", "not allowed"}},
		"create": {Objects: []string{operator()}, Kinds: []kube.Kind{kube.MetalLB}, ID: MetalLB, Change: step.Created,
			Writes: []string{"patch " + metalLBs + " metallb-system/metallb"}},
		"create: operator not to be read": {Refused: prereqtest.Forbidden(subscriptions), ID: MetalLB, Fails: "Forbidden"},
	})
}

func TestMetalLBWithoutOperator(t *testing.T) {
	offered := prereqtest.ClusterVersion("4.20.3") +
		prereqtest.Offered("metallb-operator", "metallb-system", "stable", "metallb-operator.v4.20.1")
	const elsewhere = `
---
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: mine, namespace: lb},
  spec: {addresses: [192.0.2.128/28]}}
`
	run(t, map[string]prereqtest.Case{
		"no operator beside it": {Objects: []string{offered, upstream(byManifests, 1)}, ID: Operator, State: step.StateOK,
			Says: []string{"Deployment lb/metal-controller", "runs in namespace lb, without its operator"}},
		"none beside one of the chart": {Objects: []string{offered, upstream(byChart, 1)}, ID: Operator,
			State: step.StateOK, Says: []string{"runs in namespace lb, without its operator"}},
		"none beside one that does not run": {Objects: []string{offered, upstream(byManifests, 0)}, ID: Operator,
			State: step.StateOK, Says: []string{"its controller is not ready"}},
		"a webhook's Deployment is no controller": {Objects: []string{offered,
			upstream("app: metallb, component: webhook-server", 1)}, ID: Operator, State: step.StateMissing},
		"Deployments not to be read": {Objects: []string{offered}, Refused: prereqtest.Forbidden("deployments.apps"),
			ID: Operator, Says: []string{"Deployments", "not allowed"}},

		"its operator made it, and is gone": {Objects: []string{offered, metal("True"), `
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: other, namespace: metallb-system, labels: {app: metallb,
  component: controller}, ownerReferences: [{apiVersion: metallb.io/v1beta1, kind: MetalLB, name: metallb, uid: u}]}}
`}, ID: Operator, State: step.StateMissing, Says: []string{"MetalLB Operator is not installed"}},
		"it runs": {Objects: []string{upstream(byManifests, 1)}, ID: MetalLB, State: step.StateOK,
			Says: []string{"Deployment lb/metal-controller", "runs in namespace lb, without its operator"}},
		"it does not run": {Objects: []string{upstream(byChart, 0)}, ID: MetalLB, State: step.StatePending, Trouble: true,
			Says: []string{"its controller is not ready", "oc get pods -n lb"}},

		"its pool": {Objects: []string{upstream(byManifests, 1), elsewhere}, ID: Pool, State: step.StateOK,
			Says: []string{"IPAddressPool lb/mine"}},
		"a pool that it does not read": {Objects: []string{upstream(byManifests, 1), addressPool("p", "192.0.2.32/28", "")},
			ID: Pool, State: step.StateMissing, Says: []string{"there are no addresses for hosted clusters",
				"does not read pools of other namespaces, such as IPAddressPool metallb-system/p"}},
		"a range in a pool that it does not read": {Objects: []string{metal("True"), elsewhere},
			Of: ranges(t, "192.0.2.128/28"), ID: Pool, State: step.StateMissing,
			Says: []string{"no pool has 192.0.2.128/28", "such as IPAddressPool lb/mine"}},
		"free addresses of its pools alone": {Objects: []string{site, metal("True"), elsewhere}, ID: FreeAddresses,
			State: step.StateSkipped, Says: []string{"there is no pool yet"}},
		"MetalLB not to be read": {Objects: []string{elsewhere}, Refused: prereqtest.Forbidden(metalLBs), ID: Pool,
			Says: []string{"IPAddressPools", "not allowed"}},
		"by its operator, Deployments not to be read": {Objects: []string{elsewhere},
			Refused: prereqtest.Forbidden("deployments.apps"), ID: Pool, State: step.StateOK,
			Says: []string{"IPAddressPool lb/mine"}},

		"create a pool where it reads it": {Objects: []string{upstream(byManifests, 1)},
			Kinds: []kube.Kind{kube.IPAddressPool}, Of: ranges(t, "192.0.2.32/28"), ID: Pool, Change: step.Created,
			Writes: []string{"patch " + poolsResource + " lb/hcctl"}},
		"create an advertisement where it reads it": {Objects: []string{upstream(byManifests, 1)},
			Kinds: []kube.Kind{kube.L2Advertisement}, ID: Advertisement, Change: step.Created,
			Writes: []string{"patch " + l2Resource + " lb/hcctl"}},
	})
}

func TestPool(t *testing.T) {
	registered := []kube.Kind{kube.IPAddressPool}
	const patch = "patch " + poolsResource + " metallb-system/hcctl"
	run(t, map[string]prereqtest.Case{
		"none": {ID: Pool, State: step.StateMissing, Says: []string{"there are no addresses for hosted clusters"}},
		"somebody's": {Objects: []string{addressPool("p", "192.0.2.32/28", "")}, ID: Pool, State: step.StateOK,
			Says: []string{"IPAddressPool metallb-system/p", "192.0.2.32/28"}},
		"closed ones": {Objects: []string{addressPool("p", "192.0.2.32/28", "autoAssign: false")}, ID: Pool,
			State: step.StateMissing, Says: []string{"pools that do not serve all: p (spec.autoAssign is false)"}},
		"a range to add": {Of: ranges(t, "192.0.2.32/28"), ID: Pool, State: step.StateMissing,
			Says: []string{"no pool has 192.0.2.32/28"}},
		"no permission": {Refused: prereqtest.Forbidden(poolsResource), ID: Pool,
			Says: []string{"IPAddressPools", "not allowed"}},

		"create": {Objects: []string{operator()}, Kinds: registered, Of: ranges(t, "192.0.2.32/28", "192.0.2.64/28"),
			ID: Pool, Change: step.Created, Writes: []string{patch},
			Sends: []string{`"addresses":["192.0.2.32/28","192.0.2.64/28"]`}},
		"add what is missing": {Objects: []string{operator(), ownPool("192.0.2.32/28, 192.0.2.80/30")},
			Of: ranges(t, "192.0.2.64-192.0.2.95"), ID: Pool, Change: step.Configured, Writes: []string{patch},
			Sends: []string{`"addresses":["192.0.2.32/28","192.0.2.64-192.0.2.95"]`}},
		"pools of others are left out": {Objects: []string{operator(), addressPool("p", "192.0.2.128/28", "")},
			Of: ranges(t, "192.0.2.32/28"), ID: Pool, Change: step.Created, Writes: []string{patch},
			Sends: []string{`"addresses":["192.0.2.32/28"]`}},
		"a pool of that name elsewhere is another": {Objects: []string{operator(), `
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: hcctl, namespace: other},
  spec: {addresses: [192.0.2.128/28]}}
`}, Of: ranges(t, "192.0.2.32/28"), ID: Pool, Change: step.Created, Writes: []string{patch},
			Sends: []string{`"addresses":["192.0.2.32/28"]`}},
		"not to be written": {Objects: []string{operator()}, Kinds: registered, Of: ranges(t, "192.0.2.32/28"),
			Refused: prereqtest.Forbidden("patch " + poolsResource), ID: Pool, Fails: "--metallb-range: IPAddressPool",
			Writes: []string{patch}},
		"operator not to be read": {Of: ranges(t, "192.0.2.32/28"), Refused: prereqtest.Forbidden(subscriptions), ID: Pool,
			Fails: "Forbidden"},
		"pools not to be read": {Objects: []string{operator()}, Of: ranges(t, "192.0.2.32/28"),
			Refused: prereqtest.Forbidden(poolsResource), ID: Pool, Fails: "Forbidden"},
	})
}

func TestOnlyARangeMakesAPool(t *testing.T) {
	for _, given := range [][]string{nil, {"192.0.2.32/28"}} {
		for _, p := range ranges(t, given...) {
			if p.ID == Pool && (p.Apply != nil) != (given != nil) {
				t.Errorf("with ranges %v, Apply is there: %t", given, p.Apply != nil)
			}
		}
	}
}

func TestAdvertisement(t *testing.T) {
	own := ownPool("192.0.2.32/28")
	onRack := func(rack string) string {
		return announced("L2Advertisement", "nodeSelectors: [{matchLabels: {rack: "+rack+"}}]")
	}
	peer := `
---
{apiVersion: metallb.io/v1beta2, kind: BGPPeer, metadata: {name: router, namespace: metallb-system}}
`
	run(t, map[string]prereqtest.Case{
		"no pool": {ID: Advertisement, State: step.StateMissing, Says: []string{"there is no pool to advertise"}},
		"none": {Objects: []string{own}, ID: Advertisement, State: step.StateMissing,
			Says: []string{"L2Advertisement metallb-system/hcctl", "no advertisement selects pool hcctl"}},
		"none for somebody's": {Objects: []string{addressPool("p", "192.0.2.32/28", "")}, ID: Advertisement,
			State: step.StateBroken, Says: []string{"IPAddressPool metallb-system/p", "oc create -f -"}},
		"by L2": {Objects: []string{own, announced("L2Advertisement", "")}, ID: Advertisement, State: step.StateOK,
			Says: []string{"L2Advertisement metallb-system/hcctl", "selects pool hcctl"}},
		"for a hosted cluster": {Objects: []string{own, announced("L2Advertisement", "")}, ID: Advertisement,
			Wanted: &prereq.Wanted{LoadBalancer: true}, State: step.StateOK},
		"by L2 from some nodes": {Objects: []string{site, own, onRack("a")}, ID: Advertisement, State: step.StateOK},
		"by L2 from no node": {Objects: []string{site, own, onRack("b")}, ID: Advertisement, State: step.StateBroken,
			Says: []string{"spec.nodeSelectors match no node"}},
		"by BGP": {Objects: []string{own, announced("BGPAdvertisement", ""), peer}, ID: Advertisement,
			State: step.StateOK, Says: []string{"BGPAdvertisement metallb-system/hcctl"}},
		"by BGP to nobody": {Objects: []string{own, announced("BGPAdvertisement", "")}, ID: Advertisement,
			State: step.StateMissing, Says: []string{"there is no BGPPeer"}},
		"no permission for pools": {Refused: prereqtest.Forbidden(poolsResource), ID: Advertisement,
			Says: []string{"IPAddressPools", "not allowed"}},
		"no permission": {Refused: prereqtest.Forbidden(l2Resource), ID: Advertisement,
			Says: []string{"L2Advertisements", "not allowed"}},
		"no permission for BGP's": {Refused: prereqtest.Forbidden(bgpResource), ID: Advertisement,
			Says: []string{"BGPAdvertisements", "not allowed"}},
		"no permission for nodes": {Objects: []string{own, onRack("a")}, Refused: prereqtest.Forbidden("nodes"),
			ID:   Advertisement,
			Says: []string{"Nodes", "not allowed"}},
		"no permission for peers": {Objects: []string{own, announced("BGPAdvertisement", "")},
			Refused: prereqtest.Forbidden("bgppeers.metallb.io"), ID: Advertisement, Says: []string{"BGPPeers", "not allowed"}},
		"create": {Objects: []string{operator()}, Kinds: []kube.Kind{kube.L2Advertisement}, ID: Advertisement,
			Change: step.Created, Writes: []string{"patch " + l2Resource + " metallb-system/hcctl"},
			Sends: []string{`"ipAddressPools":["hcctl"]`}},
		"create: operator not to be read": {Refused: prereqtest.Forbidden(subscriptions), ID: Advertisement,
			Fails: "Forbidden"},
	})
}

// waiting is a Service of that age without an address.
func waiting(age time.Duration) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Service, metadata: {name: waits, namespace: ns, creationTimestamp: %q}, spec: {type: LoadBalancer}}
`, time.Now().Add(-age).UTC().Format(time.RFC3339))
}

func TestFreeAddresses(t *testing.T) {
	counted := `
---
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: counted, namespace: metallb-system},
  spec: {addresses: [192.0.2.32/28]}, status: {assignedIPv4: 6, availableIPv4: 10}}
`
	refusing := `
---
{apiVersion: metallb.io/v1beta1, kind: ConfigurationState, metadata: {name: controller, namespace: metallb-system},
  status: {result: Invalid, conditions: [{type: poolReconcilerValid, status: "False", reason: ConfigurationError,
    message: "failed to parse configuration: pool \"b\" has overlapping addresses"}]}}
`
	plain := addressPool("p", "192.0.2.32/30", "")
	run(t, map[string]prereqtest.Case{
		"no pool": {ID: FreeAddresses, State: step.StateSkipped, Says: []string{"there is no pool yet"}},
		"a closed pool": {Objects: []string{addressPool("p", "192.0.2.32/28", "autoAssign: false")},
			Of: ranges(t, "192.0.2.32/28"), ID: FreeAddresses, State: step.StateSkipped, Says: []string{"there is no pool yet"}},
		"MetalLB's count": {Objects: []string{site, counted}, Refused: prereqtest.Forbidden("services"), ID: FreeAddresses,
			State: step.StateOK, Says: []string{"10 of 16 addresses are free"}},
		"own count": {Objects: []string{site, plain, service("a", "192.0.2.33"), service("b", "198.51.100.1")},
			ID: FreeAddresses, State: step.StateOK, Says: []string{"3 of 4 addresses are free"}},
		"one waits for an address": {Objects: []string{site, counted, waiting(10 * time.Minute)}, ID: FreeAddresses,
			State: step.StatePending, Trouble: true, Says: []string{"Service ns/waits: it has got no address in 10 minutes",
				"MetalLB says nothing of it, although 10 of 16", "oc logs deployment/controller -n metallb-system"}},
		"MetalLB says why not": {Objects: []string{site, counted, waiting(10 * time.Minute),
			prereqtest.Warning("ns", "Service", "waits", "AllocationFailed", "no such pool")}, ID: FreeAddresses,
			State: step.StateOK},
		"MetalLB does not take its configuration": {Objects: []string{site, counted, waiting(9 * time.Hour), refusing},
			ID: FreeAddresses, State: step.StatePending, Trouble: true, Says: []string{"Service ns/waits: it has got no " +
				"address in 540 minutes: MetalLB's controller does not take its configuration and keeps the one before: failed " +
				"to parse configuration: pool \"b\" has overlapping",
				"oc get configurationstates,ipaddresspools -n metallb-system"}},
		"MetalLB takes its configuration": {Objects: []string{site, counted, waiting(9 * time.Hour),
			strings.Replace(refusing, "Invalid", "Valid", 1)}, ID: FreeAddresses, State: step.StateOK},
		"one is new": {Objects: []string{site, counted, waiting(time.Second)}, ID: FreeAddresses, State: step.StateOK},
		"what MetalLB said is gone": {Objects: []string{site, counted, waiting(9 * time.Hour)}, ID: FreeAddresses,
			State: step.StateOK},
		"one counted, one not": {Objects: []string{site, counted, plain, service("a", "192.0.2.33")}, ID: FreeAddresses,
			State: step.StateOK, Says: []string{"13 of 20 addresses are free", "metallb-system/counted, metallb-system/p"}},
		"few": {Objects: []string{site, plain, service("a", "192.0.2.33"), service("b", "192.0.2.34")},
			ID: FreeAddresses, State: step.StateOK, Says: []string{"only 2 of 4 addresses are free"}},
		"none left": {Objects: []string{site, addressPool("p", "192.0.2.33/32", ""), service("a", "192.0.2.33")},
			ID: FreeAddresses, Wanted: &prereq.Wanted{LoadBalancer: true}, State: step.StateMissing,
			Says: []string{"0 of 1 addresses are free"}},
		"of an IPv6 cluster": {Objects: []string{plain, `
{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster},
  status: {serviceNetwork: [nonsense, "fd02::/112", 172.30.0.0/16]}}
`}, ID: FreeAddresses, State: step.StateMissing, Says: []string{"it has no IPv6 addresses"}},
		"networks not told": {Objects: []string{plain, `
{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster}}
`}, ID: FreeAddresses, State: step.StateOK, Says: []string{"4 of 4 addresses"}},
		"no permission": {Refused: prereqtest.Forbidden(poolsResource), ID: FreeAddresses,
			Says: []string{"IPAddressPools", "not allowed"}},
		"no permission for the network": {Objects: []string{plain}, Refused: prereqtest.Forbidden(networks),
			ID:   FreeAddresses,
			Says: []string{"Network cluster", "not allowed"}},
		"no permission for Services": {Objects: []string{site, plain}, Refused: prereqtest.Forbidden("services"),
			ID:   FreeAddresses,
			Says: []string{"Services", "not allowed"}},
	})
}

func TestCountFreeAddresses(t *testing.T) {
	closed := addressPool("closed", "192.0.2.64/28", "autoAssign: false")
	plain := addressPool("p", "192.0.2.32/30", "")
	counted := `
---
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: counted, namespace: metallb-system},
  spec: {addresses: [192.0.2.32/28]}, status: {assignedIPv4: 6, availableIPv4: 10}}
`
	for name, tc := range map[string]struct {
		objects, refused string
		want             Addresses
		fails            bool
	}{
		"no MetalLB":   {"", "", Addresses{}, false},
		"closed pools": {closed, "", Addresses{}, false},
		"two pools": {site + plain + counted + closed + service("a", "192.0.2.33"), "", Addresses{13, 20},
			false},
		"MetalLB's count":        {site + counted, "services", Addresses{10, 16}, false},
		"pools not to be read":   {"", poolsResource, Addresses{}, true},
		"network not to be read": {plain, networks, Addresses{}, true},
		"Services not":           {site + plain, "services", Addresses{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.objects)
			if tc.refused != "" {
				api.Refuse(tc.refused, 403)
			}
			got, err := CountFreeAddresses(t.Context(), api.Client)
			if got != tc.want || (err != nil) != tc.fails {
				t.Errorf("got %+v, %v, want %+v", got, err, tc.want)
			}
		})
	}
}

func TestOtherLoadBalancers(t *testing.T) {
	existing := with(t, ModeExisting)
	prereqtest.Run(t, existing, map[string]prereqtest.Case{
		"none wanted": {Of: with(t, ModeNone), ID: Service, State: step.StateSkipped,
			Says: []string{"--load-balancer none", "NodePort or Route"}},
		"it gives addresses out": {Objects: []string{service("a", "192.0.2.33")}, ID: Service, State: step.StateOK,
			Says: []string{"Service ns/a", "192.0.2.33"}},
		"nothing to look at": {ID: Service, Says: []string{"not known", "oc create service loadbalancer try"}},
		"no permission": {Refused: prereqtest.Forbidden("services"), ID: Service,
			Says: []string{"Services", "not allowed"}},
	})
}

func TestWhoGuardsTheRanges(t *testing.T) {
	writes := func(context.Context, *kube.Client) (step.Change, error) { return "", nil }
	for name, tc := range map[string]struct {
		o    Options
		want bool
	}{
		"no ranges": {Options{}, false}, "ranges": {Options{MetalLBRanges: []string{"192.0.2.32/28"}}, true},
		"ranges of MetalLB": {Options{Mode: ModeMetalLB, MetalLBRanges: []string{"192.0.2.32/28"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := tc.o.Validate()
			if err != nil {
				t.Fatal(err)
			}
			all := []prereq.Prerequisite{{ID: "a", Apply: writes, Needs: []step.ID{"x"}}, {ID: "b"}}
			GuardRanges(all, o)
			if guarded := len(all[0].Needs) == 2 && all[0].Needs[1] == Overlap; guarded != tc.want || len(all[1].Needs) != 0 {
				t.Errorf("needs %v and %v", all[0].Needs, all[1].Needs)
			}
		})
	}
	if _, err := (Options{Mode: ModeNone, MetalLBRanges: []string{"192.0.2.32/28"}}).Validate(); err == nil {
		t.Error("ranges without MetalLB are taken")
	}
	if _, err := (Options{Mode: "typo"}).Validate(); err == nil {
		t.Error("an unknown mode is taken")
	}
}

func TestRemoval(t *testing.T) {
	own := ownPool("192.0.2.32/28")
	used, other := service("a", "192.0.2.33"), service("b", "192.0.2.99")
	name := `
---
{apiVersion: v1, kind: Service, metadata: {name: c, namespace: ns}, status: {loadBalancer: {ingress: [{hostname: x}]}}}
`
	advertised := announced("L2Advertisement", "")
	run(t, map[string]prereqtest.Case{
		"advertisement": {Objects: []string{own, advertised, other, name}, ID: removeAdvertisement,
			State: step.StateMissing, Says: []string{"created by hcctl"}},
		"advertisement in use": {Objects: []string{own, advertised, used}, ID: removeAdvertisement,
			State: step.StateBroken, Says: []string{"Services use its addresses: ns/a (192.0.2.33)"}},
		"advertisement of another pool in use": {Objects: []string{advertised, addressPool("p", "192.0.2.32/28", ""), used},
			ID: removeAdvertisement, State: step.StateMissing},
		"advertisement of a pool elsewhere": {Objects: []string{advertised, used, `
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: hcctl, namespace: other},
  spec: {addresses: [192.0.2.32/28]}}
`}, ID: removeAdvertisement, State: step.StateMissing},
		"advertisement, no MetalLB any more": {Objects: []string{advertised}, ID: removeAdvertisement,
			State: step.StateMissing},
		"advertisement, pools not to be read": {Objects: []string{advertised}, Refused: prereqtest.Forbidden(poolsResource),
			ID: removeAdvertisement, Says: []string{"IPAddressPools", "not allowed"}},
		"pool": {Objects: []string{own, other}, ID: removePool, State: step.StateMissing},
		"pool in use": {Objects: []string{own, used}, ID: removePool, State: step.StateBroken,
			Says: []string{"ns/a (192.0.2.33)"}},
		"pool, Services not to be read": {Objects: []string{own}, Refused: prereqtest.Forbidden("services"), ID: removePool,
			Says: []string{"Services", "not allowed"}},
		"MetalLB": {Objects: []string{metal("True")}, ID: removeMetalLB, State: step.StateMissing},
		"MetalLB for somebody's pool": {Objects: []string{metal("True"), addressPool("p", "192.0.2.32/28", "")},
			ID: removeMetalLB, State: step.StateOK, Says: []string{"left as it is: IPAddressPool metallb-system/p"}},
		"MetalLB, pools not to be read": {Objects: []string{metal("True")}, Refused: prereqtest.Forbidden(poolsResource),
			ID: removeMetalLB, Says: []string{"IPAddressPools", "not allowed"}},
		"delete": {Objects: []string{own}, ID: removePool, Change: step.Deleted,
			Writes: []string{"delete " + poolsResource + " metallb-system/hcctl"}},
	})
}
