package ingress

import (
	"cmp"
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite of this file, and its removal.
const (
	Wildcard       step.ID = "ingress/wildcard"
	removeWildcard step.ID = "uninstall/wildcard"
)

const (
	ingressNamespace = kube.IngressNamespace
	ingressName      = kube.IngressControllerName
	// routerNamespace is where the routers of an IngressController run, as Deployment router-NAME.
	routerNamespace = "openshift-ingress"
	// wildcardVariable is how the ingress operator tells its routers the policy.
	wildcardVariable = "ROUTER_ALLOW_WILDCARD_ROUTES"
)

// wildcard lets a hosted cluster claim *.apps under its own domain on the default ingress. The passthrough to its apps
// needs that unless it has a base domain of its own.
type wildcard struct {
	taken prereq.TakeOver
}

func (s wildcard) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Wildcard, Title: "wildcard routes", Needs: prereq.Gates(),
		Check: s.check, Apply: s.apply, Timeout: 15 * time.Minute,
		TakesOver: "allows wildcard Routes although somebody has set spec.routeAdmission.wildcardPolicy to " +
			"WildcardsDisallowed",
		Rights: prereq.Rights{
			Check: []access.Rule{readIngress(),
				{Verbs: "get", Resources: "deployments.apps", Names: "router-" + ingressName, At: access.In(routerNamespace),
					Why: "whether the router takes wildcard Routes"},
			},
			Apply: []access.Rule{{Verbs: "patch", Resources: "ingresscontrollers.operator.openshift.io", Names: ingressName,
				At: access.In(ingressNamespace), Why: "allows wildcard Routes"}},
			Remove: []access.Rule{{Verbs: "get patch", Resources: "ingresscontrollers.operator.openshift.io", Names: ingressName,
				At: access.In(ingressNamespace), Why: "no longer allows wildcard Routes, if hcctl set that"}},
		},
		Remove: []prereq.Removal{{ID: removeWildcard, Title: "wildcard routes", Needs: []step.ID{prereq.NoHostedClusters},
			Check: wildcardRemoval{}.check, Apply: wildcardRemoval{}.apply}},
		Preflight: &prereq.Preflight{For: func(w prereq.Wanted) bool { return w.PassesThrough }},
	}
}

func (s wildcard) check(ctx context.Context, r kube.Reader) step.Finding {
	ic, err := kube.ReadDefaultIngress(ctx, r)
	object := "IngressController " + ingressNamespace + "/" + ingressName
	switch {
	case apierrors.IsNotFound(err):
		return step.Broken("there is no default IngressController").On("%s", object).
			WithHint("oc get clusteroperator ingress")
	case err != nil:
		return kube.Unknown(err).On("%s", object)
	}
	if f := judgeSelectors(ic); f != nil {
		return f.On("%s", object)
	}
	if f := s.forbidden(ic); f != nil {
		return f.On("%s", object)
	}
	if f := judgeIngress(ic).On("%s", object); f.State != step.StateOK {
		return f
	}
	return s.rolledOut(ctx, r).On("%s", object)
}

// forbidden is the finding where somebody has forbidden wildcard Routes, not only left them as they are by default; nil
// where nobody has.
func (s wildcard) forbidden(ic *kube.DefaultIngress) *step.Finding {
	if ic.Spec.RouteAdmission.WildcardPolicy != kube.WildcardsDisallowed {
		return nil
	}
	return s.taken.Decided(Wildcard, ic, "spec.routeAdmission.wildcardPolicy is "+kube.WildcardsDisallowed,
		"spec", "routeAdmission", "wildcardPolicy")
}

// readIngress is the right to read the default IngressController.
func readIngress() access.Rule {
	return access.Rule{Verbs: "get", Resources: "ingresscontrollers.operator.openshift.io", Names: ingressName,
		At: access.In(ingressNamespace), Why: "whether wildcard Routes are allowed"}
}

// rolledOut looks at the routers themselves: the operator's conditions are a moment behind its change of their
// Deployment.
func (s wildcard) rolledOut(ctx context.Context, r kube.Reader) step.Finding {
	router := &appsv1.Deployment{}
	err := r.Get(ctx, types.NamespacedName{Namespace: routerNamespace, Name: "router-" + ingressName}, router)
	switch {
	case apierrors.IsNotFound(err):
		// Where there are none of that name, the operator's word stands.
		return step.OK("%s", kube.WildcardsAllowed)
	case err != nil:
		return kube.Unknown(err)
	}
	return judgeRouters(router, r.Now())
}

// judgeRouters wants every router to be one that admits wildcards.
func judgeRouters(router *appsv1.Deployment, now time.Time) step.Finding {
	admits := slices.ContainsFunc(router.Spec.Template.Spec.Containers, func(c corev1.Container) bool {
		return slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool {
			return e.Name == wildcardVariable &&
				e.Value == "true"
		})
	})
	want := prereq.Replicas(router)
	switch v := health.Of(router, now); {
	case !admits:
		return step.Pending("the ingress operator has not configured the routers yet (%s of Deployment %s)", wildcardVariable,
			kube.Name(router))
	case v.State == step.StatePending:
		return step.Pending("%d of %d routers have been replaced",
			min(router.Status.UpdatedReplicas, router.Status.AvailableReplicas), want)
	case !v.OK():
		f := v.Finding
		f.Message = v.Object + ": " + v.Message
		return f
	}
	return step.OK("%s, all %d routers admit them", kube.WildcardsAllowed, want)
}

// judgeIngress waits for the routers to have rolled out with the policy, as the ingress operator of OpenShift 4.12 and
// later reports it.
func judgeIngress(ic *kube.DefaultIngress) step.Finding {
	policy := cmp.Or(ic.Spec.RouteAdmission.WildcardPolicy, kube.WildcardsDisallowed)
	if policy != kube.WildcardsAllowed {
		return step.Missing("spec.routeAdmission.wildcardPolicy is %s, hosted clusters need %s", policy,
			kube.WildcardsAllowed)
	}
	if ic.Status.ObservedGeneration < ic.Generation {
		return step.Pending("the ingress operator has not processed its latest change yet")
	}
	for _, want := range []struct{ conditionType, status string }{
		{kube.ConditionDegraded, string(metav1.ConditionFalse)},
		{kube.ConditionAvailable, string(metav1.ConditionTrue)},
		{kube.ConditionProgressing, string(metav1.ConditionFalse)},
	} {
		c := kube.Condition{Type: want.conditionType}
		for _, have := range ic.Status.Conditions {
			if have.Type == want.conditionType {
				c = kube.Condition{Type: have.Type, Status: string(have.Status), Reason: have.Reason, Message: have.Message}
			}
		}
		if c.Status != want.status {
			return step.Pending("%s", c.Describe())
		}
	}
	return step.OK("%s", policy)
}

// apply changes only that field, because routeAdmission may have a namespaceOwnership.
func (s wildcard) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	return patch(ctx, c, `{"spec":{"routeAdmission":{"wildcardPolicy":"WildcardsAllowed"}}}`)
}

func patch(ctx context.Context, c *kube.Client, merge string) (step.Change, error) {
	ic := kube.IngressController.New()
	ic.SetNamespace(ingressNamespace)
	ic.SetName(ingressName)
	return prereq.MergePatch(ctx, c, ic, merge)
}
