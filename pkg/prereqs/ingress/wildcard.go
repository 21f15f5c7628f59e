package ingress

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	Wildcard       step.ID = "ingress/wildcard"
	removeWildcard step.ID = "uninstall/wildcard"
)

const (
	ingressNamespace = kube.IngressNamespace
	ingressName      = kube.IngressControllerName
	// routerNamespace is the namespace of the routers of an IngressController: Deployment router-NAME.
	routerNamespace = "openshift-ingress"
	// wildcardVariable is the environment variable by which the ingress operator configures its routers.
	wildcardVariable = "ROUTER_ALLOW_WILDCARD_ROUTES"
)

// wildcard allows a hosted cluster to claim *.apps under its own domain on the default ingress. The passthrough to its
// apps needs that, unless it has a base domain of its own.
type wildcard struct {
	takeOver prereq.TakeOver
}

func (s wildcard) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Wildcard, Title: "wildcard routes", Needs: prereq.Gates(),
		Check: s.check, Apply: s.apply, Timeout: 15 * time.Minute,
		TakesOver: "allows wildcard Routes although somebody has set spec.routeAdmission.wildcardPolicy to " +
			"WildcardsDisallowed",
		Rights: prereq.Rights{
			Check: append(prereq.ReadWorkloads(), readIngress(),
				access.Rule{Verbs: "get", Resources: "deployments.apps", Names: "router-" + ingressName,
					At: access.In(routerNamespace), Why: "whether the router takes wildcard Routes"}),
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
	v := health.Wildcards(ic)
	switch {
	case v.Reason == kube.WildcardsDisallowed:
		return step.Missing("%s", v.Message).On("%s", object)
	case v.State == step.StateBroken, ic.Status.ObservedGeneration < ic.Generation:
		return v.Finding
	}
	// Problems of the routers explain what the operator reports.
	if f := s.rolledOut(ctx, r, object); v.OK() || f.State == step.StateBroken || f.Trouble {
		return f
	}
	return v.Finding
}

// forbidden returns a finding if wildcard Routes were forbidden explicitly, not only by default, else nil.
func (s wildcard) forbidden(ic *kube.DefaultIngress) *step.Finding {
	if ic.Spec.RouteAdmission.WildcardPolicy != kube.WildcardsDisallowed {
		return nil
	}
	return s.takeOver.Decided(Wildcard, ic, "spec.routeAdmission.wildcardPolicy is "+kube.WildcardsDisallowed,
		"spec", "routeAdmission", "wildcardPolicy")
}

// readIngress returns the right to read the default IngressController.
func readIngress() access.Rule {
	return access.Rule{Verbs: "get", Resources: "ingresscontrollers.operator.openshift.io", Names: ingressName,
		At: access.In(ingressNamespace), Why: "whether wildcard Routes are allowed"}
}

// rolledOut judges the routers themselves: the operator's conditions lag behind its change of their Deployment.
func (s wildcard) rolledOut(ctx context.Context, r kube.Reader, object string) step.Finding {
	router := &appsv1.Deployment{}
	key := types.NamespacedName{Namespace: routerNamespace, Name: "router-" + ingressName}
	err := r.Get(ctx, key, router)
	switch {
	case apierrors.IsNotFound(err):
		return step.Pending("it has no routers: there is no Deployment %s", key).On("%s", object).WithTrouble().
			WithHint("oc get pods,events -n %s", ingressNamespace)
	case err != nil:
		return kube.Unknown(err).On("%s", object)
	}
	return judgeRouters(ctx, r, router, object)
}

// judgeRouters requires that every router admits wildcards.
func judgeRouters(ctx context.Context, r kube.Reader, router *appsv1.Deployment, object string) step.Finding {
	admits := slices.ContainsFunc(router.Spec.Template.Spec.Containers, func(c corev1.Container) bool {
		return slices.Contains(c.Env, corev1.EnvVar{Name: wildcardVariable, Value: "true"})
	})
	if !admits {
		return step.Pending("the ingress operator has not configured the routers yet (%s of Deployment %s)", wildcardVariable,
			kube.Name(router)).On("%s", object).WithHint("oc get pods,events -n %s", ingressNamespace)
	}
	if f := prereq.JudgeWorkload(ctx, r, router); f != nil {
		return *f
	}
	return step.OK("%s, all %d routers admit them", kube.WildcardsAllowed, prereq.Replicas(router)).On("%s", object)
}

// apply changes only this field, because routeAdmission may also have a namespaceOwnership.
func (s wildcard) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	return patch(ctx, c, `{"spec":{"routeAdmission":{"wildcardPolicy":"WildcardsAllowed"}}}`)
}

func patch(ctx context.Context, c *kube.Client, merge string) (step.Change, error) {
	ic := kube.IngressController.New()
	ic.SetNamespace(ingressNamespace)
	ic.SetName(ingressName)
	return prereq.MergePatch(ctx, c, ic, merge)
}
