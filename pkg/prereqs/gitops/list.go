package gitops

import (
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Group is the name of this group in options.
const Group = "gitops"

// Prerequisites returns the prerequisites of GitOps, in the order of reports.
func Prerequisites(pins olm.Pins) []prereq.Prerequisite {
	return []prereq.Prerequisite{
		gitopsOperator{pins}.prerequisite(),
		argoCD{}.prerequisite(),
		clusterSet{}.prerequisite(),
		setBinding{}.prerequisite(),
		placement{}.prerequisite(),
		gitopsCluster{}.prerequisite(),
		decisions{}.prerequisite(),
	}
}

// optional marks rules that only a role for GitOps has. They apply to the whole cluster and are limited by name,
// because the namespace of Argo CD does not exist when the role is created.
func optional(rules ...access.Rule) []access.Rule {
	for i := range rules {
		rules[i].Features = []access.Feature{access.GitOps}
	}
	return rules
}
