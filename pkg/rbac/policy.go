package rbac

import (
	"cmp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// right is one verb on one resource, of one object or (name empty) of all.
type right struct{ group, resource, verb, name string }

// Policy is the rules as a role has them: the fewest that say the same, in a fixed order. What is allowed of all
// objects is not said again of one.
func Policy(rules []Rule) []rbacv1.PolicyRule {
	return gathered(rights(rules))
}

// rights are the single rights of the rules, without those that others include.
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

// gathered puts together what differs in the verb, then what differs in the name, then what differs in the resource.
func gathered(all map[right]bool) []rbacv1.PolicyRule {
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
			k.verbs = "*" + k.verbs // all objects of it: not to be put together with some
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

// joined sorts a list and puts spaces between.
func joined(list []string) string {
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}
