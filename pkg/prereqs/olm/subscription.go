package olm

import (
	"context"
	"slices"
	"strings"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// FindSubscription returns the Subscription of an operator's package, in any namespace and with any name, or nil. Of
// several it prefers one that has installed something, then the first by namespace and name.
func FindSubscription(ctx context.Context, r kube.Reader, op Operator) (*olmv1alpha1.Subscription, error) {
	list := &olmv1alpha1.SubscriptionList{}
	if err := r.List(ctx, list); err != nil {
		return nil, err
	}
	var found *olmv1alpha1.Subscription
	for i := range list.Items {
		sub := &list.Items[i]
		if sub.Spec == nil || sub.Spec.Package != op.Package && !slices.Contains(op.aliases, sub.Spec.Package) {
			continue
		}
		if found == nil || found.Status.InstalledCSV == "" && sub.Status.InstalledCSV != "" {
			found = sub
		}
	}
	return found, nil
}

// newSubscription returns a Subscription with automatic approval. Approval is manual if a version is pinned or a user
// approves updates.
func newSubscription(pkg string, o Offer) *olmv1alpha1.Subscription {
	startingCSV, approvalMode := "", olmv1alpha1.ApprovalAutomatic
	if o.pinned {
		startingCSV = o.csv
	}
	if o.pinned || o.manual {
		approvalMode = olmv1alpha1.ApprovalManual
	}
	return &olmv1alpha1.Subscription{
		ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: pkg},
		Spec: &olmv1alpha1.SubscriptionSpec{
			CatalogSource:          o.catalog,
			CatalogSourceNamespace: o.catalogNamespace,
			Package:                pkg,
			Channel:                o.channel,
			StartingCSV:            startingCSV,
			InstallPlanApproval:    approvalMode,
		},
	}
}

// installPlan reads the InstallPlan of a Subscription, or returns nil.
func installPlan(ctx context.Context, r kube.Reader, sub *olmv1alpha1.Subscription) (*olmv1alpha1.InstallPlan, error) {
	if sub.Status.InstallPlanRef == nil {
		return nil, nil
	}
	plan := &olmv1alpha1.InstallPlan{}
	err := r.Get(ctx, types.NamespacedName{Namespace: sub.Namespace, Name: sub.Status.InstallPlanRef.Name}, plan)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return plan, nil
}

// unsubscribed finds an operator that is installed without a Subscription: its Subscription was deleted, or the bundle
// was installed in another way. Copies that OLM makes of operators for all namespaces do not count.
func unsubscribed(ctx context.Context, r kube.Reader, op Operator) (*olmv1alpha1.ClusterServiceVersion, error) {
	list := &olmv1alpha1.ClusterServiceVersionList{}
	if err := r.List(ctx, list, client.InNamespace(op.Namespace)); err != nil {
		return nil, err
	}
	for i := range list.Items {
		csv := &list.Items[i]
		if strings.HasPrefix(csv.Name, op.CSVPrefix) && !csv.IsCopied() && !outgoing(csv.Status.Phase) {
			return csv, nil
		}
	}
	return nil, nil
}
