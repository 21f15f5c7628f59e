package creation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
)

func TestAdjustment(t *testing.T) {
	all := Adjust{Size: true, NodeLabels: true, Taints: true}
	pool := func(change func(*hyperv1.NodePool)) *hyperv1.NodePool {
		np := &hyperv1.NodePool{Spec: hyperv1.NodePoolSpec{Replicas: ptr.To(int32(2))}}
		if change != nil {
			change(np)
		}
		return np
	}
	taint := hyperv1.Taint{Key: "gpu", Value: "yes", Effect: "NoSchedule"}
	for name, tc := range map[string]struct {
		have, want *hyperv1.NodePool
		what       Adjust
		fields     map[string]any
		told       string
	}{
		"the same": {pool(nil), pool(nil), all, map[string]any{}, ""},
		"more nodes": {pool(nil), pool(func(np *hyperv1.NodePool) { np.Spec.Replicas = ptr.To(int32(5)) }), all,
			map[string]any{"replicas": 5, "autoScaling": nil}, "the number of nodes is 2, asked for 5"},
		"not asked for": {pool(nil), pool(func(np *hyperv1.NodePool) { np.Spec.Replicas = ptr.To(int32(5)) }),
			Adjust{Taints: true}, map[string]any{}, ""},
		"stopped": {pool(func(np *hyperv1.NodePool) {
			np.Spec.Replicas, np.Annotations = ptr.To(int32(0)), map[string]string{hostedcluster.StoppedAnnotation: "2"}
		}), pool(nil), all, map[string]any{}, ""},
		"labels": {pool(func(np *hyperv1.NodePool) { np.Spec.NodeLabels = map[string]string{"a": "1", "b": "2"} }),
			pool(func(np *hyperv1.NodePool) { np.Spec.NodeLabels = map[string]string{"b": "3"} }), all,
			map[string]any{"nodeLabels": map[string]any{"a": nil, "b": "3"}}, "spec.nodeLabels is a=1,b=2, asked for b=3"},
		"the environment's label": {pool(func(np *hyperv1.NodePool) {
			np.Spec.NodeLabels = map[string]string{"env": "dev", "b": "2"}
		}), pool(func(np *hyperv1.NodePool) { np.Spec.NodeLabels = map[string]string{"env": "test"} }),
			Adjust{NodeLabel: "env"}, map[string]any{"nodeLabels": map[string]any{"env": "test"}},
			"spec.nodeLabels.env is dev, asked for test"},
		"it has that label": {pool(func(np *hyperv1.NodePool) {
			np.Spec.NodeLabels = map[string]string{"env": "test", "b": "2"}
		}), pool(func(np *hyperv1.NodePool) { np.Spec.NodeLabels = map[string]string{"env": "test"} }),
			Adjust{NodeLabel: "env"}, map[string]any{}, ""},
		"taints": {pool(nil), pool(func(np *hyperv1.NodePool) { np.Spec.Taints = []hyperv1.Taint{taint} }), all,
			map[string]any{"taints": []hyperv1.Taint{taint}}, "spec.taints is not set, asked for gpu=yes:NoSchedule"},
	} {
		t.Run(name, func(t *testing.T) {
			fields, differences := adjustment(tc.have, tc.want, tc.what)
			if diff := cmp.Diff(tc.fields, fields); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if told := objects.Describe(differences); told != tc.told {
				t.Errorf("told %q, want %q", told, tc.told)
			}
		})
	}
}

// TestApplyKeepsToThePlacesThereAre has a pool grow that may have one VM on each host.
func TestApplyKeepsToThePlacesThereAre(t *testing.T) {
	o := flags(t, "--spread host,max=1 --replicas 2")
	w := world(t)
	node := func(name string) hostedtest.Object {
		return hostedtest.Object{"metadata": hostedtest.Object{"name": name, "labels": hostedtest.Object{
			"kubernetes.io/hostname": name, "kubevirt.io/schedulable": "true"}}}
	}
	w.Set("Node", node("n1"), node("n2"), node("n3"))
	p := prepared(t, w, o)
	have := objects.TypedNodePool(o, o.NodePools[0], p.Inputs)
	want := have.DeepCopy()
	want.Spec.Replicas = ptr.To(int32(3))
	if err := p.checkGrowth(t.Context(), have, want); err != nil {
		t.Error(err)
	}
	want.Spec.Replicas = ptr.To(int32(4))
	err := p.checkGrowth(t.Context(), have, want)
	if err == nil || err.Error() != "NodePool clusters/kv-00: 3 hosts, 4 workers of pool kv-00, at most 1 each: only 3 "+
		"find a place" {
		t.Errorf("%v", err)
	}
	have.Annotations[hostedcluster.StoppedAnnotation] = "2"
	if err := p.checkGrowth(t.Context(), have, want); err != nil {
		t.Errorf("a pool whose workers are stopped does not grow: %v", err)
	}
}
