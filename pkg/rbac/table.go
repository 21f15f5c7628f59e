package rbac

import "slices"

// table is every rule, by purpose.
func table() []Rule {
	return slices.Concat(checkRules(), waitRules(), bootstrapRules(), uninstallRules(), viewerRules(), editorRules(),
		deleteRules(), loginRules(), dumpRules(), densityRules())
}

// purposed gives rules their purpose.
func purposed(p Purpose, rules []Rule) []Rule {
	for i := range rules {
		rules[i].For = append(rules[i].For, p)
	}
	return rules
}
