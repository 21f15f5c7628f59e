package rbac

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services"
	"github.com/hcctl/hcctl/pkg/kube"
)

// tenantRules returns the rules for the services of a hosted cluster, beyond those of its editor.
func tenantRules() []Rule {
	r := services.Rights()
	return rulesFor(Tenant, slices.Concat(r.Check, r.Apply, r.Remove))
}

// reserved returns the namespaces for the services of clusters that may not exist yet and, if ClusterSets are named,
// for their ManagedClusters: a role needs its namespace. Marks name the cluster for which a namespace is reserved; only
// an administrator can change them.
func (r Roles) reserved() []any {
	if !slices.Contains(r.Purposes, Tenant) || r.Namespace == "" {
		return nil
	}
	var out []any
	add := func(name string, labels, annotations map[string]string) {
		out = append(out, &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels, Annotations: annotations}})
	}
	for _, cluster := range r.ClusterNames {
		add(hostedcluster.ServicesNamespace(r.Namespace, cluster), map[string]string{kube.ManagedByLabel: kube.FieldOwner,
			hostedcluster.PodSecurityLabel: hostedcluster.PodSecurityRestricted},
			map[string]string{hostedcluster.ClusterAnnotation: r.Namespace + "/" + cluster,
				hostedcluster.ReservedAnnotation: "true"})
		if len(r.ClusterSets) > 0 {
			add(cluster, nil, nil)
		}
	}
	return out
}
