package prereqs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// PurposeRights are the rights of the commands for prerequisites.
type PurposeRights struct {
	// Check is for hcctl check.
	Check []access.Rule
	// Bootstrap is for bootstrap, beyond Check.
	Bootstrap []access.Rule
	// Uninstall is for uninstall; it does not include the others.
	Uninstall []access.Rule
}

// Rights returns the rights of every prerequisite with any options, in the order of the prerequisites.
func Rights() PurposeRights { return rightsOf(everyPrerequisite()) }

func rightsOf(all []prereq.Prerequisite) PurposeRights {
	var check, apply []access.Rule
	remove := removalRights()
	for _, p := range all {
		check = append(check, p.Rights.Check...)
		apply = append(apply, p.Rights.Apply...)
	}
	for _, p := range slices.Backward(all) {
		remove = append(remove, p.Rights.Remove...)
	}
	check = joined(check)
	return PurposeRights{Check: check, Bootstrap: append(waiting(check), joined(apply)...), Uninstall: joined(remove)}
}

// waiting returns the rights of bootstrap to watch what check reads: every object that a step has read is watched while
// the step waits or the API server does not answer. A watch of one object is a list and a watch of that name.
func waiting(check []access.Rule) []access.Rule {
	var rules []access.Rule
	for _, r := range check {
		if !r.Unwatched {
			rules = append(rules, access.Rule{Verbs: "list watch", Resources: r.Resources, Names: r.Names, At: r.At,
				Features: r.Features, Why: "waits for what it has read: " + r.Why})
		}
	}
	return rules
}

// joined merges rules that differ only in their resources, and then those that differ only in their names.
func joined(rules []access.Rule) []access.Rule {
	rules = join(rules, func(r *access.Rule) *string { return &r.Resources })
	return join(rules, func(r *access.Rule) *string { return &r.Names })
}

// join merges rules that differ only in one field, whose values it sorts.
func join(rules []access.Rule, field func(*access.Rule) *string) []access.Rule {
	var order []string
	first, values := map[string]access.Rule{}, map[string][]string{}
	for _, r := range rules {
		value := *field(&r)
		*field(&r) = ""
		key := fmt.Sprintf("%q %q %q %q %q %q %t %q", r.Verbs, r.Resources, r.Names, r.At, r.Unless, r.Features, r.Unwatched,
			r.Why)
		if _, known := first[key]; !known {
			order, first[key] = append(order, key), r
		}
		if !slices.Contains(values[key], value) {
			values[key] = append(values[key], value)
		}
	}
	out := make([]access.Rule, 0, len(order))
	for _, key := range order {
		r := first[key]
		slices.Sort(values[key])
		*field(&r) = strings.Join(values[key], " ")
		out = append(out, r)
	}
	return out
}
