package storage

import (
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

// common is what every prerequisite of storage works with.
type common struct {
	o    Options
	pins olm.Pins
}

// operator installs a row of the table of operators as pinned.
func (s common) operator(row olm.Operator) olm.Installer {
	return olm.NewInstaller(row.Pinned(s.pins))
}

// none is the finding of every prerequisite of storage where storage is a person's own business; nil means it is not.
func (s common) none() *step.Finding {
	if s.o.Mode != ModeNone {
		return nil
	}
	f := step.Finding{State: step.StateSkipped, Message: "neither checked nor installed (--storage none)"}
	return &f
}

// listStorage are the rights to list kinds that volumes come from.
func listStorage(resources ...string) []rule.Rule {
	rules := make([]rule.Rule, 0, len(resources))
	for _, r := range resources {
		rules = append(rules, rule.Rule{Verbs: "list", Resources: r, Why: "where volumes come from"})
	}
	return rules
}

// planRights are the rights of common.plan.
func planRights() []rule.Rule {
	return listStorage("storageclasses.storage.k8s.io", "storageclusters.ocs.openshift.io", "lvmclusters.lvm.topolvm.io")
}

// listVolumes are the rights to find the disks, and who uses them.
func listVolumes() []rule.Rule {
	return listStorage("localvolumesets.local.storage.openshift.io", "localvolumediscoveries.local.storage.openshift.io",
		"localvolumediscoveryresults.local.storage.openshift.io", "persistentvolumes")
}
