package rbac

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/services"
)

// tenantRules are what the services of a hosted cluster take beyond what its editor may.
func tenantRules() []Rule {
	r := services.Rights()
	return purposed(Tenant, slices.Concat(r.Check, r.Apply, r.Remove))
}

// reserved are the namespaces of the services of clusters that may not be there yet: a role in a namespace needs the
// namespace. The marks say which cluster each is reserved for.
func (r Roles) reserved() []any {
	if !slices.Contains(r.Purposes, Tenant) || r.Namespace == "" {
		return nil
	}
	var out []any
	for _, cluster := range r.ClusterNames {
		out = append(out, &corev1.Namespace{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{
				Name:   hostedcluster.ServicesNamespace(r.Namespace, cluster),
				Labels: map[string]string{kube.ManagedByLabel: kube.FieldOwner},
				Annotations: map[string]string{hostedcluster.ClusterAnnotation: r.Namespace + "/" + cluster,
					hostedcluster.ReservedAnnotation: "true"},
			},
		})
	}
	return out
}
