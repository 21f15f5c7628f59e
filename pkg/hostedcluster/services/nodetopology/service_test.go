package nodetopology

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

func node(name, provider string, labels map[string]string) corev1.Node {
	n := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	n.Spec.ProviderID = provider
	return n
}

func vmi(name, host string) kubevirtv1.VirtualMachineInstance {
	v := kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Name: name}}
	v.Status.NodeName = host
	return v
}

func TestDiffering(t *testing.T) {
	keys := []options.TopologyKey{{Host: corev1.LabelHostname, Guest: "topology.hcctl.dev/host"},
		{Host: "rack", Guest: "topology.hcctl.dev/rack"}}
	hosts := []corev1.Node{
		node("n1", "", map[string]string{corev1.LabelHostname: "n1", "rack": "r1"}),
		node("n2", "", map[string]string{corev1.LabelHostname: "n2"}),
	}
	guests := []corev1.Node{
		node("new", "kubevirt://a", nil),
		node("right", "kubevirt://b", map[string]string{"topology.hcctl.dev/host": "n1", "topology.hcctl.dev/rack": "r1"}),
		node("moved", "kubevirt://c", map[string]string{"topology.hcctl.dev/host": "n1", "topology.hcctl.dev/rack": "r1"}),
		node("no VM", "kubevirt://d", nil),
		node("stopped", "kubevirt://e", nil),
		node("a", "", nil),
		node("other cloud", "aws://a", nil),
	}
	got := map[string]map[string]*string{}
	for _, d := range differing(guests, hosts, []kubevirtv1.VirtualMachineInstance{vmi("a", "n1"), vmi("b", "n1"),
		vmi("c", "n2"), vmi("e", "")}, keys) {
		got[d.node] = d.change
	}
	want := map[string]map[string]*string{
		"new":   {"topology.hcctl.dev/host": ptr.To("n1"), "topology.hcctl.dev/rack": ptr.To("r1")},
		"moved": {"topology.hcctl.dev/host": ptr.To("n2"), "topology.hcctl.dev/rack": nil},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
