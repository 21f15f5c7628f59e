package rbac

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube"
)

// infraSecretRules returns the rules for the kubeconfig of an infrastructure cluster. Editors have it anyway, and
// viewers read no Secrets.
func infraSecretRules() []Rule {
	return rulesFor(Login, []Rule{{Verbs: "get", Resources: "secrets", Names: cluster + "-infra-credentials", At: Clusters,
		Features: []Feature{InfraSecret}, Why: "the worker VMs of a cluster that has them on another one"}})
}

// infraAccounts returns the namespace of the worker VMs, which a role needs, and the ServiceAccounts for its
// kubeconfigs, each with a token that lasts as long as the hosted clusters.
func (r Roles) infraAccounts() []any {
	if !slices.Contains(r.Purposes, Infra) || r.Namespace == "" {
		return nil
	}
	labels := map[string]string{kube.ManagedByLabel: kube.FieldOwner}
	core := func(kind string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: "v1", Kind: kind} }
	all := []any{&corev1.Namespace{TypeMeta: core("Namespace"),
		ObjectMeta: metav1.ObjectMeta{Name: r.Namespace, Labels: labels}}}
	for _, s := range r.Subjects {
		if s.Kind != rbacv1.ServiceAccountKind || s.Namespace != r.Namespace {
			continue
		}
		all = append(all, &corev1.ServiceAccount{TypeMeta: core("ServiceAccount"),
			ObjectMeta: metav1.ObjectMeta{Name: s.Name, Namespace: s.Namespace, Labels: labels}},
			&corev1.Secret{TypeMeta: core("Secret"), Type: corev1.SecretTypeServiceAccountToken,
				ObjectMeta: metav1.ObjectMeta{Name: infrastructure.TokenSecretName(s.Name), Namespace: s.Namespace,
					Labels: labels, Annotations: map[string]string{corev1.ServiceAccountNameKey: s.Name}}})
	}
	return all
}
