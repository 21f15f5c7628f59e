package nodepool_test

import (
	"errors"
	"fmt"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// spreading is the patch of a pool.
func spreading(t *testing.T, pool string, all ...placement.Spread) func(*hyperv1.NodePool) {
	t.Helper()
	patch, err := placement.VMs{InfraID: "kv-00-abcde", Pool: pool, Spread: all}.JSONPatch()
	if err != nil {
		t.Fatal(err)
	}
	return annotated(hyperv1.JSONPatchAnnotation, patch)
}

// onHosts has nodes n1 to nN, and VMs of pools by host.
func (m *management) onHosts(t *testing.T, n int, vms map[string]string) {
	t.Helper()
	nodes := kubetest.New("v1", "Node", "nodes")
	for i := range n {
		name := fmt.Sprintf("n%d", i+1)
		nodes.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, "kubevirt.io/schedulable": "true"}}})
	}
	instances := kubetest.New("kubevirt.io/v1", "VirtualMachineInstance", "virtualmachineinstances")
	for name, host := range vms {
		vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters-kv-00", Name: name,
			Labels: map[string]string{hyperv1.NodePoolNameLabel: name[:1]}}}
		vmi.Status.NodeName = host
		instances.Put(vmi)
	}
	var err error
	if m.client, err = kube.New(kubetest.Together(m.clusters, m.pools, m.vms, m.configs, nodes, instances)); err != nil {
		t.Fatal(err)
	}
}

func TestGrowingKeepsToThePlacesThereAre(t *testing.T) {
	size := func(n int) hostedcluster.Size { return hostedcluster.Size{Min: n, Max: n} }
	oneEach := placement.Spread{Label: corev1.LabelHostname, Required: true, Max: 1}
	even := placement.Spread{Label: corev1.LabelHostname, Required: true}
	for name, tc := range map[string]struct {
		spread placement.Spread
		vms    map[string]string
		to     hostedcluster.Size
		want   string
	}{
		"room for all":      {oneEach, map[string]string{"a-1": "n1", "b-1": "n2"}, size(4), ""},
		"one too many":      {oneEach, map[string]string{"a-1": "n1", "b-1": "n2"}, size(5), "NodePool clusters/a: 5 hosts, 5 workers of pool a, at most 1 each: only 4 find a place"},
		"by its maximum":    {oneEach, nil, hostedcluster.Size{Min: 1, Max: 5, Auto: true}, "5 workers of pool a"},
		"it shrinks":        {oneEach, map[string]string{"a-1": "n1", "a-2": "n1"}, size(1), ""},
		"it was even":       {even, map[string]string{"a-1": "n1", "b-1": "n2"}, size(9), ""},
		"nothing is asked":  {placement.Spread{Label: corev1.LabelHostname}, nil, size(99), ""},
		"two stand on one":  {oneEach, map[string]string{"a-1": "n1", "a-2": "n1"}, size(4), ""},
		"two too many then": {oneEach, map[string]string{"a-1": "n1", "a-2": "n1"}, size(6), "only 5 find a place"},
	} {
		m := manage(t, cluster(), pool("a", size(2), spreading(t, "a", tc.spread)), pool("b", size(1)))
		m.onHosts(t, 5, tc.vms)
		_, err := prepareScale(t, m, tc.to, nodepool.WaitNone)
		if tc.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		refuses(t, name, err, tc.want)
		var none *nodepool.PlacementError
		if !errors.As(err, &none) || none.Failure() != failure.Missing || none.Hint().String() == "" {
			t.Errorf("%s: %#v", name, err)
		}
	}
}

// TestAStartKeepsToThePlacesThereAre counts all pools of a start together.
func TestAStartKeepsToThePlacesThereAre(t *testing.T) {
	oneEach := placement.Spread{Label: corev1.LabelHostname, Required: true, Max: 1}
	stopped := func(size string) func(*hyperv1.NodePool) { return annotated(hostedcluster.StoppedAnnotation, size) }
	for name, tc := range map[string]struct {
		hosts int
		pools []*hyperv1.NodePool
		want  string
	}{
		"room for all": {4, []*hyperv1.NodePool{pool("a", none, stopped("4"), spreading(t, "a", oneEach))}, ""},
		"a host is gone": {3, []*hyperv1.NodePool{pool("a", none, stopped("4"), spreading(t, "a", oneEach))},
			"NodePool clusters/a: 3 hosts, 4 workers of pool a, at most 1 each: only 3 find a place"},
		"the second pool": {5, []*hyperv1.NodePool{pool("a", none, stopped("3"), spreading(t, "a", oneEach)),
			pool("b", none, stopped("6"), spreading(t, "b", oneEach))}, "NodePool clusters/a, b: 5 hosts, 6 workers of pool b"},
		"started already":  {3, []*hyperv1.NodePool{pool("a", three, spreading(t, "a", oneEach))}, ""},
		"nothing is asked": {1, []*hyperv1.NodePool{pool("a", none, stopped("9"))}, ""},
	} {
		m := manage(t, cluster(), tc.pools...)
		m.onHosts(t, tc.hosts, nil)
		_, err := power(t, m, false, nodepool.WaitNone)
		if tc.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		refuses(t, name, err, tc.want)
		if _, err := power(t, m, true, nodepool.WaitNone); err != nil {
			t.Errorf("%s: a stop is refused: %v", name, err)
		}
	}
}

// field is the option of update nodepool of that name.
func field(t *testing.T, name string) []options.Field {
	t.Helper()
	for _, f := range nodepool.UpdateFields() {
		if f.Name == name {
			return []options.Field{f}
		}
	}
	t.Fatalf("%s cannot be updated", name)
	return nil
}

