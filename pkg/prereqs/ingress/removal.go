package ingress

import (
	"context"

	operatorv1 "github.com/openshift/api/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/step"
)

// wildcardRemoval takes the policy back to the default, if it was hcctl who set it.
type wildcardRemoval struct{}

func (s wildcardRemoval) check(ctx context.Context, r kube.Reader) step.Finding {
	ic := &operatorv1.IngressController{}
	err := r.Get(ctx, types.NamespacedName{Namespace: ingressNamespace, Name: ingressName}, ic)
	object := "IngressController " + ingressNamespace + "/" + ingressName
	switch {
	case apierrors.IsNotFound(err):
		return step.OK("there is none").On("%s", object)
	case err != nil:
		return kube.Unknown(err).On("%s", object)
	case ic.Spec.RouteAdmission == nil || ic.Spec.RouteAdmission.WildcardPolicy != operatorv1.WildcardPolicyAllowed:
		return step.OK("wildcard routes are not admitted").On("%s", object)
	case !removal.SetByHcctl(ic, "f:spec", "f:routeAdmission", "f:wildcardPolicy"):
		return step.OK("left as it is: hcctl did not set its wildcardPolicy").On("%s", object)
	}
	return step.Missing("its wildcardPolicy was set by hcctl").On("%s", object)
}

func (s wildcardRemoval) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	ic := &operatorv1.IngressController{ObjectMeta: metav1.ObjectMeta{Namespace: ingressNamespace, Name: ingressName}}
	return prereq.MergePatch(ctx, c, ic, `{"spec":{"routeAdmission":{"wildcardPolicy":null}}}`)
}
