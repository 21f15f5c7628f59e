package olm

import (
	"context"
	"slices"
	"strings"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Unwell is the finding about the first operator of the namespace whose ClusterServiceVersion begins with one of the
// prefixes and has not succeeded; nil where there is none. Versions that make room for a newer one do not count.
func Unwell(ctx context.Context, r kube.Reader, namespace string, prefixes ...string) *step.Finding {
	list := &olmv1alpha1.ClusterServiceVersionList{}
	if err := r.List(ctx, list, client.InNamespace(namespace)); err != nil {
		f := kube.Unknown(err).On("ClusterServiceVersions in %s", namespace)
		return &f
	}
	for i := range list.Items {
		csv := &list.Items[i]
		known := slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(csv.Name, prefix) })
		leaves := csv.Status.Phase == olmv1alpha1.CSVPhaseReplacing || csv.Status.Phase == olmv1alpha1.CSVPhaseDeleting
		if !known || csv.IsCopied() || leaves {
			continue
		}
		if f := judgeVersion(csv); f.State != step.StateOK {
			return &f
		}
	}
	return nil
}
