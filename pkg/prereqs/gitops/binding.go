package gitops

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	Binding       step.ID = "gitops/binding"
	removeBinding step.ID = "uninstall/gitops-binding"
)

// setBinding allows Placements in Argo CD's namespace to select clusters of the set. It must have the name of the set.
type setBinding struct{}

func (s setBinding) object() object {
	return object{kube.ManagedClusterSetBinding, names.Namespace, names.ClusterSet}
}

func (s setBinding) prerequisite() prereq.Prerequisite {
	bind := access.Rule{Verbs: "create", Resources: "managedclustersets/bind.cluster.open-cluster-management.io",
		Names: names.ClusterSet, Why: "binds the set to Argo CD's namespace, which the hub's webhook asks for"}
	return prereq.Prerequisite{
		ID: Binding, Title: "cluster set binding", Needs: []step.ID{ArgoCD, ClusterSet},
		Check: s.check, Apply: s.apply, Timeout: 5 * time.Minute,
		Rights: prereq.Rights{
			Check:  optional(s.rule("get")),
			Apply:  optional(s.rule("create patch"), bind),
			Remove: optional(s.rule("get delete")),
		},
		Remove: []prereq.Removal{s.object().removal(removeBinding, "cluster set binding", nil, removePlacement)},
	}
}

func (s setBinding) rule(verbs string) access.Rule {
	return access.Rule{Verbs: verbs, Resources: "managedclustersetbindings.cluster.open-cluster-management.io",
		Names: names.ClusterSet,
		Why:   "the binding of the set to Argo CD's namespace"}
}

func (s setBinding) check(ctx context.Context, r kube.Reader) step.Finding {
	u, f := s.object().find(ctx, r)
	if f != nil {
		return *f
	}
	bound := kube.FindCondition(kube.Conditions(u), "Bound")
	switch {
	case bound.True():
		return step.OK("the set is bound to namespace %s", names.Namespace).On("%s", s.object().describe())
	case bound.False():
		return step.Pending("%s", bound.Describe()).On("%s", s.object().describe()).WithTrouble()
	}
	return step.Pending("the hub has not processed it yet").On("%s", s.object().describe())
}

func (s setBinding) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	return c.Apply(ctx, prereq.NewObject(kube.ManagedClusterSetBinding, names.Namespace, names.ClusterSet,
		map[string]any{"clusterSet": names.ClusterSet}))
}
