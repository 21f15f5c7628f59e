package prereqs

import (
	"context"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/step"
)

// RemovalOptions are a user's settings for the removal of the prerequisites.
type RemovalOptions struct {
	// IncludeStorage removes storage too, with all data on it.
	IncludeStorage bool
}

// Removal returns the steps that undo Steps, in reverse order. They remove only objects with hcctl's label and with a
// kind and name that hcctl uses; fields of foreign objects only if hcctl still owns them. Each step succeeds once that
// is gone. CRDs stay, because other objects of their kinds may exist.
//
// The writes and deletions of a step are tried as dry runs first, so that none is made if one is refused, for example
// by a webhook or a policy.
func Removal(c *kube.Client, o RemovalOptions) []step.Step {
	return removalOf(c, prerequisites(withOptional(), nil), o)
}

func removalOf(c *kube.Client, all []prereq.Prerequisite, o RemovalOptions) []step.Step {
	// Nothing that hosted clusters depend on is removed while any exist.
	steps := []step.Step{{ID: prereq.NoHostedClusters, Title: "no hosted cluster is left", Group: "hosted clusters",
		Check: c.Reading(noHostedClusters)}}
	for _, p := range slices.Backward(all) {
		p.Remove = slices.Clone(p.Remove)
		for i := range p.Remove {
			p.Remove[i].Apply = dryRunFirst(p.Remove[i].Apply)
		}
		if o.IncludeStorage || p.ID.Group() != storage.DefaultClass.Group() {
			steps = append(steps, p.Removal(c)...)
		}
	}
	for i := range steps {
		if steps[i].Timeout == 0 {
			steps[i].Timeout = 20 * time.Minute
		}
	}
	return step.InOrder(steps)
}

// LeftBehind describes what removed operators have left in the cluster and how to remove it, one sentence each.
func LeftBehind(ctx context.Context, r kube.Reader) []string {
	var lines []string
	for _, p := range everyPrerequisite() {
		for _, e := range p.Effects {
			switch line, err := e.Left(ctx, r); {
			case err != nil:
				lines = append(lines, "it is not known what is left of "+e.By+": "+kube.Explain(err))
			case line != "":
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// removalRights returns the rights that uninstall always needs.
func removalRights() []access.Rule {
	return []access.Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "names the cluster before it asks"},
		{Verbs: "list watch", Resources: "*.*", Why: "a namespace is removed only if nothing is left in it, of any kind"},
	}
}

func noHostedClusters(ctx context.Context, r kube.Reader) step.Finding {
	list := &hyperv1.HostedClusterList{}
	err := r.List(ctx, list)
	switch {
	case kube.IsKindMissing(err):
		return step.OK("none: HyperShift is not installed").On("HostedClusters")
	case err != nil:
		return kube.Unknown(err).On("HostedClusters")
	case len(list.Items) == 0:
		return step.OK("none").On("HostedClusters")
	}
	names := make([]string, 0, len(list.Items))
	for i := range list.Items {
		names = append(names, kube.Name(&list.Items[i]))
	}
	first := &list.Items[0]
	return step.Broken("%d are there: %s; nothing is removed while there are any", len(names), strings.Join(names, ", ")).
		On("HostedClusters").
		WithHint("%s", hint.Run("delete cluster", first.Name).Flag("namespace", first.Namespace))
}
