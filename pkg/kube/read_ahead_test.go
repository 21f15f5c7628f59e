package kube_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// TestReadAhead answers the first Get of an object with what was read before, and asks again for the second.
func TestReadAhead(t *testing.T) {
	api := kubetest.New("v1", "Secret", "secrets")
	secret := func(value string) kubetest.Object {
		return kubetest.Object{"metadata": map[string]any{"namespace": "ns", "name": "a"}, "data": map[string]any{"k": value}}
	}
	api.Set(secret("b2xk"))
	c, err := kube.New(api.Direct())
	if err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKey{Namespace: "ns", Name: "a"}
	sent := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}
	absent := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "b"}}
	r := kube.ReadAhead(t.Context(), c, sent, absent)
	for _, want := range []string{"old", "new"} {
		got := &corev1.Secret{}
		if err := r.Get(t.Context(), key, got); err != nil || string(got.Data["k"]) != want {
			t.Errorf("%q, %v; want %q", got.Data["k"], err, want)
		}
		api.Set(secret("bmV3"))
	}
	if err := r.Get(t.Context(), client.ObjectKeyFromObject(absent), &corev1.Secret{}); !apierrors.IsNotFound(err) {
		t.Errorf("%v, want not found", err)
	}
}
