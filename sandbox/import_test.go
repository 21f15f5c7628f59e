package main_test

import (
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const importing = "import.open-cluster-management.io/"

// multicluster-engine imports hosted clusters by itself, with the labels that they have. Deleting the ManagedCluster
// detaches one; deleting only the HostedCluster leaves behind a ManagedCluster that hive made.
func TestAutoImport(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "40", "--lean", "--guests", "0", "--audit")
	h := hostOf(t, r.dir)
	labelled := func(hc *hyperv1.HostedCluster) {
		hc.Labels = map[string]string{"env": "dev", "cluster.open-cluster-management.io/clusterset": "blue"}
	}
	kv, left := h.cluster("kv", "4.20.3", labelled), h.cluster("left", "4.20.3")
	managed := named("cluster.open-cluster-management.io/v1", "ManagedCluster", "", "kv")
	joined := func(o *unstructured.Unstructured) string {
		if got := condition(o, "ManagedClusterConditionAvailable"); !strings.HasPrefix(got, "True") {
			return "it is not available: " + got
		}
		return ""
	}
	awaits(h, managed, 60*time.Second, joined)
	for key, want := range map[string]string{"env": "dev", "cluster.open-cluster-management.io/clusterset": "blue",
		"name": "kv", "vendor": "auto-detect"} {
		if got := managed.GetLabels()[key]; got != want {
			t.Errorf("label %s is %q, want %q", key, got, want)
		}
	}
	for key, want := range map[string]string{
		importing + "klusterlet-deploy-mode": "Hosted", importing +
			"hosting-cluster-name": "local-cluster", "open-cluster-management/created-via": "hypershift",
	} {
		if got := managed.GetAnnotations()[key]; got != want {
			t.Errorf("annotation %s is %q, want %q", key, got, want)
		}
	}
	external := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "klusterlet-kv",
		Name: "external-managed-kubeconfig"}}
	awaits(h, external, 30*time.Second, func(s *corev1.Secret) string {
		config, err := clientcmd.Load(s.Data["kubeconfig"])
		if err != nil || config.Clusters["cluster"] == nil ||
			config.Clusters["cluster"].Server != "https://kube-apiserver.clusters-kv.svc.cluster.local:6443" {
			return "no kubeconfig for the klusterlet: " + string(s.Data["kubeconfig"])
		}
		return ""
	})
	mirror := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "local-cluster", Name: "kv-admin-kubeconfig"}}
	awaits(h, mirror, 30*time.Second, func(*corev1.Secret) string { return "" })

	// A detached cluster is not imported again.
	h.must(h.Delete(t.Context(), managed))
	h.gone(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "klusterlet-kv"}})
	h.gone(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kv"}})
	h.gone(managed)
	h.must(h.Delete(t.Context(), kv))
	h.gone(kv)
	h.gone(mirror)
	h.gone(managed)

	stays := managedCluster("left")
	awaits(h, stays, 60*time.Second, joined)
	joinedByAgent(t, h)
	appliesWork(t, h)
	// The simulated agent of left reports no memory.
	most, least := placement(t, h, "most", 1), placement(t, h, "least", -1)
	decides(t, h, most, "local-cluster")
	decides(t, h, least, "left")
	// The addon's agent deletes the ManagedCluster of a hosted cluster that goes, but not one that hive made.
	h.must(h.Get(t.Context(), client.ObjectKeyFromObject(stays), stays))
	byHive := client.MergeFrom(stays.DeepCopy())
	annotations := stays.GetAnnotations()
	annotations["open-cluster-management/created-via"] = "hive"
	stays.SetAnnotations(annotations)
	h.must(h.Patch(t.Context(), stays, byHive))
	h.must(h.Delete(t.Context(), left))
	h.gone(left)
	awaits(h, stays, 30*time.Second, conditionOf(clusterAvailable, stoppedRenewing))
	// The hub taints a cluster that is lost, so nothing is placed on it.
	decides(t, h, least, "local-cluster")
	h.must(h.Delete(t.Context(), stays))
	h.gone(stays)
	losesAgent(t, h)
	siteJoins(t, r, h)
	olmIsAtRest(t, r)
}

// With Advanced Cluster Management an imported cluster gets a KlusterletAddonConfig in its own namespace. This profile
// has nothing else installed, so the test itself marks the cluster as available.
func TestAutoImportOfAHub(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "acm", "--speed", "40", "--lean", "--guests", "0")
	h := hostOf(t, r.dir)
	hc := h.cluster("kv", "4.20.3")
	config := named("agent.open-cluster-management.io/v1", "KlusterletAddonConfig", "kv", "kv")
	eventually(t, 60*time.Second, func() error {
		if err := h.Get(t.Context(), client.ObjectKeyFromObject(hc), hc); err != nil {
			return err
		}
		before := hc.DeepCopy()
		meta.SetStatusCondition(&hc.Status.Conditions, metav1.Condition{Type: string(hyperv1.HostedClusterAvailable),
			Status: metav1.ConditionTrue, Reason: "AsExpected"})
		if err := h.Status().Patch(t.Context(), hc, client.MergeFrom(before)); err != nil {
			return err
		}
		return h.Get(t.Context(), client.ObjectKeyFromObject(config), config)
	})
	for _, addon := range []string{"applicationManager", "certPolicyController", "iamPolicyController", "policyController",
		"searchCollector"} {
		if on, _, _ := unstructured.NestedBool(config.Object, "spec", addon, "enabled"); !on {
			t.Errorf("%s is off", addon)
		}
	}
}
