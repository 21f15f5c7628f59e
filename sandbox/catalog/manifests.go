package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/blang/semver/v4"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// upstreamNames maps the Deployment names of OLM's bundle to those in the HyperConverged Cluster Operator's repository.
var upstreamNames = map[string]string{"hco-operator": "hyperconverged-cluster-operator",
	"hco-webhook": "hyperconverged-cluster-webhook"}

// crdFiles maps API groups to the CRD files in that repository.
var crdFiles = map[string]string{
	"hco.kubevirt.io": "crds/hco00.crd.yaml", "kubevirt.io": "crds/kubevirt00.crd.yaml",
	"cdi.kubevirt.io":                 "crds/containerized-data-importer00.crd.yaml",
	"hostpathprovisioner.kubevirt.io": "crds/hostpath-provisioner00.crd.yaml",
}

// WriteVirtualization writes the files of directory deploy in the HyperConverged Cluster Operator's repository, which
// install it without OLM, for the release of the profile's OpenShift. As in the repository, applying them in the order
// of their names fails; cert-manager's Certificates are left out, because a sandbox has no cert-manager.
func WriteVirtualization(dir string, p profile.Profile, crds CRDs) error {
	r, err := loadTemplate("community-kubevirt-hyperconverged")
	if err != nil {
		return err
	}
	version := fmt.Sprintf("1.%d.0", p.Y()-4)
	files, err := r.manifests("community-kubevirt-hyperconverged", version, crds)
	if err != nil {
		return err
	}
	for name, objects := range files {
		var out bytes.Buffer
		for _, o := range objects {
			raw, err := yaml.Marshal(o)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			out.WriteString("---\n")
			out.Write(raw)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, out.Bytes(), 0o600)); err != nil {
			return fmt.Errorf("write manifests: %w", err)
		}
	}
	return nil
}

// manifests returns the objects of one version of the operator, by file.
func (r bundleTemplate) manifests(pkg, version string, crds CRDs) (map[string][]any, error) {
	b, err := r.bundle(pkg, version, "", crds)
	if err != nil {
		return nil, err
	}
	parsed, err := semver.Parse(version)
	if err != nil {
		return nil, err
	}
	ns := r.SuggestedNamespace
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: ns} }
	kind := func(apiVersion, kind string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: apiVersion, Kind: kind}
	}
	files := map[string][]any{
		"namespace.yaml": {&corev1.Namespace{TypeMeta: kind("v1", "Namespace"), ObjectMeta: metav1.ObjectMeta{Name: ns}}},
		"webhooks.yaml":  webhooks(ns),
		"hco.cr.yaml": {map[string]any{
			"apiVersion": stored(b.CRDs, "HyperConverged"), "kind": "HyperConverged",
			"metadata": map[string]any{"name": "kubevirt-hyperconverged", "namespace": ns}, "spec": map[string]any{},
		}},
	}
	for _, crd := range b.CRDs {
		crd.TypeMeta = kind(apiextensionsv1.SchemeGroupVersion.String(), "CustomResourceDefinition")
		files[crdFiles[crd.Spec.Group]] = append(files[crdFiles[crd.Spec.Group]], crd)
	}
	for account, rules := range r.ClusterRules {
		files["service_account.yaml"] = append(files["service_account.yaml"],
			&corev1.ServiceAccount{TypeMeta: kind("v1", "ServiceAccount"), ObjectMeta: meta(account)})
		files["cluster_role.yaml"] = append(files["cluster_role.yaml"], &rbacv1.ClusterRole{
			TypeMeta: kind(rbacv1.SchemeGroupVersion.String(), "ClusterRole"), ObjectMeta: metav1.ObjectMeta{Name: account},
			Rules: rules,
		})
		files["cluster_role_binding.yaml"] = append(files["cluster_role_binding.yaml"], &rbacv1.ClusterRoleBinding{
			TypeMeta:   kind(rbacv1.SchemeGroupVersion.String(), "ClusterRoleBinding"),
			ObjectMeta: metav1.ObjectMeta{Name: account},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: account},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: account, Namespace: ns}},
		})
	}
	for _, d := range r.Deployments {
		name := d.Name
		if upstream := upstreamNames[name]; upstream != "" {
			name = upstream
		}
		files["operator.yaml"] = append(files["operator.yaml"], &appsv1.Deployment{
			TypeMeta: kind(appsv1.SchemeGroupVersion.String(), "Deployment"), ObjectMeta: meta(name),
			Spec: d.spec(parsed.String()).Spec,
		})
	}
	return files, nil
}

// stored returns the group and version in which a kind is stored.
func stored(crds []*apiextensionsv1.CustomResourceDefinition, kind string) string {
	for _, crd := range crds {
		for _, v := range crd.Spec.Versions {
			if crd.Spec.Names.Kind == kind && v.Storage {
				return crd.Spec.Group + "/" + v.Name
			}
		}
	}
	return ""
}

// webhooks returns the operator's validation of its own kind. The real failure policy is Fail; a sandbox has no server
// behind the Service, so the policy here is Ignore after one second.
func webhooks(ns string) []any {
	const service, name = "hyperconverged-cluster-webhook-service", "validate-hco.kubevirt.io"
	return []any{
		&corev1.Service{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
			ObjectMeta: metav1.ObjectMeta{Name: service, Namespace: ns},
			Spec: corev1.ServiceSpec{
				Selector: map[string]string{"name": "hyperconverged-cluster-webhook"}, Ports: []corev1.ServicePort{{Port: 4343}},
			},
		},
		&admissionregistrationv1.ValidatingWebhookConfiguration{
			TypeMeta: metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(),
				Kind: "ValidatingWebhookConfiguration"},
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Webhooks: []admissionregistrationv1.ValidatingWebhook{{
				Name: name,
				ClientConfig: admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{
					Name: service, Namespace: ns, Path: ptr.To("/validate-hco-kubevirt-io-v1beta1-hyperconverged"),
					Port: ptr.To[int32](4343),
				}},
				Rules: []admissionregistrationv1.RuleWithOperations{{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update,
						admissionregistrationv1.Delete},
					Rule: admissionregistrationv1.Rule{APIGroups: []string{"hco.kubevirt.io"}, APIVersions: []string{"*"},
						Resources: []string{"hyperconvergeds"}},
				}},
				FailurePolicy: ptr.To(admissionregistrationv1.Ignore), SideEffects: ptr.To(
					admissionregistrationv1.SideEffectClassNone),
				TimeoutSeconds: ptr.To[int32](1), AdmissionReviewVersions: []string{"v1"},
			}},
		},
	}
}
