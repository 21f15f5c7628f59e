package hypershift

import (
	"context"
	"fmt"
	"slices"

	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// leavePrivateRoutes makes the default router of the management cluster leave the private Routes of control planes to
// their own routers. Each version of the operator does so when it starts; here the newest alone does.
func leavePrivateRoutes(ctx context.Context, c client.Client) error {
	ic := &operatorv1.IngressController{ObjectMeta: metav1.ObjectMeta{Namespace: "openshift-ingress-operator",
		Name: "default"}}
	if err := c.Get(ctx, client.ObjectKeyFromObject(ic), ic); err != nil {
		return client.IgnoreNotFound(err)
	}
	_, err := controllerutil.CreateOrPatch(ctx, c, ic, func() error {
		if ic.Spec.RouteSelector == nil {
			ic.Spec.RouteSelector = &metav1.LabelSelector{}
		}
		rules := &ic.Spec.RouteSelector.MatchExpressions
		if !slices.ContainsFunc(*rules, func(r metav1.LabelSelectorRequirement) bool {
			return r.Key == metadata.ControlPlaneLabel
		}) {
			*rules = append(*rules, metav1.LabelSelectorRequirement{Key: metadata.ControlPlaneLabel,
				Operator: metav1.LabelSelectorOpDoesNotExist})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("failed to reconcile default ingress controller: %w", err)
	}
	return nil
}
