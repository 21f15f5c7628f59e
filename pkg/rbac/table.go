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
	return slices.Concat(withPurpose(Check, r.Check), withPurpose(Bootstrap, r.Bootstrap), withPurpose(Uninstall, r.Uninstall),
		viewerRules(), expiryRules(), editorRules(), deleteRules(), tenantRules(), loginRules(), tunnelRules(), dumpRules(),
		backupRules(), restoreRules(), logsRules(), nodesRules(), scheduleRules(), cleanupRules(), exporterRules(),
		withPurpose(Infra, infrastructure.Rights()), infraSecretRules(),
		hubRules(),
		publishRules(), gitopsStatusRules(),
		gitopsRegisterRules(), gitopsApproveRules(),
		densityRules(), maintenanceRules(), withPurpose(Probe, probe.Rights()))
}

// withPurpose adds a purpose to the rules.
func withPurpose(p Purpose, rules []Rule) []Rule {
	for i := range rules {
		rules[i].For = append(rules[i].For, p)
	}
	return rules
}
