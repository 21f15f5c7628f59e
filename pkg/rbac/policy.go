package rbac

import (
	"cmp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// right is one verb on one resource, for one object or (name empty) for all.
type right struct{ group, resource, verb, name string }

// Policy returns the rules in the form of a role: the minimum of equivalent rules, in a fixed order. A rule for all
// objects replaces those for single objects.
func Policy(rules []Rule) []rbacv1.PolicyRule {
	return mergeRights(rights(rules))
}

// rights returns the single rights of the rules, without those that others include.
func rights(rules []Rule) map[right]bool {
	all := map[right]bool{}
	for _, r := range rules {
		names := strings.Fields(r.Names)
		if len(names) == 0 {
			names = []string{""}
		}
		for _, resource := range strings.Fields(r.Resources) {
			gr := groupResource(resource)
			for _, verb := range strings.Fields(r.Verbs) {
				for _, name := range names {
					all[right{gr.Group, gr.Resource, verb, name}] = true
				}
			}
		}
	}
	for r := range all {
		general := r
		general.name = ""
		anything := right{"*", "*", r.verb, ""}
		if r != anything && all[anything] || r.name != "" && all[general] {
			delete(all, r)
		}
	}
	return all
}

// mergeRights merges rights that differ only in the verb, then those that differ only in the name, then those that
// differ only in the resource.
func mergeRights(all map[right]bool) []rbacv1.PolicyRule {
	type object struct{ group, resource, name string }
	verbs := map[object][]string{}
	for r := range all {
		o := object{r.group, r.resource, r.name}
		verbs[o] = append(verbs[o], r.verb)
	}
	type kind struct{ group, resource, verbs string }
	names := map[kind][]string{}
	for o, v := range verbs {
		k := kind{o.group, o.resource, joined(v)}
		if o.name == "" {
			k.verbs = "*" + k.verbs // a right for all objects: not to be merged with named ones
		}
		names[k] = append(names[k], o.name)
	}
	type rule struct{ group, verbs, names string }
	resources := map[rule][]string{}
	for k, n := range names {
		r := rule{k.group, strings.TrimPrefix(k.verbs, "*"), joined(n)}
		resources[r] = append(resources[r], k.resource)
	}
	var out []rbacv1.PolicyRule
	for r, of := range resources {
		out = append(out, rbacv1.PolicyRule{
			APIGroups: []string{r.group}, Resources: strings.Fields(joined(of)), ResourceNames: strings.Fields(r.names),
			Verbs: strings.Fields(r.verbs),
		})
	}
	slices.SortFunc(out, func(a, b rbacv1.PolicyRule) int {
		return cmp.Or(cmp.Compare(a.APIGroups[0], b.APIGroups[0]), slices.Compare(a.Resources, b.Resources),
			slices.Compare(a.ResourceNames, b.ResourceNames),
			slices.Compare(a.Verbs, b.Verbs))
	})
	return out
}

// joined sorts and deduplicates a list and joins it with spaces.
func joined(list []string) string {
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}
