package main_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// release removes all finalizers of an object.
func (h *host) release(o client.Object) {
	h.t.Helper()
	o.SetFinalizers(nil)
	h.must(client.IgnoreNotFound(h.Patch(h.t.Context(),
		o, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))))
}

// gone returns once an object does not exist.
func (h *host) gone(o client.Object) {
	h.t.Helper()
	eventually(h.t, 60*time.Second, func() error {
		err := h.Get(h.t.Context(), client.ObjectKeyFromObject(o), o)
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(fmt.Errorf("%T %s is still there", o, o.GetName()), err)
	})
	if h.t.Failed() {
		h.t.FailNow()
	}
}

func namespaceSays(kind corev1.NamespaceConditionType, want ...string) func(*corev1.Namespace) string {
	return func(ns *corev1.Namespace) string {
		for _, c := range ns.Status.Conditions {
			if c.Type != kind || c.Status != corev1.ConditionTrue {
				continue
			}
			for _, w := range want {
				if !strings.Contains(c.Message, w) {
					return fmt.Sprintf("%s: %s, want %s", kind, c.Message, w)
				}
			}
			return ""
		}
		return fmt.Sprintf("no %s: %+v", kind, ns.Status.Conditions)
	}
}

// A deletion hangs at each stage until the test removes the cause.
func TestFaultsOfDeletion(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "40",
		"--fault", "nodepool-delete-hangs", "--fault", "controlplane-delete-hangs", "--fault", "cloud-resources-remain",
		"--fault", "namespace-delete-hangs", "--fault", "pvc-left", "--fault", "loadbalancer-left")
	h := hostOf(t, r.dir)
	hc := h.cluster("kv", "4.20.3", func(hc *hyperv1.HostedCluster) {
		hc.Annotations = map[string]string{hyperv1.CleanupCloudResourcesAnnotation: "true"}
	})
	np := h.pool("kv", "kv", "4.20.3", 1)
	awaits(h, hc, 90*time.Second, completed("4.20.3"))
	h.must(h.Delete(t.Context(), hc))

	var machine kubevirtv1.VirtualMachine
	eventually(t, 30*time.Second, func() error {
		all := h.machines("kv", "kv")
		if len(all) != 1 || all[0].DeletionTimestamp == nil || len(all[0].Finalizers) == 0 {
			return fmt.Errorf("no virtual machine that is held: %+v", all)
		}
		machine = all[0]
		return h.Get(t.Context(), client.ObjectKeyFromObject(np), np)
	})
	if np.DeletionTimestamp == nil || len(np.Finalizers) == 0 {
		t.Errorf("the NodePool is not held: %+v", np.ObjectMeta)
	}
	h.release(&machine)
	h.gone(np)

	hcp := &hyperv1.HostedControlPlane{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters-kv", Name: "kv"}}
	pods := &corev1.PodList{}
	awaits(h, hcp, 30*time.Second, func(hcp *hyperv1.HostedControlPlane) string {
		h.must(h.List(t.Context(), pods, client.InNamespace("clusters-kv"),
			client.MatchingLabels{"app": "control-plane-operator"}))
		if hcp.DeletionTimestamp == nil || len(pods.Items) == 0 || podIsReady(&pods.Items[0]) {
			return "it is not being deleted, or its operator is ready"
		}
		return ""
	})
	h.must(h.Delete(t.Context(), &pods.Items[0]))

	awaits(h, hc, 2*time.Minute, stays(hyperv1.CloudResourcesDestroyed, "False RemainingCloudResources"))
	// Up to 4.22 the operator gives up without a word.
	h.gone(hcp)

	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "clusters-kv"}}
	awaits(h, ns, 60*time.Second, namespaceSays(corev1.NamespaceContentRemaining, "configmaps.", "persistentvolumeclaims.",
		"services."))
	awaits(h, ns, 60*time.Second, namespaceSays(corev1.NamespaceFinalizersRemaining, "backup.example.com/hold",
		"snapshot.storage.kubernetes.io/pvc-as-source-protection", "service.kubernetes.io/load-balancer-cleanup"))
	for _, list := range []client.ObjectList{&corev1.ConfigMapList{}, &corev1.PersistentVolumeClaimList{},
		&corev1.ServiceList{}} {
		h.must(h.List(t.Context(), list, client.InNamespace(ns.Name)))
		switch l := list.(type) {
		case *corev1.ConfigMapList:
			h.release(&l.Items[0])
		case *corev1.PersistentVolumeClaimList:
			h.release(&l.Items[0])
		case *corev1.ServiceList:
			h.release(&l.Items[0])
		}
	}
	h.gone(ns)
	h.gone(hc)
}

func podIsReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
