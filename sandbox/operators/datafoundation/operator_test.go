package datafoundation

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func foundationOf(t *testing.T, openShift string, sc *unstructured.Unstructured) *dataFoundation {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	ceph := framework.Unstructured(cephClusterKind)
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(sc).WithStatusSubresource(sc, ceph).Build()
	return &dataFoundation{framework.NewRun(nil, operator.Env{Client: c, Live: c,
		Profile: profile.Profile{OpenShift: openShift}})}
}

func storageClusterObject() *unstructured.Unstructured {
	sc := framework.Unstructured(storageClusterKind)
	sc.SetNamespace(storageNamespace)
	sc.SetName("ocs-storagecluster")
	return sc
}

// A failed reconciliation changes ReconcileComplete alone (ocs-operator 4.12 to 4.21).
func TestFailLeavesTheOtherConditions(t *testing.T) {
	sc := storageClusterObject()
	f := foundationOf(t, "4.20.1", sc)
	ctx := context.Background()
	if err := f.updateStatus(ctx, sc, "Ready", complete, "ReconcileCompleted", "done"); err != nil {
		t.Fatal(err)
	}
	if err := f.fail(ctx, sc, "Not enough nodes found: Expected 3, found 2"); err != nil {
		t.Fatal(err)
	}
	got := storageClusterObject()
	if err := f.Client.Get(ctx, client.ObjectKeyFromObject(sc), got); err != nil {
		t.Fatal(err)
	}
	statuses := map[string]string{}
	conditions, _, _ := unstructured.NestedSlice(got.Object, "status", "conditions")
	for _, c := range conditions {
		m, _ := c.(map[string]any)
		kind, _ := m["type"].(string)
		statuses[kind], _ = m["status"].(string)
	}
	for kind, want := range map[string]string{"ReconcileComplete": "False", "Available": "True", "Degraded": "False",
		"Progressing": "False", "Upgradeable": "True"} {
		if statuses[kind] != want {
			t.Errorf("%s %s, want %s", kind, statuses[kind], want)
		}
	}
	if phase := framework.Text(got, "status", "phase"); phase != "Error" {
		t.Errorf("phase %s", phase)
	}
}

func TestWhichVersionsMarkTheClassForVirtualMachines(t *testing.T) {
	asked := storageClusterObject()
	asked.Object["spec"] = map[string]any{"managedResources": map[string]any{
		"cephBlockPools": map[string]any{"defaultVirtualizationStorageClass": true}}}
	for _, c := range []struct {
		openShift string
		sc        *unstructured.Unstructured
		want      bool
	}{
		{"4.14.2", storageClusterObject(), true}, {"4.18.9", storageClusterObject(), true},
		{"4.19.1", storageClusterObject(), false}, {"4.19.1", asked, true},
	} {
		if got := foundationOf(t, c.openShift, c.sc).makesVirtualDefault(c.sc); got != c.want {
			t.Errorf("%s: %t, want %t", c.openShift, got, c.want)
		}
	}
}

// The health that a test wrote stays.
func TestCephIsReportedHealthyOnce(t *testing.T) {
	sc := storageClusterObject()
	f := foundationOf(t, "4.20.1", sc)
	ctx := context.Background()
	health := func() string {
		if err := errors.Join(f.cephCreated(ctx, sc), f.ceph(ctx, sc)); err != nil {
			t.Fatal(err)
		}
		got := cephCluster(sc)
		if err := f.Client.Get(ctx, client.ObjectKeyFromObject(got), got); err != nil {
			t.Fatal(err)
		}
		return framework.Text(got, "status", "ceph", "health")
	}
	if got := health(); got != "HEALTH_OK" {
		t.Errorf("health %q", got)
	}
	ceph := cephCluster(sc)
	if err := f.Client.Get(ctx, client.ObjectKeyFromObject(ceph), ceph); err != nil {
		t.Fatal(err)
	}
	framework.Set(ceph, "HEALTH_ERR", "status", "ceph", "health")
	if err := f.Client.Status().Update(ctx, ceph); err != nil {
		t.Fatal(err)
	}
	if got := health(); got != "HEALTH_ERR" {
		t.Errorf("the health that was written is %q afterwards", got)
	}
}
