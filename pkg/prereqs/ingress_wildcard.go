package prereqs

import (
	"context"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	ingressNamespace = "openshift-ingress-operator"
	ingressName      = "default"
)

// wildcard: the default ingress lets a hosted cluster claim *.apps under its own domain, which the passthrough to its apps
// needs unless it has a base domain of its own.
type wildcard struct{ c *kube.Client }

func (s wildcard) step() step.Step {
	return step.Step{
		ID: IngressWildcard, Title: "wildcard routes", Needs: gates(),
		Check: s.check, Apply: s.apply, Timeout: 15 * time.Minute,
	}
}

func (s wildcard) check(ctx context.Context) step.Finding {
	ic := &operatorv1.IngressController{}
	err := s.c.Get(ctx, types.NamespacedName{Namespace: ingressNamespace, Name: ingressName}, ic)
	object := "IngressController " + ingressNamespace + "/" + ingressName
	switch {
	case apierrors.IsNotFound(err):
		return step.Stuck("there is no default IngressController").On("%s", object).WithHint("oc get clusteroperator ingress")
	case err != nil:
		return kube.Unread(err).On("%s", object)
	}
	return judgeIngress(ic).On("%s", object)
}

// judgeIngress waits for the routers to have rolled out with the policy, as the ingress operator of OpenShift 4.12 and later
// reports it.
func judgeIngress(ic *operatorv1.IngressController) step.Finding {
	policy := operatorv1.WildcardPolicyDisallowed
	if ic.Spec.RouteAdmission != nil && ic.Spec.RouteAdmission.WildcardPolicy != "" {
		policy = ic.Spec.RouteAdmission.WildcardPolicy
	}
	if policy != operatorv1.WildcardPolicyAllowed {
		return step.NotThere("spec.routeAdmission.wildcardPolicy is %s, hosted clusters need %s", policy, operatorv1.WildcardPolicyAllowed)
	}
	if ic.Status.ObservedGeneration < ic.Generation {
		return step.Waiting("the ingress operator has not looked at its latest change yet")
	}
	for _, want := range []struct{ conditionType, status string }{
		{operatorv1.OperatorStatusTypeDegraded, string(operatorv1.ConditionFalse)},
		{operatorv1.OperatorStatusTypeAvailable, string(operatorv1.ConditionTrue)},
		{operatorv1.OperatorStatusTypeProgressing, string(operatorv1.ConditionFalse)},
	} {
		c := kube.Condition{Type: want.conditionType}
		for _, have := range ic.Status.Conditions {
			if have.Type == want.conditionType {
				c = kube.Condition{Type: have.Type, Status: string(have.Status), Reason: have.Reason, Message: have.Message}
			}
		}
		if c.Status != want.status {
			return step.Waiting("%s", c.Told())
		}
	}
	return step.Okay("%s", policy)
}

// apply changes that one field: routeAdmission may hold a namespaceOwnership that somebody relies on.
func (s wildcard) apply(ctx context.Context) (step.Change, error) {
	ic := &operatorv1.IngressController{ObjectMeta: metav1.ObjectMeta{Namespace: ingressNamespace, Name: ingressName}}
	return mergePatch(ctx, s.c, ic, `{"spec":{"routeAdmission":{"wildcardPolicy":"WildcardsAllowed"}}}`)
}
