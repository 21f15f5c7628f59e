package main_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const finished = "sandbox.hcctl.dev/finished"

// Finished clusters exist from the start. The API server would accept each, they look like those that the operator has
// reconciled, no operator changes them, and users can delete them.
func TestFinishedClusters(t *testing.T) {
	t.Parallel()
	const clusters, pools = 30, 3
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "50", "--fleet", "--clusters", fmt.Sprint(clusters),
		"--pools", fmt.Sprint(pools))
	h := hostOf(t, r.dir)
	before := finishedObjects(h)
	if want := clusters * (pools + 2); len(before) != want {
		t.Fatalf("%d finished objects are there, want %d", len(before), want)
	}
	revalidate(t, r.dir, before)

	live := h.cluster("real", "4.20.3")
	pool := h.pool("real", "real", "4.20.3", 2)
	awaits(h, live, 2*time.Minute, completed("4.20.3"))
	eventually(t, time.Minute, func() error {
		if err := h.Get(t.Context(), client.ObjectKeyFromObject(pool), pool); err != nil || pool.Status.Replicas != 2 {
			return fmt.Errorf("%d nodes: %w", pool.Status.Replicas, err)
		}
		return nil
	})
	sameShape(t, h, live, pool)
	for key, o := range finishedObjects(h) {
		if o.GetResourceVersion() != before[key].GetResourceVersion() {
			t.Errorf("somebody has changed %s", key)
		}
	}

	first := &hyperv1.HostedCluster{}
	first.Namespace, first.Name = "clusters", "kv-0001"
	h.must(h.Delete(t.Context(), first))
	eventually(t, time.Minute, func() error {
		for _, o := range []client.Object{first, &hyperv1.NodePool{}, &corev1.Secret{}} {
			key := client.ObjectKey{Namespace: "clusters", Name: "kv-0001"}
			if _, secret := o.(*corev1.Secret); secret {
				key.Name += "-admin-kubeconfig"
			}
			if err := h.Get(t.Context(), key, o); !apierrors.IsNotFound(err) {
				return fmt.Errorf("%T %s is still there: %w", o, key.Name, err)
			}
		}
		return nil
	})
}

// finishedObjects returns all objects with the label, by kind and name.
func finishedObjects(h *host) map[string]client.Object {
	h.t.Helper()
	found := map[string]client.Object{}
	for _, list := range []client.ObjectList{&hyperv1.HostedClusterList{}, &hyperv1.NodePoolList{}, &corev1.SecretList{}} {
		h.must(h.List(h.t.Context(), list, client.HasLabels{finished}))
		switch l := list.(type) {
		case *hyperv1.HostedClusterList:
			for i := range l.Items {
				found["HostedCluster "+l.Items[i].Name] = &l.Items[i]
			}
		case *hyperv1.NodePoolList:
			for i := range l.Items {
				found["NodePool "+l.Items[i].Name] = &l.Items[i]
			}
		case *corev1.SecretList:
			for i := range l.Items {
				found["Secret "+l.Items[i].Name] = &l.Items[i]
			}
		}
	}
	return found
}

// revalidate sends objects and their status to the API server again, with strict validation and dry run.
func revalidate(t *testing.T, dir string, objects map[string]client.Object) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	plain, err := client.New(config, client.Options{DryRun: ptrTo(true), Scheme: hostedScheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	c := client.WithFieldValidation(plain, "Strict")
	for key, o := range objects {
		raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			t.Fatal(err)
		}
		again := &unstructured.Unstructured{Object: raw}
		again.SetGroupVersionKind(o.GetObjectKind().GroupVersionKind())
		if _, ok := o.(*corev1.Secret); ok {
			again.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		}
		if err := c.Update(t.Context(), again.DeepCopy()); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		if err := c.Status().Update(t.Context(), again); client.IgnoreNotFound(err) != nil {
			t.Errorf("status of %s: %v", key, err)
		}
	}
}

// sameShape checks that a finished cluster has the same conditions as one that the operator has reconciled.
func sameShape(t *testing.T, h *host, live *hyperv1.HostedCluster, pool *hyperv1.NodePool) {
	t.Helper()
	hc, np := &hyperv1.HostedCluster{}, &hyperv1.NodePool{}
	key := client.ObjectKey{Namespace: "clusters", Name: "kv-0007"}
	h.must(h.Get(t.Context(), key, hc))
	h.must(h.Get(t.Context(), key, np))
	h.must(h.Get(t.Context(), client.ObjectKeyFromObject(live), live))
	got, want := map[string]string{}, map[string]string{}
	for _, c := range hc.Status.Conditions {
		got[c.Type] = string(c.Status) + " " + c.Reason
	}
	for _, c := range live.Status.Conditions {
		want[c.Type] = string(c.Status) + " " + c.Reason
	}
	for _, c := range np.Status.Conditions {
		got["NodePool "+c.Type] = string(c.Status) + " " + c.Reason
	}
	for _, c := range pool.Status.Conditions {
		want["NodePool "+c.Type] = string(c.Status) + " " + c.Reason
	}
	for kind, is := range want {
		if got[kind] != is {
			t.Errorf("%s is %q of a finished cluster and %q of one the operator has finished", kind, got[kind], is)
		}
	}
	if len(got) != len(want) {
		t.Errorf("a finished cluster has %d conditions, one the operator has finished %d", len(got), len(want))
	}
	if len(hc.Status.Version.History) != 1 || hc.Status.Version.History[0].CompletionTime == nil ||
		hc.Status.Version.History[0].Version != "4.20.3" {
		t.Errorf("version history: %+v", hc.Status.Version.History)
	}
	if np.Status.Replicas != 2 || np.Status.Version != "4.20.3" || hc.Status.ControlPlaneEndpoint.Host == "" {
		t.Errorf("pool: %d nodes at %q, endpoint %v", np.Status.Replicas, np.Status.Version, hc.Status.ControlPlaneEndpoint)
	}
}
