package main_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// checkNamespaceDeletion deletes a namespace with an object of Kubernetes' own and one of a CRD: both go with it.
func checkNamespaceDeletion(t *testing.T, c client.Client) {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "going"}}
	group := named("operators.coreos.com/v1", "OperatorGroup", ns.Name, "group")
	group.Object["spec"] = map[string]any{"targetNamespaces": []any{ns.Name}}
	objects := []client.Object{
		ns, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "config"}}, group,
	}
	for _, o := range objects {
		if err := c.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Delete(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		eventually(t, 30*time.Second, func() error {
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(o), o); !apierrors.IsNotFound(err) {
				return fmt.Errorf("%T %s is still there: %w", o, o.GetName(), err)
			}
			return nil
		})
	}
}

// The API server can stop and come back with all its data. The sandbox refuses invalid orders and changes nothing. Its
// CRDs have the fields of the release.
func TestControl(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--guests", "0")
	c := clusterOf(t, r.dir, "kubeconfig")
	order := func(name, want string) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), binary(t), "control", "--dir", r.dir, name).CombinedOutput()
		if (err != nil) != (want != "") || !strings.Contains(string(out), want) {
			t.Fatalf("%s: %v: %s, want %q", name, err, out, want)
		}
	}
	first := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"}}
	if err := c.Create(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	checkFields(t, c)
	checkNamespaceDeletion(t, c)
	order("api-up", "not down")
	order("tidy", "no order")
	order("registry-down", "only the vendor's own HyperShift has a registry")
	order("api-down", "")
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(first), first); err == nil ||
		apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		t.Fatalf("an API server that is down answers: %v", err)
	}
	order("api-down", "down already")
	order("api-up", "")
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(first), first); err != nil {
		t.Fatalf("the object from before: %v", err)
	}
	second := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "second"}}
	if err := c.Create(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	order("compact", "")
	// The test does not request a page from before the compaction: this API server may still have it in its cache.
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(second), second); err != nil {
		t.Fatalf("what was there before the compaction: %v", err)
	}
}
