package clusterapi

import (
	"context"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

var kinds = []string{"Cluster", "MachineDeployment", "MachineSet", "Machine", "KubevirtCluster", "KubevirtMachine",
	"KubevirtMachineTemplate"}

// newWriter returns a Writer on a client in memory, which counts the writes.
func newWriter(t *testing.T) (w *Writer, writes *int) {
	t.Helper()
	scheme, mapper := runtime.NewScheme(), meta.NewDefaultRESTMapper(nil)
	var status []client.Object
	for _, kind := range kinds {
		scheme.AddKnownTypeWithName(GVK(kind), &unstructured.Unstructured{})
		scheme.AddKnownTypeWithName(GVK(kind+"List"), &unstructured.UnstructuredList{})
		mapper.Add(GVK(kind), meta.RESTScopeNamespace)
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(GVK(kind))
		status = append(status, o)
	}
	n := 0
	c := fake.NewClientBuilder().WithScheme(scheme).WithRESTMapper(mapper).WithStatusSubresource(status...).
		WithTypeConverters(managedfields.NewDeducedTypeConverter()).
		WithInterceptorFuncs(interceptor.Funcs{
			Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch,
				opts ...client.PatchOption) error {
				n++
				return c.Patch(ctx, o, p, opts...)
			},
		}).Build()
	return &Writer{Live: c, Cached: c}, &n
}

func get(t *testing.T, w *Writer, kind, name string) *unstructured.Unstructured {
	t.Helper()
	o := bare(kind, "clusters-a", name)
	if err := w.Live.Get(t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
		t.Fatalf("%s %s: %v", kind, name, err)
	}
	return o
}

var testPool = Pool{Namespace: "clusters-a", InfraID: "a-x1", ClusterName: "a",
	NodePool: types.NamespacedName{Namespace: "clusters", Name: "np"}, Template: "np-0badc0de", Hash: "x7k2p",
	UserData: "user-data-np-e750cc34", Version: "4.20.3", Replicas: 2, Available: 2, Max: "0", Min: "0", Taints: "null"}

func TestPoolOfACluster(t *testing.T) {
	w, writes := newWriter(t)
	hosted := types.NamespacedName{Namespace: "clusters", Name: "a"}
	ensure := func() {
		t.Helper()
		cluster, err := w.EnsureCluster(t.Context(), "clusters-a", "a-x1", hosted)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.EnsurePool(t.Context(), cluster, testPool); err != nil {
			t.Fatal(err)
		}
		if err := w.EnsureMachine(t.Context(), testPool, "np-x7k2p-b4c5d"); err != nil {
			t.Fatal(err)
		}
	}
	ensure()
	for _, tc := range []struct{ kind, name, finalizer, owner string }{
		{"Cluster", "a-x1", "cluster.cluster.x-k8s.io", ""},
		{"KubevirtCluster", "a-x1", "", "a-x1"},
		{"MachineDeployment", "np", "cluster.x-k8s.io/machinedeployment", "a-x1"},
		{"MachineSet", "np-x7k2p", "cluster.x-k8s.io/machineset", "np"},
		{"KubevirtMachineTemplate", "np-0badc0de", "", "a-x1"},
		{"Machine", "np-x7k2p-b4c5d", "machine.cluster.x-k8s.io", "np-x7k2p"},
		{"KubevirtMachine", "np-x7k2p-b4c5d", "kubevirtmachine.infrastructure.cluster.x-k8s.io", "np-x7k2p-b4c5d"},
	} {
		o := get(t, w, tc.kind, tc.name)
		if finalizers := o.GetFinalizers(); tc.finalizer != "" && !slices.Equal(finalizers, []string{tc.finalizer}) {
			t.Errorf("%s has finalizers %v", tc.kind, finalizers)
		}
		owner := ""
		for _, ref := range o.GetOwnerReferences() {
			owner = ref.Name
		}
		if owner != tc.owner {
			t.Errorf("%s %s is owned by %q, want %q", tc.kind, tc.name, owner, tc.owner)
		}
	}
	before := *writes
	ensure()
	if *writes != before {
		t.Errorf("%d writes of what is there already", *writes-before)
	}
}

