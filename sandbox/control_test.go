package main_test

import (
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An API server can be taken away and brought back with all it had; orders that make no sense are refused and change
// nothing.
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
	order("api-up", "not away")
	order("tidy", "no order")
	order("api-down", "")
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(first), first); err == nil ||
		apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		t.Fatalf("an API server that is away answers: %v", err)
	}
	order("api-down", "away already")
	order("api-up", "")
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(first), first); err != nil {
		t.Fatalf("what was there before: %v", err)
	}
	second := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "second"}}
	if err := c.Create(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	order("compact", "")
	// Whether a page from before it is refused is not held here: this API server may still have it in its cache.
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(second), second); err != nil {
		t.Fatalf("what was there before the compaction: %v", err)
	}
}
