package rbac

import (
	"slices"

	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/management/probe"
	"github.com/hcctl/hcctl/pkg/prereqs"
)

// table is every rule, by purpose. Those of check, bootstrap and uninstall come from the prerequisites.
func table() []Rule {
	r := prereqs.Rights()
	return slices.Concat(purposed(Check, r.Check), purposed(Bootstrap, r.Bootstrap), purposed(Uninstall, r.Uninstall),
		viewerRules(), expiryRules(), editorRules(), deleteRules(), tenantRules(), loginRules(), tunnelRules(), dumpRules(),
		backupRules(), restoreRules(), logsRules(), nodesRules(), scheduleRules(), cleanupRules(), exporterRules(),
		purposed(Infra, infrastructure.Rights()), infraSecretRules(),
		hubRules(),
		publishRules(), gitopsStatusRules(),
		gitopsRegisterRules(), gitopsApproveRules(),
		densityRules(), maintenanceRules(), purposed(Probe, probe.Rights()))
}

// purposed gives rules their purpose.
func purposed(p Purpose, rules []Rule) []Rule {
	for i := range rules {
		rules[i].For = append(rules[i].For, p)
	}
	return rules
}
