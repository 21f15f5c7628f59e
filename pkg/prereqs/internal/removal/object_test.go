package removal

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
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
		"another field": {[]metav1.ManagedFieldsEntry{fields(kube.FieldOwner,
			`{"f:spec":{"f:routeAdmission":{"f:namespaceOwnership":{}}}}`)}, false},
		"its parent": {[]metav1.ManagedFieldsEntry{fields(kube.FieldOwner, `{"f:spec":{"f:routeAdmission":{}}}`)}, false},
		"nobody":     {nil, false},
		"no fields":  {[]metav1.ManagedFieldsEntry{{Manager: kube.FieldOwner}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{}}
			u.SetManagedFields(tc.entries)
			if got := SetByHcctl(u, "f:spec", "f:routeAdmission", "f:wildcardPolicy"); got != tc.want {
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
		map[string]any{"type": "ReconcileComplete", "status": "False", "reason": "ErrVirtUninstall",
			"message": "still there"},
	}}
	holds := func(words string) func(context.Context, kube.Reader, *unstructured.Unstructured) string {
		return func(context.Context, kube.Reader, *unstructured.Unstructured) string { return words }
	}
	for name, tc := range map[string]struct {
		of   Object
		want string
	}{
		"its own words": {Object{Kind: kube.HyperConverged}, ""},
		"nothing more":  {Object{Kind: kube.HyperConverged, Holds: holds("")}, ""},
		"more":          {Object{Kind: kube.HyperConverged, Holds: holds("it waits for x")}, "it waits for x; "},
	} {
		f := tc.of.deletionProgress(t.Context(), prereqtest.Serve(t).Client, u)
		want := "being deleted, Deleting; ReconcileComplete False (ErrVirtUninstall): still there; " + tc.want +
			"finalizers: kubevirt.io/hyperconverged"
		if f.State != step.StatePending || f.Message != want || f.Object != "HyperConverged ns/hc" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
