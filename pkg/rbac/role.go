package rbac

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Roles describes the roles to apply. Zero values of its limits mean no limit.
type Roles struct {
	Options
	// Name is the name of the roles and bindings, by default DefaultName.
	Name string
	// Subjects are bound to the roles. If empty, there are no bindings.
	Subjects []rbacv1.Subject
}

// Objects returns the namespaces reserved for services or assignments, the ClusterRole, Roles and bindings (each role
// before its binding), and then the policy if there is one. Roles without rules are left out.
func (r Roles) Objects() []any {
	objects := slices.Concat(r.reserved(), r.ownNamespaces(), r.infraAccounts())
	for _, part := range r.parts() {
		objects = append(objects, r.role(part.namespace, part.policy))
		if len(r.Subjects) > 0 {
			objects = append(objects, r.binding(part.namespace))
		}
	}
	return append(objects, r.admission()...)
}

// Unstructured returns Objects with these labels, in the form for writing.
func (r Roles) Unstructured(labels map[string]string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, object := range r.Objects() {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
		if err != nil {
			return nil, fmt.Errorf("roles for %s: %w", r.Name, err)
		}
		u := &unstructured.Unstructured{Object: content}
		unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
		u.SetLabels(labels)
		objects = append(objects, u)
	}
	return objects, nil
}

// part has the rules of one namespace, or (empty) of the whole cluster.
type part struct {
	namespace string
	rules     []Rule
	policy    []rbacv1.PolicyRule
}

// parts returns the part of the whole cluster first, then the others by namespace.
func (r Roles) parts() []part {
	var parts []part
	for _, p := range r.sorted() {
		rules := p.rules
		if r.Policy {
			rules = append(rules, allowances(p.rules)...)
		}
		if p.policy = Policy(rules); len(p.policy) > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

// allowances returns the rules with limitVerb of one part: for the names in Only, and for the names of rules that
// create by name.
func allowances(rules []Rule) []Rule {
	limited := map[string]bool{}
	for _, rule := range rules {
		for _, resource := range strings.Fields(rule.Resources) {
			limited[resource] = limited[resource] || rule.Only != ""
		}
	}
	var out []Rule
	for _, rule := range rules {
		names := exactNames(rule.Only)
		if slices.Contains(strings.Fields(rule.Verbs), "create") {
			names += " " + rule.Names
		}
		for _, resource := range strings.Fields(rule.Resources) {
			if limited[resource] && strings.TrimSpace(names) != "" {
				out = append(out, Rule{Verbs: limitVerb, Resources: resource, Names: names})
			}
		}
	}
	return out
}

// exactNames returns the names that are not prefixes.
func exactNames(names string) string {
	prefix := func(name string) bool { return strings.HasSuffix(name, "*") }
	return strings.Join(slices.DeleteFunc(strings.Fields(names), prefix), " ")
}

// sorted returns the rules by namespace, in the order of parts.
func (r Roles) sorted() []part {
	rules := map[string][]Rule{}
	for _, rule := range Rules(r.Options) {
		places := r.namespaces(rule.At)
		if (rule.At == ControlPlane || rule.At == Klusterlet) && r.beforeItsCluster(rule) {
			places = nil
		}
		if len(places) == 0 {
			places = []string{""}
		}
		for _, namespace := range places {
			rules[namespace] = append(rules[namespace], rule)
		}
	}
	var out []part
	for _, namespace := range slices.Sorted(maps.Keys(rules)) {
		out = append(out, part{namespace: namespace, rules: rules[namespace]})
	}
	return out
}

// beforeItsCluster reports whether a rule about control planes is for a tenant, who creates the cluster. A role in the
// control plane's namespace could not be created before the cluster.
func (r Roles) beforeItsCluster(rule Rule) bool {
	return slices.Contains(r.Purposes, Tenant) &&
		slices.ContainsFunc(rule.For, func(p Purpose) bool { return within([]Purpose{Tenant}, p) })
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
		return &rbacv1.ClusterRoleBinding{TypeMeta: typeMeta("ClusterRoleBinding"), ObjectMeta: meta, Subjects: r.Subjects,
			RoleRef: ref}
	}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: r.Name}
	return &rbacv1.RoleBinding{TypeMeta: typeMeta("RoleBinding"), ObjectMeta: meta, Subjects: r.Subjects, RoleRef: ref}
}

func typeMeta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
}
