package loadbalancer

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// nodesOf are nodes n0, n1 and so on with a label "zone" of these values.
func nodesOf(zones ...string) []corev1.Node {
	var out []corev1.Node
	for i, zone := range zones {
		out = append(out, corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i),
			Labels: map[string]string{"zone": zone}}})
	}
	return out
}

// choosing is a MetalLB that is Available, with a spec.
func choosing(spec string) string {
	return fmt.Sprintf(`
---
{apiVersion: metallb.io/v1beta1, kind: MetalLB, metadata: {name: metallb, namespace: metallb-system},
  spec: {%s}, status: {conditions: [{type: Available, status: "True"},
    {type: Progressing, status: "False"}, {type: Degraded, status: "False"}]}}
`, spec) + controller(1) + speaker(2, 2)
}

// zoned are the nodes of nodesOf.
func zoned(zones ...string) string {
	out := ""
	for i, zone := range zones {
		out += fmt.Sprintf("\n---\n{apiVersion: v1, kind: Node, metadata: {name: n%d, labels: {zone: %q}}}\n", i, zone)
	}
	return out
}

// reports is what NMState tells of a node.
func reports(node, names string) string {
	return fmt.Sprintf(`
---
{apiVersion: nmstate.io/v1beta1, kind: NodeNetworkState, metadata: {name: %s},
  status: {currentState: {interfaces: [%s]}}}
`, node, names)
}

const (
	eth0       = "{name: eth0, state: up}"
	theirPool  = "\n---\n{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: theirs, namespace: metallb-system}, spec: {addresses: [192.0.2.0/28]}}\n"
	inZoneA    = `nodeSelector: {zone: a}`
	stateKinds = "nodenetworkstates.nmstate.io"
)

func theirs(spec string) string {
	return fmt.Sprintf(`
---
{apiVersion: metallb.io/v1beta1, kind: L2Advertisement, metadata: {name: theirs, namespace: metallb-system}, spec: {%s}}
`, spec)
}

func TestSpeakersOfMetalLB(t *testing.T) {
	nobody := []string{"spec.nodeSelector (zone=a)", "no speaker runs", "oc label node NODE zone=a",
		`oc patch metallb metallb -n metallb-system --type=json`}
	for id, deployed := range map[step.ID]string{MetalLB: "", Advertisement: theirPool + theirs("")} {
		world := func(objects ...string) []string { return append(objects, deployed) }
		run(t, map[string]prereqtest.Case{
			string(id) + ", everywhere":     {ID: id, Objects: world(choosing(""), zoned("b")), State: step.StateOK},
			string(id) + ", on some":        {ID: id, Objects: world(choosing(inZoneA), zoned("a", "b")), State: step.StateOK},
			string(id) + ", on none":        {ID: id, Objects: world(choosing(inZoneA), zoned("b", "c")), State: step.StateBroken, Says: nobody},
			string(id) + ", nodes unread":   {ID: id, Objects: world(choosing(inZoneA)), State: step.StateUnknown, Refused: prereqtest.Forbidden("nodes")},
			string(id) + ", being deleted":  {ID: MetalLB, Objects: world(deleted(choosing(""))), State: step.StatePending, Trouble: true},
			string(id) + ", nodes not read": {ID: id, Objects: world(choosing("")), State: step.StateOK, Refused: prereqtest.Forbidden("nodes")},
		})
	}
	run(t, map[string]prereqtest.Case{"how many": {ID: MetalLB, Objects: []string{choosing(inZoneA), zoned("a", "b")},
		State: step.StateOK, Says: []string{"1 of 2 nodes"}}})
}

// deleted marks the first object of a YAML document as being deleted.
func deleted(document string) string {
	return prereqtest.Deleted(document)
}

func TestInterfacesOfAdvertisements(t *testing.T) {
	const onEth1 = "interfaces: [eth1]"
	world := func(more ...string) []string { return append([]string{theirPool, choosing("")}, more...) }
	both := reports("n0", eth0) + reports("n1", eth0+", {name: eth1}")
	unknown := []string{"spec.interfaces (eth1) is not known"}
	run(t, map[string]prereqtest.Case{
		"one has it": {ID: Advertisement, Objects: world(theirs(onEth1), zoned("a", "b"), both), State: step.StateOK,
			Says: []string{"selects pool theirs"}},
		"none has it": {ID: Advertisement, Objects: world(theirs(onEth1), zoned("a", "b"), reports("n0", eth0), reports("n1", eth0)),
			State: step.StateBroken, Says: []string{"no node that announces has an interface of its spec.interfaces (eth1)",
				"oc edit l2advertisement theirs -n metallb-system"}},
		"only a node that it does not choose": {ID: Advertisement, Objects: world(
			theirs(onEth1+", nodeSelectors: [{matchLabels: {zone: a}}]"), zoned("a", "b"), both), State: step.StateBroken,
			Says: []string{"no node that announces"}},
		"no NMState": {ID: Advertisement, Objects: world(theirs(onEth1), zoned("a", "b")), State: step.StateOK, Says: unknown},
		"a node is not reported": {ID: Advertisement, Objects: world(theirs(onEth1), zoned("a", "b"), reports("n0", eth0)),
			State: step.StateOK, Says: unknown},
		"a report that is empty yet": {ID: Advertisement, Objects: world(theirs(onEth1), zoned("a"), reports("n0", "")),
			State: step.StateOK, Says: unknown},
		"not to be read": {ID: Advertisement, Objects: world(theirs(onEth1), zoned("a")), State: step.StateOK, Says: unknown,
			Kinds: []kube.Kind{kube.NodeNetworkState}, Refused: prereqtest.Forbidden(stateKinds)},
		"no answer": {ID: Advertisement, Objects: world(theirs(onEth1), zoned("a")), State: step.StateUnknown,
			Kinds: []kube.Kind{kube.NodeNetworkState}, Refused: map[string]int{stateKinds: 500}},
		"another advertisement goes": {ID: Advertisement, Objects: world(theirs(onEth1), announced("L2Advertisement", ""),
			zoned("a"), reports("n0", eth0)), State: step.StateOK, Says: []string{"L2Advertisement metallb-system/hcctl"}},
		"a speaker elsewhere": {ID: Advertisement, Objects: []string{theirPool, choosing(inZoneA), zoned("a", "b"),
			theirs("nodeSelectors: [{matchLabels: {zone: b}}]")}, State: step.StateBroken, Says: []string{"no node that has a speaker"}},
		"being deleted": {ID: Advertisement, Objects: world(deleted(theirs(""))), State: step.StateBroken,
			Says: []string{"it is being deleted"}},
		"a pool being deleted": {ID: Pool, Objects: []string{deleted(theirPool), choosing("")}, State: step.StateMissing,
			Says: []string{"theirs (it is being deleted)"}},
		"hcctl's own, which somebody has changed": {ID: Advertisement, Of: ranges(t, "192.0.2.16/28"), Objects: []string{
			ownPool("192.0.2.16/28"), choosing(""), announced("L2Advertisement", onEth1), zoned("a"), reports("n0", eth0)},
			State: step.StateBroken, Says: []string{"oc edit l2advertisement hcctl"}},
		"hcctl's own is not there yet": {ID: Advertisement, Of: ranges(t, "192.0.2.16/28"), Objects: []string{
			ownPool("192.0.2.16/28"), choosing(""), theirs(onEth1), zoned("a"), reports("n0", eth0)},
			State: step.StateMissing},
	})
}
