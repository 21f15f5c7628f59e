// Package ingress simulates the ingress operator and the routers of the management cluster.
package ingress

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	routev1 "github.com/openshift/api/route/v1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	ingressNamespace = "openshift-ingress-operator"
	// birthTime is how long new routers have to start before a status that says they run is corrected.
	birthTime = 20 * time.Second
)

// Operator is the ingress operator with the routers. It rolls out the routers when the IngressController
// changes, sets the hosts of Routes, and admits them.
func Operator() operator.Operator {
	return operator.Operator{
		Name: "ingress-operator",
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			i := &ingress{framework.NewRun(mgr, env)}
			controllers := i.ToEach(func() client.ObjectList { return &operatorv1.IngressControllerList{} })
			if err := i.NewController("ingresscontroller", &operatorv1.IngressController{}).
				Watches(&appsv1.Deployment{}, controllers, framework.InNamespaces(routerNamespace)).
				Complete(reconcile.Func(i.reconcileController)); err != nil {
				return err
			}
			return i.NewController("route", &routev1.Route{}).
				Watches(&operatorv1.IngressController{}, i.ToEach(func() client.ObjectList { return &routev1.RouteList{} })).
				Complete(reconcile.Func(i.admit))
		},
	}
}

type ingress struct{ *framework.Run }

// rolling reports whether a roll-out is in progress, which the operator stores in the IngressController as Progressing
// True.
func rolling(ic *operatorv1.IngressController) bool {
	return ic.Status.ObservedGeneration < ic.Generation ||
		conditionIs(ic, operatorv1.OperatorStatusTypeProgressing, operatorv1.ConditionTrue)
}

func conditionIs(ic *operatorv1.IngressController, kind string, status operatorv1.ConditionStatus) bool {
	return slices.ContainsFunc(ic.Status.Conditions,
		func(c operatorv1.OperatorCondition) bool { return c.Type == kind && c.Status == status })
}

// reconcileController reconciles an IngressController. One that it does not admit keeps the routers and the other
// conditions that it has: nothing else is done for it until its spec changes.
func (i *ingress) reconcileController(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	ic := &operatorv1.IngressController{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	found, err := framework.Exists(ctx, i.Client, ic)
	if err != nil || !found || req.Namespace != ingressNamespace || ic.DeletionTimestamp != nil {
		return reconcile.Result{}, errors.Join(err, i.clean(ctx, req, found))
	}
	domain, err := i.domain(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	domain = cmp.Or(ic.Status.Domain, ic.Spec.Domain, domain)
	why, err := i.invalid(ctx, ic, domain)
	if err != nil {
		return reconcile.Result{}, err
	}
	if why != "" {
		if err := i.Warn(ctx, ic, "Rejected", why); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Result{}, i.setStatus(ctx, ic, domain, condition(admitted, false, "Invalid", why))
	}
	router, err := i.ensureRouters(ctx, ic)
	if err != nil {
		return reconcile.Result{}, err
	}
	// At the birth of the sandbox the routers have run for long, by the IngressController.
	if router.Status.AvailableReplicas == 0 && router.Generation <= 1 &&
		conditionIs(ic, "DeploymentAvailable", operatorv1.ConditionTrue) {
		if wait := i.Remaining(birthTime, "birth-"+string(router.UID)); wait > 0 {
			return framework.RequeueAfter(wait), nil
		}
	}
	conditions, wait, err := i.conditions(ctx, ic, router)
	if err != nil {
		return reconcile.Result{}, err
	}
	return framework.RequeueAfter(wait), i.setStatus(ctx, ic, domain,
		append(conditions, condition(admitted, true, "Valid", ""))...)
}

// admitted is the condition that comes before all work.
const admitted = "Admitted"

// invalid says why the operator does not admit an IngressController, in part of its own rules.
func (i *ingress) invalid(ctx context.Context, ic *operatorv1.IngressController, domain string) (string, error) {
	all := &operatorv1.IngressControllerList{}
	if err := i.Client.List(ctx, all, client.InNamespace(ingressNamespace)); err != nil {
		return "", err
	}
	var why []string
	for n := range all.Items {
		other := &all.Items[n]
		if other.UID != ic.UID && other.Status.Domain == domain && conditionIs(other, admitted, operatorv1.ConditionTrue) {
			why = append(why, "conflicts with: "+other.Name)
			break
		}
	}
	if p := ic.Spec.TLSSecurityProfile; p != nil && p.Type == configv1.TLSProfileCustomType {
		switch {
		case p.Custom == nil:
			why = append(why, "security profile is not defined")
		case len(p.Custom.Ciphers) == 0:
			why = append(why, "security profile has an empty ciphers list")
		}
	}
	if len(why) > 1 {
		return "[" + strings.Join(why, ", ") + "]", nil
	}
	return strings.Join(why, ""), nil
}

// clean removes the routers of an IngressController that is gone.
func (i *ingress) clean(ctx context.Context, req reconcile.Request, found bool) error {
	if found || req.Namespace != ingressNamespace {
		return nil
	}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: routerNamespace, Name: "router-" + req.Name}}
	return framework.Remove(ctx, i.Client, d, client.PropagationPolicy(metav1.DeletePropagationBackground))
}

func (i *ingress) setStatus(ctx context.Context, ic *operatorv1.IngressController, domain string,
	conditions ...operatorv1.OperatorCondition) error {
	return framework.WriteStatus(ctx, i.Client, ic, func(ic *operatorv1.IngressController) {
		ic.Status.ObservedGeneration, ic.Status.Domain = ic.Generation, domain
		for _, c := range conditions {
			setOperatorCondition(&ic.Status.Conditions, c)
		}
	})
}

func setOperatorCondition(list *[]operatorv1.OperatorCondition, c operatorv1.OperatorCondition) {
	for i, old := range *list {
		if old.Type != c.Type {
			continue
		}
		if c.LastTransitionTime = old.LastTransitionTime; old.Status != c.Status {
			c.LastTransitionTime = metav1.Now()
		}
		(*list)[i] = c
		return
	}
	c.LastTransitionTime = metav1.Now()
	*list = append(*list, c)
}

// domain returns the cluster's ingress domain.
func (i *ingress) domain(ctx context.Context) (string, error) {
	config := &configv1.Ingress{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}
	found, err := framework.Exists(ctx, i.Client, config)
	if err != nil || !found {
		return "", err
	}
	return config.Spec.Domain, nil
}
