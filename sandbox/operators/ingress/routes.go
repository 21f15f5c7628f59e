package ingress

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	operatorv1 "github.com/openshift/api/operator/v1"
	routev1 "github.com/openshift/api/route/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// hostGenerated marks a Route with a generated host.
const hostGenerated = "openshift.io/host.generated"

// admit sets a Route's host, which the real OpenShift API server does at creation, and writes which routers serve it:
// the default one, and those of other IngressControllers (shards).
func (i *ingress) admit(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	route := &routev1.Route{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	if found, err := framework.Exists(ctx, i.Client, route); err != nil || !found || route.DeletionTimestamp != nil {
		return reconcile.Result{}, err
	}
	domain, err := i.domain(ctx)
	if err != nil || domain == "" {
		return reconcile.Result{}, err
	}
	if err := framework.Change(ctx, i.Client, route, func(r *routev1.Route) {
		if r.Spec.WildcardPolicy == "" {
			r.Spec.WildcardPolicy = routev1.WildcardPolicyNone
		}
		if r.Spec.Host == "" && r.Spec.Subdomain == "" {
			r.Spec.Host = fmt.Sprintf("%s-%s.%s", r.Name, r.Namespace, domain)
			metav1.SetMetaDataAnnotation(&r.ObjectMeta, hostGenerated, "true")
		}
	}); err != nil {
		return reconcile.Result{}, err
	}
	routers := &operatorv1.IngressControllerList{}
	if err := i.Client.List(ctx, routers, client.InNamespace(ingressNamespace)); err != nil {
		return reconcile.Result{}, err
	}
	host := route.Spec.Host
	if host == "" {
		host = route.Spec.Subdomain + "." + domain
	}
	var entries []routev1.RouteIngress
	for n := range routers.Items {
		entry, err := i.judge(ctx, &routers.Items[n], route, host, domain)
		if err != nil {
			return reconcile.Result{}, err
		}
		if entry != nil {
			entries = append(entries, *entry)
		}
	}
	return reconcile.Result{}, framework.WriteStatus(ctx, i.Client, route, func(r *routev1.Route) {
		// The operator takes out what a router has written that is not there any more.
		r.Status.Ingress = slices.DeleteFunc(r.Status.Ingress, func(e routev1.RouteIngress) bool {
			return !slices.ContainsFunc(routers.Items,
				func(ic operatorv1.IngressController) bool { return ic.Name == e.RouterName })
		})
		for _, entry := range entries {
			enter(r, entry)
		}
	})
}

// judge is what one router writes into a Route; nil if it writes nothing now. domain is that of the default router.
func (i *ingress) judge(ctx context.Context, ic *operatorv1.IngressController, route *routev1.Route,
	host, domain string) (*routev1.RouteIngress, error) {
	if selected, err := i.selects(ctx, ic, route); err != nil || !selected {
		return nil, err
	}
	written := slices.ContainsFunc(route.Status.Ingress,
		func(e routev1.RouteIngress) bool { return e.RouterName == ic.Name })
	// During a roll-out each router still has its old policy, so nothing changes.
	if rolling(ic) && route.Spec.WildcardPolicy != routev1.WildcardPolicyNone && written {
		return nil, nil
	}
	router, err := i.routerOf(ctx, ic.Name)
	if err != nil || router == nil {
		return nil, err // nobody is there to write
	}
	verdict, err := i.admission(ctx, route, ic, takesWildcards(router), host)
	if err != nil {
		return nil, err
	}
	return &routev1.RouteIngress{
		Host: host, RouterName: ic.Name,
		RouterCanonicalHostname: "router-" + ic.Name + "." + cmp.Or(ic.Status.Domain, domain),
		WildcardPolicy:          route.Spec.WildcardPolicy,
		Conditions:              []routev1.RouteIngressCondition{verdict},
	}, nil
}

// enter writes what a router says into a Route.
func enter(route *routev1.Route, entry routev1.RouteIngress) {
	at := slices.IndexFunc(route.Status.Ingress,
		func(e routev1.RouteIngress) bool { return e.RouterName == entry.RouterName })
	if at < 0 {
		route.Status.Ingress = append(route.Status.Ingress, entry)
		return
	}
	for _, old := range route.Status.Ingress[at].Conditions {
		if old.Type == routev1.RouteAdmitted && old.Status == entry.Conditions[0].Status {
			entry.Conditions[0].LastTransitionTime = old.LastTransitionTime
		}
	}
	route.Status.Ingress[at] = entry
}

// selects reports whether the router looks at a Route at all. It writes nothing into others; what it has written before
// stays.
func (i *ingress) selects(ctx context.Context, ic *operatorv1.IngressController, route *routev1.Route) (bool, error) {
	routes, err := metav1.LabelSelectorAsSelector(cmp.Or(ic.Spec.RouteSelector, &metav1.LabelSelector{}))
	if err != nil || !routes.Matches(labels.Set(route.Labels)) {
		return false, err
	}
	if ic.Spec.NamespaceSelector == nil {
		return true, nil
	}
	namespaces, err := metav1.LabelSelectorAsSelector(ic.Spec.NamespaceSelector)
	if err != nil {
		return false, err
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: route.Namespace}}
	found, err := framework.Exists(ctx, i.Client, namespace)
	return found && namespaces.Matches(labels.Set(namespace.Labels)), err
}

// admission returns whether the router admits a Route, with reason and message.
func (i *ingress) admission(ctx context.Context, route *routev1.Route, ic *operatorv1.IngressController,
	wildcards bool, host string) (routev1.RouteIngressCondition, error) {
	verdict := routev1.RouteIngressCondition{
		Type: routev1.RouteAdmitted, Status: corev1.ConditionTrue, LastTransitionTime: ptr.To(metav1.Now()),
	}
	refuse := func(reason, message string) (routev1.RouteIngressCondition, error) {
		verdict.Status, verdict.Reason, verdict.Message = corev1.ConditionFalse, reason, message
		return verdict, nil
	}
	admission := ptr.Deref(ic.Spec.RouteAdmission, operatorv1.RouteAdmissionPolicy{})
	switch route.Spec.WildcardPolicy {
	case routev1.WildcardPolicyNone:
	case routev1.WildcardPolicySubdomain:
		if !wildcards {
			return refuse("RouteNotAdmitted", "wildcard routes are not allowed")
		}
	default:
		return refuse("RouteNotAdmitted", fmt.Sprintf("unknown wildcard policy %v", route.Spec.WildcardPolicy))
	}
	if admission.NamespaceOwnership == operatorv1.InterNamespaceAllowedOwnershipCheck {
		return verdict, nil
	}
	all := &routev1.RouteList{}
	if err := i.Client.List(ctx, all); err != nil {
		return verdict, err
	}
	for _, other := range all.Items {
		if other.Namespace != route.Namespace && other.Spec.Host == host && older(&other, route) {
			return refuse("HostAlreadyClaimed", fmt.Sprintf("route %s already exposes %s and is older", other.Name, host))
		}
	}
	return verdict, nil
}

func older(a, b *routev1.Route) bool {
	if a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.UID < b.UID
	}
	return a.CreationTimestamp.Before(&b.CreationTimestamp)
}
