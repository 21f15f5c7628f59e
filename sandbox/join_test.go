package main_test

import (
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// siteJoins tests that a second sandbox joins the hub as a managed cluster once the hub accepts it, with rights to its
// own namespace only, that the hub's works reach it, and that the hub notices when it is killed.
func siteJoins(t *testing.T, hub *running, h *host) {
	t.Helper()
	site := managedCluster("site-1")
	site.SetAnnotations(map[string]string{
		"agent.open-cluster-management.io/klusterlet-config": "mce-import-klusterlet-config"})
	site.Object["spec"] = map[string]any{"hubAcceptsClient": false, "leaseDurationSeconds": int64(1)}
	h.must(h.Create(t.Context(), site))
	r := launch(t, t.TempDir(), "--profile", "no-olm", "--lean", "--guests", "0", "--speed", "40",
		"--join", hub.dir+"/kubeconfig", "--cluster-name", "site-1")
	s := hostOf(t, r.dir)
	manifests := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "site-1", Name: "site-1-import"}}
	if err := h.Get(t.Context(), client.ObjectKeyFromObject(manifests), manifests); !apierrors.IsNotFound(err) {
		t.Errorf("a cluster that is not accepted has manifests to import: %v", err)
	}
	change(h, site, func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(o.Object, true, "spec", "hubAcceptsClient")
	})
	awaits(h, site, 60*time.Second, conditionOf("ManagedClusterJoined", "True ManagedClusterJoined"))
	awaits(h, site, 60*time.Second, conditionOf(clusterAvailable, "True ManagedClusterAvailable"))
	awaits(h, site, 30*time.Second, conditionOf("ManagedClusterImportSucceeded", "True ManagedClusterImported"))
	requests := &certificatesv1.CertificateSigningRequestList{}
	h.must(h.List(t.Context(), requests, client.MatchingLabels{"open-cluster-management.io/cluster-name": "site-1"}))
	if len(requests.Items) != 1 ||
		requests.Items[0].Spec.Username != "system:serviceaccount:site-1:site-1-bootstrap-sa" {
		t.Errorf("the requests for a certificate of site-1 are %+v", requests.Items)
	}

	work := named("work.open-cluster-management.io/v1", "ManifestWork", "site-1", "greeting")
	work.Object["spec"] = map[string]any{"workload": map[string]any{"manifests": []any{map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "default", "name": "greeting"}}}}}
	h.must(h.Create(t.Context(), work))
	awaits(s, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "greeting"}}, 30*time.Second,
		func(*corev1.ConfigMap) string { return "" })
	awaits(h, work, 30*time.Second, conditionOf("Available", "True ResourcesAvailable"))
	agentIsConfined(t, s)

	h.must(r.cmd.Process.Kill())
	awaits(h, site, 60*time.Second, conditionOf(clusterAvailable, stoppedRenewing))
	h.must(h.Delete(t.Context(), site))
	h.gone(site)
}

// agentIsConfined tests that a site's agent reaches its own works at the hub, and nobody else's, nor any Secret.
func agentIsConfined(t *testing.T, s *host) {
	t.Helper()
	own := &corev1.Secret{}
	s.must(s.Get(t.Context(), client.ObjectKey{Namespace: "open-cluster-management-mce-import",
		Name: "hub-kubeconfig-secret"}, own))
	// It names the files of its certificate, which are the Secret's other keys.
	kubeconfig, err := clientcmd.Load(own.Data["kubeconfig"])
	s.must(err)
	for _, user := range kubeconfig.AuthInfos {
		user.ClientCertificate, user.ClientKey = "", ""
		user.ClientCertificateData, user.ClientKeyData = own.Data["tls.crt"], own.Data["tls.key"]
	}
	config, err := clientcmd.NewDefaultClientConfig(*kubeconfig, nil).ClientConfig()
	s.must(err)
	agent, err := client.New(config, client.Options{Scheme: hostedScheme(t)})
	s.must(err)
	works := func() *unstructured.UnstructuredList {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion("work.open-cluster-management.io/v1")
		list.SetKind("ManifestWorkList")
		return list
	}
	s.must(agent.List(t.Context(), works(), client.InNamespace("site-1")))
	if err := agent.List(t.Context(), works(), client.InNamespace("local-cluster")); !apierrors.IsForbidden(err) {
		t.Errorf("the agent of site-1 lists the works of local-cluster: %v", err)
	}
	if err := agent.List(t.Context(), &corev1.SecretList{}); !apierrors.IsForbidden(err) {
		t.Errorf("the agent of site-1 lists Secrets at the hub: %v", err)
	}
}
