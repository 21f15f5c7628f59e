package ingress

import (
	"cmp"
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Published is the prerequisite of this file.
const Published step.ID = "ingress/published"

// published checks that OpenShift publishes the default ingress, through which users reach the apps of hosted clusters.
type published struct{}

func (s published) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Published, Title: "published ingress", Severity: step.Advisory,
		Check:     s.check,
		Rights:    prereq.Rights{Check: []access.Rule{readIngress()}},
		Preflight: &prereq.Preflight{For: func(w prereq.Wanted) bool { return w.PassesThrough }},
	}
}

func (s published) check(ctx context.Context, r kube.Reader) step.Finding {
	ic, err := kube.ReadDefaultIngress(ctx, r)
	const object = "IngressController " + ingressNamespace + "/" + ingressName
	switch {
	case apierrors.IsNotFound(err):
		return *prereq.NothingYet("there is no default IngressController")
	case err != nil:
		return kube.Unknown(err).On(object)
	}
	return judgePublished(strategyOf(ic)).On(object)
}

// judgePublished returns Unknown for the strategy Private: the user may have published the routers in another way.
func judgePublished(strategy string) step.Finding {
	switch strategy {
	case "":
		return step.Unknown("it does not report its endpointPublishingStrategy")
	case kube.PrivateStrategy:
		return step.Unknown("its endpointPublishingStrategy is %s, so OpenShift publishes no address for it; whether the "+
			"apps of hosted clusters can be reached is not known", strategy).
			WithHint("see whether somebody has published Deployment %s by hand: oc get service -n %s; the strategy of an "+
				"IngressController cannot be changed, only another one put in its place: oc get ingresscontroller %s -n %s -o "+
				"yaml, then oc replace --force", "router-"+ingressName, routerNamespace, ingressName, ingressNamespace)
	}
	return step.OK("%s", strategy)
}

// strategyOf returns the publishing strategy in the status, or else in the spec. A later change of the spec has no
// effect on a published ingress.
func strategyOf(ic *kube.DefaultIngress) string {
	return cmp.Or(ic.Status.EndpointPublishingStrategy.Type, ic.Spec.EndpointPublishingStrategy.Type)
}
