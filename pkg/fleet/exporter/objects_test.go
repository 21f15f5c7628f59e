package exporter

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// TestObjects: each is an object of its kind, the pod is restricted and serves by TLS, and the roles read two kinds.
func TestObjects(t *testing.T) {
	d := Deployment{Namespace: "clusters", Image: "registry.example.com/tools/hcctl:1.0", Labels: "env"}
	all, err := d.Objects()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	var written []client.Object
	var deployment appsv1.Deployment
	typed := map[string]any{"ServiceAccount": &corev1.ServiceAccount{}, "Service": &corev1.Service{},
		"Deployment": &deployment, "NetworkPolicy": &networkingv1.NetworkPolicy{}, "Role": &rbacv1.Role{},
		"RoleBinding": &rbacv1.RoleBinding{}}
	for _, u := range all {
		kinds = append(kinds, u.GetKind())
		if u.GetNamespace() != "clusters" || u.GetLabels()["app.kubernetes.io/managed-by"] != "hcctl" {
			t.Errorf("%s: %v", u.GetKind(), u.Object["metadata"])
		}
		if into := typed[u.GetKind()]; into != nil {
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, into, true); err != nil {
				t.Errorf("%s: %v", u.GetKind(), err)
			}
		}
		written = append(written, u)
	}
	want := []string{"ServiceAccount", "Role", "RoleBinding", "Deployment", "Service", "NetworkPolicy", "ServiceMonitor",
		"PrometheusRule"}
	if !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
	pod := deployment.Spec.Template.Spec
	container := pod.Containers[0]
	if !*pod.SecurityContext.RunAsNonRoot || *container.SecurityContext.AllowPrivilegeEscalation ||
		!*container.SecurityContext.ReadOnlyRootFilesystem || pod.ServiceAccountName != Name {
		t.Errorf("%+v", pod)
	}
	command := strings.Join(container.Command, " ")
	if !strings.Contains(command, "--tls-cert") || strings.Contains(command, "--insecure") ||
		!strings.Contains(command, "--cluster-labels env") {
		t.Error(command)
	}
	page, err := objects.YAML(written...)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "../../../examples/monitoring/openshift.yaml", string(page))
	d.AllNamespaces = true
	all, err = d.Objects()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(all, func(u *unstructured.Unstructured) bool { return u.GetKind() == "ClusterRoleBinding" }) {
		t.Error("all namespaces take a ClusterRole")
	}
}
