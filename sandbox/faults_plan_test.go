package main_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OLM fails an InstallPlan with an object that the API server refuses. The API server stops after the first complete
// InstallPlan and comes back with the same data.
func TestFaultsOfInstallPlans(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--speed", "20", "--fault", "installplan-failed", "--fault", "apiserver-restart")
	c := clusterOf(t, r.dir, "kubeconfig")
	uid := read(t, c, "v1", "Namespace", "", "kube-system").GetUID()
	subscribe(t, c, "multicluster-engine", "multicluster-engine", []any{"multicluster-engine"})
	eventually(t, 60*time.Second, func() error { return only(t, c, "InstallPlan", "multicluster-engine", "Failed") })
	subscribe(t, c, "openshift-local-storage", "local-storage-operator", []any{"openshift-local-storage"})
	checkRestart(t, c)
	eventually(t, 20*time.Second, func() error {
		ns := &corev1.Namespace{}
		if err := c.Get(t.Context(), client.ObjectKey{Name: "kube-system"}, ns); err != nil || ns.UID != uid {
			return errors.Join(fmt.Errorf("namespace kube-system: another one: %t", ns.UID != uid), err)
		}
		return nil
	})
}

// checkRestart returns once the API server has stopped and is back.
func checkRestart(t *testing.T, c client.Client) {
	t.Helper()
	eventually(t, 60*time.Second, func() error {
		err := c.Get(t.Context(), client.ObjectKey{Name: "kube-system"}, &corev1.Namespace{})
		if !errors.Is(err, syscall.ECONNREFUSED) {
			return errors.Join(errors.New("the API server does not refuse connections"), err)
		}
		return nil
	})
	began := time.Now()
	eventually(t, 60*time.Second, func() error {
		return c.Get(t.Context(), client.ObjectKey{Name: "kube-system"}, &corev1.Namespace{})
	})
	if away := time.Since(began); away < 8*time.Second {
		t.Errorf("the API server was away for %s, want 10s at any speed", away)
	}
}