func TestDeletionOfAMachineAndACluster(t *testing.T) {
	w, _ := newWriter(t)
	hosted := types.NamespacedName{Namespace: "clusters", Name: "a"}
	cluster, err := w.EnsureCluster(t.Context(), "clusters-a", "a-x1", hosted)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.EnsurePool(t.Context(), cluster, testPool); err != nil {
		t.Fatal(err)
	}
	if err := w.EnsureMachine(t.Context(), testPool, "m"); err != nil {
		t.Fatal(err)
	}
	if err := w.RemoveMachine(t.Context(), "clusters-a", "m"); err != nil {
		t.Fatal(err)
	}
	m := get(t, w, "Machine", "m")
	phase, _, err := unstructured.NestedString(m.Object, "status", "phase")
	if m.GetDeletionTimestamp() == nil || err != nil || phase != "Deleting" {
		t.Errorf("the Machine is not being deleted: %s, %v", phase, err)
	}
	if err := w.ReleaseMachine(t.Context(), "clusters-a", "m"); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"Machine", "KubevirtMachine"} {
		o := bare(kind, "clusters-a", "m")
		if err := w.Live.Get(t.Context(), client.ObjectKeyFromObject(o), o); !apierrors.IsNotFound(err) {
			t.Errorf("%s is still there: %v", kind, err)
		}
	}
	if err := w.RemovePool(t.Context(), "clusters-a", testPool.NodePool); err != nil {
		t.Fatal(err)
	}
	for kind, name := range map[string]string{"MachineDeployment": "np", "MachineSet": "np-x7k2p",
		"KubevirtMachineTemplate": "np-0badc0de"} {
		o := bare(kind, "clusters-a", name)
		if err := w.Live.Get(t.Context(), client.ObjectKeyFromObject(o), o); !apierrors.IsNotFound(err) {
			t.Errorf("%s is still there: %v", kind, err)
		}
	}
	for i, want := range []bool{false, false, true} {
		if gone, err := w.RemoveCluster(t.Context(), "clusters-a", "a-x1"); err != nil || gone != want {
			t.Errorf("look %d at the Cluster: gone %v, %v", i+1, gone, err)
		}
	}
}

func TestVersionsOfKinds(t *testing.T) {
	for kind, want := range map[string]string{
		"Machine": "cluster.x-k8s.io/v1beta1", "MachineList": "cluster.x-k8s.io/v1beta1",
		"KubevirtMachineTemplateList": "infrastructure.cluster.x-k8s.io/v1alpha1",
	} {
		if got := GVK(kind).GroupVersion().String(); got != want {
			t.Errorf("%s is in %s, want %s", kind, got, want)
		}
	}
}

func TestMachineStatus(t *testing.T) {
	w, _ := newWriter(t)
	for _, tc := range []struct {
		machine             Machine
		phase, ready, nodes string
	}{
		{Machine{Name: "m", Reason: "VMNotReady", Message: "VM is not ready: Starting"}, "Provisioning", "VMNotReady",
			"WaitingForNodeRef"},
		{Machine{Name: "m", Ready: true}, "Provisioned", "", "NodeProvisioning"},
	} {
		o := newObject("Machine", "clusters-a", "m", "", nil, nil, fields{})
		if err := w.Live.Create(t.Context(), o); client.IgnoreAlreadyExists(err) != nil {
			t.Fatal(err)
		}
		k := newObject("KubevirtMachine", "clusters-a", "m", "", nil, nil, fields{})
		if err := w.Live.Create(t.Context(), k); client.IgnoreAlreadyExists(err) != nil {
			t.Fatal(err)
		}
		if err := w.ReportMachine(t.Context(), "clusters-a", tc.machine); err != nil {
			t.Fatal(err)
		}
		got := get(t, w, "Machine", "m")
		phase, _, err := unstructured.NestedString(got.Object, "status", "phase")
		if err != nil || phase != tc.phase {
			t.Errorf("phase %s, %v, want %s", phase, err, tc.phase)
		}
		conditions, _, err := unstructured.NestedSlice(got.Object, "status", "conditions")
		if err != nil {
			t.Fatal(err)
		}
		reasons := map[string]string{}
		for _, c := range conditions {
			m, _ := c.(map[string]any)
			kind, _ := m["type"].(string)
			reasons[kind], _ = m["reason"].(string)
		}
		if reasons["Ready"] != tc.ready || reasons["NodeHealthy"] != tc.nodes {
			t.Errorf("%+v: %v", tc.machine, reasons)
		}
	}
}

func TestPausedPool(t *testing.T) {
	w, writes := newWriter(t)
	if err := w.PausePool(t.Context(), testPool); err != nil {
		t.Errorf("a pool without objects cannot be paused: %v", err)
	}
	w.ForgetNamespace(testPool.Namespace)
	ensure := func() {
		t.Helper()
		hosted := types.NamespacedName{Namespace: "clusters", Name: "a"}
		cluster, err := w.EnsureCluster(t.Context(), "clusters-a", "a-x1", hosted)
		if err == nil {
			err = w.EnsurePool(t.Context(), cluster, testPool)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	paused := func() string { return get(t, w, "MachineDeployment", "np").GetAnnotations()["cluster.x-k8s.io/paused"] }
	ensure()
	for range 2 {
		if err := w.PausePool(t.Context(), testPool); err != nil {
			t.Fatal(err)
		}
		before := *writes
		if err := w.PausePool(t.Context(), testPool); err != nil || *writes != before || paused() != "true" {
			t.Errorf("paused twice: %d more writes, the annotation is %q, %v", *writes-before, paused(), err)
		}
		ensure()
		if paused() != "" {
			t.Error("still paused")
		}
		ensure()
	}
}
