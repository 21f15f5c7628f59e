package gitops

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	Placement       step.ID = "gitops/placement"
	removePlacement step.ID = "uninstall/gitops-placement"
)

// placement selects all clusters of the sets that are bound to Argo CD's namespace.
type placement struct{}

func (s placement) object() object { return object{kube.Placement, names.Namespace, names.Placement} }

func (s placement) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Placement, Title: "placement of hosted clusters", Needs: []step.ID{Binding},
		Check: s.check, Apply: s.apply, Timeout: 5 * time.Minute,
		Rights: prereq.Rights{
			Check:  optional(s.rule("get")),
			Apply:  optional(s.rule("create patch")),
			Remove: optional(s.rule("get delete")),
		},
		Remove: []prereq.Removal{s.object().removal(removePlacement, "placement of hosted clusters", nil,
			removeGitOpsCluster)},
	}
}

func (s placement) rule(verbs string) access.Rule {
	return access.Rule{Verbs: verbs, Resources: "placements.cluster.open-cluster-management.io",
		Names: names.Placement,
		Why:   "which clusters Argo CD gets"}
}

func (s placement) check(ctx context.Context, r kube.Reader) step.Finding {
	u, f := s.object().find(ctx, r)
	if f != nil {
		return *f
	}
	return judgePlacement(u).On("%s", s.object().describe())
}

// judgePlacement judges the conditions of the hub's scheduler. Empty sets are no problem: hosted clusters are added
// later.
func judgePlacement(u *unstructured.Unstructured) step.Finding {
	conditions := kube.Conditions(u)
	if wrong := kube.FindCondition(conditions, "PlacementMisconfigured"); wrong.True() {
		return step.Broken("%s", wrong.Describe()).
			WithHint("remove it, and %s makes it anew: oc delete placement %s -n %s", hint.Run("bootstrap"), u.GetName(),
				u.GetNamespace())
	}
	satisfied := kube.FindCondition(conditions, "PlacementSatisfied")
	selected, _, _ := unstructured.NestedInt64(u.Object, "status", "numberOfSelectedClusters")
	switch {
	case satisfied.True() && selected == 1:
		return step.OK("1 cluster is selected")
	case satisfied.True():
		return step.OK("%d clusters are selected", selected)
	case satisfied.False() && slices.Contains([]string{"AllManagedClusterSetsEmpty", "NoManagedClusterMatched"},
		satisfied.Reason):
		return step.OK("its set waits for the first hosted cluster (%s)", satisfied.Reason)
	case satisfied.False():
		return step.Pending("%s", satisfied.Describe()).WithTrouble().WithHint("oc describe placement %s -n %s", u.GetName(),
			u.GetNamespace())
	}
	return step.Pending("the hub has not processed it yet")
}

func (s placement) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	change, err := c.Apply(ctx, prereq.NewObject(kube.Placement, names.Namespace, names.Placement,
		map[string]any{"tolerations": names.Tolerations()}))
	if err != nil {
		return "", fmt.Errorf("which clusters Argo CD gets: %w", err)
	}
	return change, nil
}
