package kube_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// planWritesNothing is a part of TestAgainstAnAPIServer: everything a planning client can do, and that nothing of it is
// done.
func planWritesNothing(t *testing.T, c *kube.Client) {
	ctx := t.Context()
	for _, name := range []string{"plan-changed", "plan-patched", "plan-deleted"} {
		if err := c.Create(ctx, configMap(name, "old")); err != nil {
			t.Fatal(err)
		}
	}
	p, plan := c.Planning(nil)

	if change, err := p.Apply(ctx, typedConfigMap("plan-new", "new")); err != nil || change != step.Created {
		t.Errorf("apply of a new one: %s, %v", change, err)
	}
	if change, err := p.Apply(ctx, typedConfigMap("plan-new", "new")); err != nil || change != step.Unchanged {
		t.Errorf("apply of the same once more: %s, %v", change, err)
	}
	if change, err := p.CreateOnce(ctx, configMap("plan-new", "other")); err != nil || change != step.Unchanged {
		t.Errorf("create of a planned one: %s, %v", change, err)
	}
	if change, err := p.CreateOnce(ctx, configMap("plan-once", "new")); err != nil || change != step.Created {
		t.Errorf("create of a new one: %s, %v", change, err)
	}
	if err := p.Create(ctx, configMap("plan-tried", "new"), client.DryRunAll); err != nil {
		t.Errorf("a dry run of its own, which is no part of the plan: %v", err)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"data":{"key":"patched"}}`))
	if err := p.Patch(ctx, configMap("plan-patched", ""), patch); err != nil {
		t.Error(err)
	}
	if err := p.Patch(ctx, configMap("plan-nobody", ""), patch); !apierrors.IsNotFound(err) {
		t.Errorf("patch of nothing: %v", err)
	}
	if err := p.Delete(ctx, configMap("plan-deleted", "")); err != nil {
		t.Error(err)
	}

	want := map[string]string{"plan-changed": "old", "plan-patched": "patched", "plan-new": "new", "plan-once": "new"}
	if diff := cmp.Diff(want, planMaps(ctx, t, p)); diff != "" {
		t.Errorf("what the planning client sees (-want +got):\n%s", diff)
	}
	want = map[string]string{"plan-changed": "old", "plan-patched": "old", "plan-deleted": "old"}
	if diff := cmp.Diff(want, planMaps(ctx, t, c)); diff != "" {
		t.Errorf("what is really there (-want +got):\n%s", diff)
	}
	var got []string
	for _, w := range plan.Take() {
		got = append(got, string(w.Verb)+" "+kube.Name(w.Object())+" "+w.Unvalidated)
	}
	told := []string{"create default/plan-new ", "create default/plan-once ", "change default/plan-patched ",
		"delete default/plan-deleted "}
	if diff := cmp.Diff(told, got); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if len(plan.Take()) != 0 {
		t.Error("a write is told twice")
	}
}

// planWithoutGround is a part of TestAgainstAnAPIServer: what the API server cannot validate yet, and what it refuses.
func planWithoutGround(t *testing.T, c *kube.Client) {
	ctx := t.Context()
	p, plan := c.Planning(func(_ context.Context, written *unstructured.Unstructured) []*unstructured.Unstructured {
		if written.GetKind() != "Namespace" {
			return nil
		}
		u := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"key": "foreseen"}}}
		u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
		u.SetNamespace(written.GetName())
		u.SetName("plan-foreseen")
		return []*unstructured.Unstructured{u}
	})
	if _, err := p.CreateOnce(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "plan-ns"}}); err != nil {
		t.Fatal(err)
	}
	foreseen := &corev1.ConfigMap{}
	if err := p.Get(ctx, client.ObjectKey{Namespace: "plan-ns", Name: "plan-foreseen"}, foreseen); err != nil ||
		foreseen.Data["key"] != "foreseen" {
		t.Errorf("what is foreseen: %v, %v", foreseen.Data, err)
	}
	within := configMap("plan-within", "x")
	within.Namespace = "plan-ns"
	if _, err := p.CreateOnce(ctx, within); err != nil {
		t.Error(err)
	}
	laid := &corev1.ConfigMap{}
	if err := p.Get(ctx, client.ObjectKeyFromObject(within), laid); err != nil || !kube.WrittenBy(laid, kube.FieldOwner) {
		t.Errorf("what could not be validated is not known as hcctl's: %v, %v", laid.ManagedFields, err)
	}
	unknown := kube.MultiClusterEngine.New()
	unknown.SetName("plan-engine")
	if _, err := p.Apply(ctx, unknown); err != nil {
		t.Error(err)
	}
	engines := kube.MultiClusterEngine.NewList()
	if err := p.List(ctx, engines); err != nil || len(engines.Items) != 1 {
		t.Errorf("%d objects of a kind that is not registered, %v", len(engines.Items), err)
	}
	if _, err := p.CreateOnce(ctx, configMap("Not A Name", "x")); !apierrors.IsInvalid(err) {
		t.Errorf("an invalid object: %v", err)
	}
	var why []string
	for _, w := range plan.Take() {
		why = append(why, w.Object().GetKind()+": "+w.Unvalidated)
	}
	want := []string{"Namespace: ", "ConfigMap: its namespace does not exist yet",
		"MultiClusterEngine: its CRD is not registered yet: an operator brings it"}
	if diff := cmp.Diff(want, why); diff != "" {
		t.Errorf("not validated (-want +got):\n%s", diff)
	}
}

func typedConfigMap(name, value string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"key": value}}}
	u.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	u.SetNamespace("default")
	u.SetName(name)
	return u
}

// planMaps are the data of the ConfigMaps whose names begin with plan-.
func planMaps(ctx context.Context, t *testing.T, c *kube.Client) map[string]string {
	t.Helper()
	var l corev1.ConfigMapList
	if err := c.List(ctx, &l, client.InNamespace("default")); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range l.Items {
		if strings.HasPrefix(m.Name, "plan-") {
			out[m.Name] = m.Data["key"]
		}
	}
	return out
}
