package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	clusterAPI       = "cluster.open-cluster-management.io/"
	clusterAvailable = "ManagedClusterConditionAvailable"
	stoppedRenewing  = "Unknown ManagedClusterLeaseUpdateStopped"
)

func managedCluster(name string) *unstructured.Unstructured {
	return named(clusterAPI+"v1", "ManagedCluster", "", name)
}

// conditionOf returns what is wrong unless an object's condition is "STATUS REASON".
func conditionOf(kind, want string) func(*unstructured.Unstructured) string {
	return func(o *unstructured.Unstructured) string {
		if got := condition(o, kind); got != want {
			return fmt.Sprintf("%s is %q, want %q", kind, got, want)
		}
		return ""
	}
}

// joinedByAgent tests that the registration agent has joined the hub's own cluster: with a certificate that it asked
// the hub for, and with what it found in the cluster.
func joinedByAgent(t *testing.T, h *host) {
	t.Helper()
	local := managedCluster("local-cluster")
	awaits(h, local, 60*time.Second, conditionOf("ManagedClusterJoined", "True ManagedClusterJoined"))
	awaits(h, local, 60*time.Second, conditionOf("ManagedClusterConditionClockSynced", "True ManagedClusterClockSynced"))
	if got := text(local, "status", "version", "kubernetes"); !strings.HasPrefix(got, "v1.36.") {
		t.Errorf("the agent reports version %q, not that of the API server", got)
	}
	if nodes := text(local, "status", "capacity", "cpu"); nodes == "" {
		t.Error("the agent does not report the nodes' capacity")
	}
	requests := &certificatesv1.CertificateSigningRequestList{}
	ofLocal := client.MatchingLabels{"open-cluster-management.io/cluster-name": "local-cluster"}
	h.must(h.List(t.Context(), requests, ofLocal))
	if len(requests.Items) == 0 {
		t.Fatal("nobody has asked for a certificate for local-cluster")
	}
	for _, r := range requests.Items {
		if r.Spec.Username != "system:serviceaccount:local-cluster:local-cluster-bootstrap-sa" ||
			len(r.Status.Conditions) != 1 || r.Status.Conditions[0].Reason != "AutoApprovedByCSRController" ||
			len(r.Status.Certificate) == 0 {
			t.Errorf("request %s of %s: %+v", r.Name, r.Spec.Username, r.Status.Conditions)
		}
	}
}

// appliesWork tests that the work agent applies the manifests of a ManifestWork, and removes them with it.
func appliesWork(t *testing.T, h *host) {
	t.Helper()
	work := named("work.open-cluster-management.io/v1", "ManifestWork", "local-cluster", "greeting")
	work.Object["spec"] = map[string]any{"workload": map[string]any{"manifests": []any{map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "default", "name": "greeting"},
		"data": map[string]any{"hello": "world"}}}}}
	h.must(h.Create(t.Context(), work))
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "greeting"}}
	awaits(h, made, 30*time.Second, func(o *corev1.ConfigMap) string {
		if o.Data["hello"] != "world" {
			return fmt.Sprintf("its data is %v", o.Data)
		}
		return ""
	})
	awaits(h, work, 30*time.Second, conditionOf("Applied", "True AppliedManifestWorkComplete"))
	awaits(h, work, 30*time.Second, conditionOf("Available", "True ResourcesAvailable"))
	h.must(h.Delete(t.Context(), work))
	h.gone(work)
	h.gone(made)
}

// placement creates a Placement for one of the clusters in the set default: the one with the most memory or, by a
// negative weight, with the least.
func placement(t *testing.T, h *host, name string, weight int64) *unstructured.Unstructured {
	t.Helper()
	binding := named(clusterAPI+"v1beta2", "ManagedClusterSetBinding", "clusters", "default")
	binding.Object["spec"] = map[string]any{"clusterSet": "default"}
	if err := h.Create(t.Context(), binding); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	p := named(clusterAPI+"v1beta1", "Placement", "clusters", name)
	p.Object["spec"] = map[string]any{
		"numberOfClusters": int64(1),
		"prioritizerPolicy": map[string]any{"mode": "Exact", "configurations": []any{map[string]any{
			"scoreCoordinate": map[string]any{"type": "BuiltIn", "builtIn": "ResourceAllocatableMemory"}, "weight": weight}}},
	}
	h.must(h.Create(t.Context(), p))
	return p
}

// decides waits until a Placement has chosen just this cluster.
func decides(t *testing.T, h *host, placement *unstructured.Unstructured, want string) {
	t.Helper()
	awaits(h, placement, 30*time.Second, conditionOf("PlacementSatisfied", "True AllDecisionsScheduled"))
	decision := named(clusterAPI+"v1beta1", "PlacementDecision", "clusters", placement.GetName()+"-decision-1")
	awaits(h, decision, 30*time.Second, func(o *unstructured.Unstructured) string {
		list, _, _ := unstructured.NestedSlice(o.Object, "status", "decisions")
		if len(list) != 1 || list[0].(map[string]any)["clusterName"] != want {
			return fmt.Sprintf("the decisions are %v, want %s", list, want)
		}
		return ""
	})
}

// losesAgent tests that the hub notices when the agent of its own cluster stops renewing the lease, and when it is
// back.
func losesAgent(t *testing.T, h *host) {
	t.Helper()
	local := managedCluster("local-cluster")
	change(h, local, func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(o.Object, int64(1), "spec", "leaseDurationSeconds")
	})
	agent := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "open-cluster-management-agent",
		Name: "klusterlet-agent"}}
	change(h, agent, func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](0) })
	awaits(h, local, 60*time.Second, conditionOf(clusterAvailable, stoppedRenewing))
	awaits(h, local, 10*time.Second, func(o *unstructured.Unstructured) string {
		taints, _, _ := unstructured.NestedSlice(o.Object, "spec", "taints")
		if !strings.Contains(fmt.Sprint(taints), clusterAPI+"unreachable") {
			return fmt.Sprintf("its taints are %v", taints)
		}
		return ""
	})
	change(h, agent, func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](1) })
	awaits(h, local, 60*time.Second, conditionOf(clusterAvailable, "True ManagedClusterAvailable"))
}
