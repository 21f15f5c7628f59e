package ingress

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/step"
)

// wildcardRemoval resets the policy to the default, if hcctl set it.
type wildcardRemoval struct{}

func (s wildcardRemoval) check(ctx context.Context, r kube.Reader) step.Finding {
	ic, err := kube.ReadDefaultIngress(ctx, r)
	object := "IngressController " + ingressNamespace + "/" + ingressName
	switch {
	case apierrors.IsNotFound(err):
		return step.OK("there is none").On("%s", object)
	case err != nil:
		return kube.Unknown(err).On("%s", object)
	case ic.Spec.RouteAdmission.WildcardPolicy != kube.WildcardsAllowed:
		return step.OK("wildcard routes are not admitted").On("%s", object)
	case !removal.SetByHcctl(ic, "f:spec", "f:routeAdmission", "f:wildcardPolicy"):
		return step.OK("left as it is: hcctl did not set its wildcardPolicy").On("%s", object)
	}
	return step.Missing("its wildcardPolicy was set by hcctl").On("%s", object)
}

func (s wildcardRemoval) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	return patch(ctx, c, `{"spec":{"routeAdmission":{"wildcardPolicy":null}}}`)
}
