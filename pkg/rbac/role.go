package rbac

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Roles are what to apply. The zero values of what limits it mean no limit.
type Roles struct {
	Options
	// Name of the roles and bindings.
	Name string
	// Namespace of the hosted clusters, to which the roles are limited where they can be: what is about hosted clusters goes into a Role there. The
	// control planes' namespaces have Roles where the clusters' names are known. The rest stays a ClusterRole.
	Namespace string
	// Subjects to bind the roles to; none makes no bindings.
	Subjects []rbacv1.Subject
}

// Objects returns ClusterRole, Roles and bindings, roles first. Those without any rule are left out.
func (r Roles) Objects() []any {
	var objects []any
	for _, part := range r.parts() {
		policy := Policy(part.rules)
		if len(policy) == 0 {
			continue
		}
		objects = append(objects, r.role(part.namespace, policy))
		if len(r.Subjects) > 0 {
			objects = append(objects, r.binding(part.namespace))
		}
	}
	return objects
}

// part is what is allowed in one namespace, or (empty) in the whole cluster.
type part struct {
	namespace string
	rules     []Rule
}

func (r Roles) parts() []part {
	rules := Rules(r.Options)
	if r.Namespace == "" {
		return []part{{"", rules}}
	}
	at := func(places ...Place) []Rule {
		return slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return !slices.Contains(places, r.At) })
	}
	if len(r.ClusterNames) == 0 {
		return []part{{"", at(Any, ControlPlane)}, {r.Namespace, at(Clusters)}}
	}
	parts := []part{{"", at(Any)}, {r.Namespace, at(Clusters)}}
	for _, name := range r.ClusterNames {
		parts = append(parts, part{r.Namespace + "-" + name, at(ControlPlane)})
	}
	return parts
}

func (r Roles) role(namespace string, policy []rbacv1.PolicyRule) any {
	meta := metav1.ObjectMeta{Name: r.Name, Namespace: namespace}
	if namespace == "" {
		return &rbacv1.ClusterRole{TypeMeta: typeMeta("ClusterRole"), ObjectMeta: meta, Rules: policy}
	}
	return &rbacv1.Role{TypeMeta: typeMeta("Role"), ObjectMeta: meta, Rules: policy}
}

func (r Roles) binding(namespace string) any {
	meta := metav1.ObjectMeta{Name: r.Name, Namespace: namespace}
	if namespace == "" {
		ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: r.Name}
		return &rbacv1.ClusterRoleBinding{TypeMeta: typeMeta("ClusterRoleBinding"), ObjectMeta: meta, Subjects: r.Subjects, RoleRef: ref}
	}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: r.Name}
	return &rbacv1.RoleBinding{TypeMeta: typeMeta("RoleBinding"), ObjectMeta: meta, Subjects: r.Subjects, RoleRef: ref}
}

func typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}
