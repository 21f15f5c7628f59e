package prereqs

import (
	"context"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/ingress"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/multicluster"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
	"github.com/hcctl/hcctl/pkg/step"
)

// RemovalOptions is what a person can say about the removal of the prerequisites.
type RemovalOptions struct {
	// IncludeStorage removes storage too, with all data on it.
	IncludeStorage bool
}

// Removal returns the steps that undo Steps, the last first. They remove only what carries hcctl's own label and is of
// a kind and name that hcctl gives; a field of an object of others only if hcctl still owns it. Each holds once that is
// gone. CRDs stay: others may have objects of their kinds.
func Removal(c *kube.Client, o RemovalOptions) []step.Step {
	steps := slices.Concat(
		[]step.Step{{ID: prereq.NoHostedClusters, Title: "no hosted cluster is left", Group: "hosted clusters",
			Check: noHostedClusters{c}.check}},
		multicluster.Removal(c),
		loadbalancer.Removal(c),
		virtualization.Removal(c),
		ingress.Removal(c),
	)
	if o.IncludeStorage {
		steps = append(steps, storage.Removal(c)...)
	}
	for i := range steps {
		if steps[i].Timeout == 0 {
			steps[i].Timeout = 20 * time.Minute
		}
	}
	return steps
}

// noHostedClusters: what hosted clusters rest on is not taken from under them.
type noHostedClusters struct{ c *kube.Client }

func (s noHostedClusters) check(ctx context.Context) step.Finding {
	list := &hyperv1.HostedClusterList{}
	err := s.c.List(ctx, list)
	switch {
	case kube.IsKindMissing(err):
		return step.OK("none: HyperShift is not installed").On("HostedClusters")
	case err != nil:
		return kube.Unread(err).On("HostedClusters")
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
		WithHint("hcctl delete cluster %s --namespace %s, and so on", first.Name, first.Namespace)
}