// TestAChangeOfVMsNeedsAPlaceForOneMore has three workers, no two on one host.
func TestAChangeOfVMsNeedsAPlaceForOneMore(t *testing.T) {
	oneEach := placement.Spread{Label: corev1.LabelHostname, Required: true, Max: 1}
	const want = "NodePool clusters/a: its VMs are replaced, one more than it has at a time, and that finds no place: " +
		"3 hosts, 4 workers of pool a, at most 1 each: only 3 find a place"
	memory := func(o *options.NodePool) { o.Memory = "99Gi" }
	for name, tc := range map[string]struct {
		hosts   int
		field   string
		overlay func(*options.NodePool)
		want    string
	}{
		"memory, and a host is free": {4, "memory", memory, ""},
		"memory, and none is":        {3, "memory", memory, want},
		"labels":                     {3, "nodeLabels", func(o *options.NodePool) { o.NodeLabels = map[string]string{"a": "b"} }, ""},
		"a weaker spread":            {3, "spread", func(o *options.NodePool) { o.Spread = []string{"host=preferred"} }, ""},
	} {
		hc := cluster(func(hc *hyperv1.HostedCluster) { hc.Spec.InfraID = "kv-00-abcde" })
		patch, err := placement.VMs{InfraID: "kv-00-abcde", Pool: "a", PoolSpread: []placement.Spread{oneEach}}.JSONPatch()
		if err != nil {
			t.Fatal(err)
		}
		m := manage(t, hc, pool("a", three, annotated(hyperv1.JSONPatchAnnotation, patch)))
		m.onHosts(t, tc.hosts, nil)
		_, err = nodepool.PrepareUpdate(t.Context(), m.client, "clusters", "a", field(t, tc.field), tc.overlay, nil,
			nodepool.WaitNone)
		if tc.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		refuses(t, name, err, tc.want)
	}
}

// TestANewPoolStandsAsTheOthers holds a later pool to what create cluster was asked for all pools.
func TestANewPoolStandsAsTheOthers(t *testing.T) {
	asked := func(spread string) func(*hyperv1.HostedCluster) {
		return func(hc *hyperv1.HostedCluster) {
			metav1.SetMetaDataAnnotation(&hc.ObjectMeta, hostedcluster.SpreadAnnotation, spread)
			hc.Spec.InfraID = "kv-00-abcde"
		}
	}
	o := options.DefaultNodePool()
	o.Name, o.Replicas = "b", 3
	m := manage(t, cluster(asked("host=required,max=1")), pool("a", three))
	m.onHosts(t, 5, map[string]string{"a-1": "n1", "a-2": "n2", "a-3": "n3"})
	prepare := func(o options.NodePool) (*nodepool.Creation, error) {
		valid, err := o.Validate()
		if err != nil {
			t.Fatal(err)
		}
		return nodepool.PrepareCreate(t.Context(), m.client, "clusters", "kv-00", valid, nodepool.WaitNone)
	}
	_, err := prepare(o)
	refuses(t, "three more", err, "5 hosts, 3 workers of pool b, at most 1 each: only 2 find a place")
	o.Replicas = 2
	c, err := prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	w, err := placement.Read(c.Pool.Annotations[hyperv1.JSONPatchAnnotation])
	if err != nil || len(w.Rules) != 1 || w.Rules[0].String() != "host=required,max=1" || w.Rules[0].Pool != "" {
		t.Errorf("%+v, %v", w, err)
	}
	o.Spread = []string{"host,max=2"}
	_, err = prepare(o)
	refuses(t, "said twice", err, "said for all pools of the cluster already")
	m.clusters.Put(cluster(asked("host=;rm")))
	_, err = prepare(o)
	refuses(t, "forged", err, "annotation hcctl.dev/spread")
}

// TestUpdatingKeepsWhatThePatchSaysBeside holds update nodepool --spread to the rest of the patch, and others to the
// spreading.
func TestUpdatingKeepsWhatThePatchSaysBeside(t *testing.T) {
	hc := cluster(func(hc *hyperv1.HostedCluster) { hc.Spec.InfraID = "kv-00-abcde" })
	patch, err := placement.VMs{InfraID: "kv-00-abcde", Pool: "a", PoolSpread: []placement.Spread{{Label: "rack"}},
		Tolerations: []corev1.Toleration{{Key: "dedicated"}}}.JSONPatch()
	if err != nil {
		t.Fatal(err)
	}
	m := manage(t, hc, pool("a", three, annotated(hyperv1.JSONPatchAnnotation, patch)))
	m.onHosts(t, 4, nil)
	update := func(name string, overlay func(*options.NodePool)) placement.Written {
		u, err := nodepool.PrepareUpdate(t.Context(), m.client, "clusters", "a", field(t, name), overlay, nil, nodepool.WaitNone)
		if err != nil || len(u.Changes) != 1 {
			t.Fatalf("%s: %+v, %v", name, u, err)
		}
		text, _ := u.Changes[0].Want.(string)
		w, err := placement.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := update("spread", func(o *options.NodePool) { o.Spread = []string{"host"} })
	if placement.Join(w.PoolSpread) != "host=required" || len(w.Tolerations) != 1 {
		t.Errorf("--spread: %+v", w)
	}
	w = update("vmToleration", func(o *options.NodePool) { o.VMToleration = []string{"operator=Exists"} })
	if placement.Join(w.PoolSpread) != "rack=preferred" || len(w.Tolerations) != 1 || w.Tolerations[0].Key != "" {
		t.Errorf("--vm-toleration: %+v", w)
	}
}
