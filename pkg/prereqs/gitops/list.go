package gitops

import (
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Group is the name by which options ask for the prerequisites.
const Group = "gitops"

// Prerequisites returns those of GitOps, in the order of reports.
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

// optional are rules that only a role for GitOps has. They are for the whole cluster and limited by name: the namespace
// of Argo CD is not there when the role is applied.
func optional(rules ...access.Rule) []access.Rule {
	for i := range rules {
		rules[i].Features = []access.Feature{access.GitOps}
	}
	return rules
}
