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
		if !known || csv.IsCopied() || Leaves(csv.Status.Phase) {
			continue
		}
		if f := explained(ctx, r, csv); f.State != step.StateOK {
			return &f
		}
	}
	return nil
}

// Unresolved returns why OLM does not install what a Subscription of the namespace asks for; nil where it installs all,
// or works on it. The operator that made the Subscription may still change it, so nothing is final.
func Unresolved(ctx context.Context, r kube.Reader, namespace string) *step.Finding {
	list := &olmv1alpha1.SubscriptionList{}
	if err := r.List(ctx, list); err != nil {
		f := kube.Unknown(err).On("Subscriptions")
		return &f
	}
	for i := range list.Items {
		sub := &list.Items[i]
		if sub.Namespace != namespace || sub.Status.InstalledCSV != "" {
			continue
		}
		plan, err := installPlan(ctx, r, sub)
		if err != nil {
			f := kube.Unknown(err).On("InstallPlan of Subscription %s", kube.Name(sub))
			return &f
		}
		if f := judgeSubscription(sub, plan, r.Now()); f.State == step.StateBroken || f.Trouble {
			f.State = step.StatePending
			f = f.WithTrouble()
			return &f
		}
	}
	return nil
}
