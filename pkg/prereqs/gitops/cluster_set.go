package gitops

import (
	"context"

	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// ClusterSet is the prerequisite of this file.
const ClusterSet step.ID = "gitops/cluster-set"

// setLabel is the label with the cluster set of a managed cluster (contracts/ocm.yaml).
const setLabel = "cluster.open-cluster-management.io/clusterset"

// clusterSet is the set of the hosted clusters for Argo CD. A cluster is in at most one such set.
type clusterSet struct{}

func (s clusterSet) object() object { return object{kube.ManagedClusterSet, "", names.ClusterSet} }

func (s clusterSet) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: ClusterSet, Title: "cluster set", Needs: []step.ID{prereq.EngineStep},
		Check: s.check, Apply: s.apply,
		Rights: prereq.Rights{
			Check:  optional(s.rule("get")),
			Apply:  optional(s.rule("create patch")),
			Remove: optional(s.rule("get delete")),
		},
		Remove: []prereq.Removal{s.object().removal(prereq.RemoveClusterSet, "cluster set", s.used, removeBinding)},
	}
}

func (s clusterSet) rule(verbs string) access.Rule {
	return access.Rule{Verbs: verbs, Resources: "managedclustersets.cluster.open-cluster-management.io",
		Names: names.ClusterSet, Why: "the set of the hosted clusters that Argo CD gets"}
}

func (s clusterSet) check(ctx context.Context, r kube.Reader) step.Finding {
	u, f := s.object().find(ctx, r)
	if f != nil {
		return *f
	}
	if kind := kube.Text(u, "spec", "clusterSelector", "selectorType"); kind != "" && kind != exclusive {
		return step.OK("exists, and selects its clusters by %s", kind).On("%s", s.object().describe())
	}
	return step.OK("exists: %s puts a hosted cluster into it",
		hint.Run("create cluster").Flag("cluster-set", names.ClusterSet)).
		On("%s", s.object().describe())
}

// exclusive is the selector type of a set that selects clusters by their label.
const exclusive = "ExclusiveClusterSetLabel"

func (s clusterSet) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	return c.Apply(ctx, prereq.NewObject(kube.ManagedClusterSet, "", names.ClusterSet,
		map[string]any{"clusterSelector": map[string]any{"selectorType": exclusive}}))
}

// used returns a finding if the set still has clusters, so that it is kept.
func (s clusterSet) used(ctx context.Context, r kube.Reader) *step.Finding {
	list := &clusterv1.ManagedClusterList{}
	err := r.List(ctx, list, client.MatchingLabels{setLabel: names.ClusterSet})
	if err != nil && !kube.IsKindMissing(err) {
		f := kube.Unknown(err)
		return &f
	}
	if len(list.Items) == 0 {
		return nil
	}
	f := step.OK("left as it is: ManagedCluster %s is in it", list.Items[0].Name)
	return &f
}
