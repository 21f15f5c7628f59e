package rbac

import (
	"slices"

	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/management/probe"
	"github.com/hcctl/hcctl/pkg/prereqs"
)

// table returns every rule, by purpose. The rules of check, bootstrap and uninstall come from the prerequisites.
func table() []Rule {
	r := prereqs.Rights()
	return slices.Concat(rulesFor(Check, r.Check), rulesFor(Bootstrap, r.Bootstrap), rulesFor(Uninstall, r.Uninstall),
		viewerRules(), expiryRules(), editorRules(), deleteRules(), tenantRules(), loginRules(), tunnelRules(), dumpRules(),
		backupRules(), restoreRules(), logsRules(), nodesRules(), scheduleRules(), cleanupRules(), exporterRules(),
		rulesFor(Infra, infrastructure.Rights()), infraSecretRules(),
		hubRules(),
		publishRules(), gitopsStatusRules(),
		gitopsRegisterRules(), gitopsApproveRules(),
		densityRules(), maintenanceRules(), rulesFor(Probe, probe.Rights()))
}

// rulesFor adds a purpose to rules.
func rulesFor(p Purpose, rules []Rule) []Rule {
	for i := range rules {
		rules[i].For = append(rules[i].For, p)
	}
	return rules
}
