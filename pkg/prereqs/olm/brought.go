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

// Unhealthy returns a finding about the first operator of the namespace whose ClusterServiceVersion has one of the name
// prefixes and has not succeeded, or nil. Versions that are being replaced do not count.
func Unhealthy(ctx context.Context, r kube.Reader, namespace string, prefixes ...string) *step.Finding {
	list := &olmv1alpha1.ClusterServiceVersionList{}
	if err := r.List(ctx, list, client.InNamespace(namespace)); err != nil {
		f := kube.Unknown(err).On("ClusterServiceVersions in %s", namespace)
		return &f
	}
	for i := range list.Items {
		csv := &list.Items[i]
		known := slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(csv.Name, prefix) })
		if !known || csv.IsCopied() || outgoing(csv.Status.Phase) {
			continue
		}
		if f := explained(ctx, r, csv); f.State != step.StateOK {
			return &f
		}
	}
	return nil
}

// Unresolved returns why OLM does not install a Subscription of the namespace, or nil if it installs or resolves all.
// The finding is never final, because the operator that made the Subscription may still change it.
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
