package prereqs

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestSetByHcctl(t *testing.T) {
	fields := func(manager, raw string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, FieldsV1: metav1.NewFieldsV1(raw)}
	}
	const policy = `{"f:spec":{"f:routeAdmission":{"f:wildcardPolicy":{}}}}`
	for name, tc := range map[string]struct {
		entries []metav1.ManagedFieldsEntry
		want    bool
	}{
		"hcctl":         {[]metav1.ManagedFieldsEntry{fields("someone", `{}`), fields(kube.FieldOwner, policy)}, true},
		"somebody else": {[]metav1.ManagedFieldsEntry{fields("kubectl-edit", policy)}, false},
		"another field": {[]metav1.ManagedFieldsEntry{fields(kube.FieldOwner, `{"f:spec":{"f:routeAdmission":{"f:namespaceOwnership":{}}}}`)}, false},
		"its parent":    {[]metav1.ManagedFieldsEntry{fields(kube.FieldOwner, `{"f:spec":{"f:routeAdmission":{}}}`)}, false},
		"nobody":        {nil, false},
		"no fields":     {[]metav1.ManagedFieldsEntry{{Manager: kube.FieldOwner}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{}}
			u.SetManagedFields(tc.entries)
			if got := setByHcctl(u, "f:spec", "f:routeAdmission", "f:wildcardPolicy"); got != tc.want {
				t.Errorf("%t, want %t", got, tc.want)
			}
		})
	}
}

func TestResidue(t *testing.T) {
	for name, tc := range map[string]struct {
		o    metav1.PartialObjectMetadata
		want bool
	}{
		"a lock":      {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Lease"}}, true},
		"owned":       {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Name: "x"}}}}, true},
		"OLM's":       {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"olm.managed": "true"}}}, true},
		"a person's":  {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Secret"}}, false},
		"a claim":     {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "PersistentVolumeClaim"}}, false},
		"a workload":  {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Deployment"}}, false},
		"hcctl's own": {metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{kube.ManagedByLabel: "x"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := residue(&tc.o); got != tc.want {
				t.Errorf("%t, want %t", got, tc.want)
			}
		})
	}
}

func TestGoingTellsWhatHoldsItUp(t *testing.T) {
	u := kube.HyperConverged.New()
	u.SetNamespace("ns")
	u.SetName("hc")
	u.SetFinalizers([]string{"kubevirt.io/hyperconverged"})
	u.Object["status"] = map[string]any{"phase": "Deleting", "conditions": []any{
		map[string]any{"type": "ReconcileComplete", "status": "False", "reason": "ErrVirtUninstall", "message": "still there"},
	}}
	f := objectRemoval{kind: kube.HyperConverged}.going(u)
	want := "being deleted, Deleting; ReconcileComplete False (ErrVirtUninstall): still there; finalizers: kubevirt.io/hyperconverged"
	if f.State != step.Pending || f.Message != want || f.Object != "HyperConverged ns/hc" {
		t.Errorf("%+v", f)
	}
}

// A namespace is never said to be settled where what is in it could not be listed.
func TestNamespaceOfUnknownContent(t *testing.T) {
	for name, tc := range map[string]struct {
		code  int
		final bool
	}{
		"not allowed":   {http.StatusForbidden, true},
		"does not work": {http.StatusInternalServerError, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tc.code)
				_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"code":%d,"message":"not today"}`,
					map[int]string{http.StatusForbidden: "Forbidden"}[tc.code], tc.code)
			}))
			defer server.Close()
			c, err := kube.New(&rest.Config{Host: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			f := operatorRemoval{c: c}.checkNamespace(t.Context(), &installation{namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "metallb-system"}}})
			if f.State != step.Unknown || f.Final != tc.final || f.Object != "Namespace metallb-system" || !strings.HasPrefix(f.Message, "what is in it cannot be known, so it stays: ") {
				t.Errorf("%+v", f)
			}
		})
	}
}

// The order is the promise: nothing goes before all that rests on it is gone, and storage only if asked.
func TestRemovalOrder(t *testing.T) {
	c, err := kube.New(&rest.Config{Host: "https://invalid."})
	if err != nil {
		t.Fatal(err)
	}
	for _, storage := range []bool{false, true} {
		graph, err := step.New(Removal(c, RemovalOptions{IncludeStorage: storage})...)
		if err != nil {
			t.Fatal(err)
		}
		has := false
		for _, s := range graph.Steps() {
			has = has || s.Group == "storage"
			if s.Timeout == 0 || s.Title == "" || s.Group == "" || !strings.HasPrefix(string(s.ID), "uninstall/") {
				t.Errorf("%+v", s)
			}
			if s.ID != NoHostedClusters && len(s.Needs) == 0 {
				t.Errorf("%s may begin while there are hosted clusters", s.ID)
			}
		}
		if has != storage {
			t.Errorf("include storage %t: storage is removed: %t", storage, has)
		}
		depth := graph.Depth()
		for _, order := range [][]step.ID{
			{NoHostedClusters, removeAddon, removeLocalCluster, removeEngine, removeEngineOperator},
			{NoHostedClusters, removeAdvertisement, removePool, removeMetalLB, removeMetalLBOperator},
			{NoHostedClusters, removeHyperConverged, removeVirtualizationOperator},
			{NoHostedClusters, removeWildcard},
		} {
			for i, id := range order {
				if depth[id] < i {
					t.Errorf("%s comes at depth %d, want %d", id, depth[id], i)
				}
			}
		}
		if storage && depth[removeLocalOperator] <= depth[removeStorageCluster] {
			t.Error("the Local Storage Operator goes before what stands on its volumes")
		}
	}
}
