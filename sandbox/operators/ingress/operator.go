// Package ingress simulates the ingress operator and the routers of the management cluster.
package ingress

import (
	"cmp"
	"context"
	"fmt"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	routev1 "github.com/openshift/api/route/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	ingressNamespace = "openshift-ingress-operator"
	// rollTime is the time to replace the routers.
	rollTime = 2500 * time.Millisecond
)

// Operator is the ingress operator with the routers. It rolls out the routers when the IngressController
// changes, sets the hosts of Routes, and admits them.
func Operator() operator.Operator {
	return operator.Operator{
		Name: "ingress-operator",
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			i := &ingress{framework.NewRun(mgr, env)}
			if err := i.NewController("ingresscontroller", &operatorv1.IngressController{}).
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
	if ic.Status.ObservedGeneration < ic.Generation {
		return true
	}
	for _, c := range ic.Status.Conditions {
		if c.Type == operatorv1.OperatorStatusTypeProgressing {
			return c.Status == operatorv1.ConditionTrue
		}
	}
	return false
}

// reconcileController reconciles an IngressController. Each change of its spec replaces the routers.
func (i *ingress) reconcileController(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	ic := &operatorv1.IngressController{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	if found, err := framework.Exists(ctx, i.Client, ic); err != nil || !found || req.Namespace != ingressNamespace {
		return reconcile.Result{}, err
	}
	domain, err := i.domain(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	var wait time.Duration
	updated := 1
	// An IngressController without observed generation is new; its routers already run.
	if rolling(ic) && ic.Status.ObservedGeneration != 0 {
		wait = i.Remaining(i.Faults.DurationOf(fault.IngressRolloutSlow, rollTime),
			fmt.Sprintf("roll-%s-%d", ic.UID, ic.Generation))
	}
	next := wait
	if half := i.Pace.Scale(i.Faults.DurationOf(fault.IngressRolloutSlow, 0)) / 2; i.Faults.Active(
		fault.IngressRolloutSlow) &&
		wait > half {
		updated, next = 0, wait-half
	}
	return framework.RequeueAfter(next), framework.WriteStatus(ctx, i.Client, ic, func(ic *operatorv1.IngressController) {
		ic.Status.ObservedGeneration = ic.Generation
		if ic.Status.Domain == "" {
			ic.Status.Domain = cmp.Or(ic.Spec.Domain, domain)
		}
		progressing := operatorv1.OperatorCondition{Type: operatorv1.OperatorStatusTypeProgressing,
			Status: operatorv1.ConditionFalse}
		rollingOut := operatorv1.OperatorCondition{Type: "DeploymentRollingOut", Status: operatorv1.ConditionFalse,
			Reason: "DeploymentNotRollingOut", Message: "Deployment is not actively rolling out"}
		if wait > 0 {
			progressing.Status, progressing.Reason = operatorv1.ConditionTrue, "IngressControllerProgressing"
			rollingOut.Status, rollingOut.Reason = operatorv1.ConditionTrue, "DeploymentRollingOut"
			rollingOut.Message = fmt.Sprintf("Waiting for router deployment rollout to finish: %d out of 2 new replica(s) have "+
				"been updated...\n", updated)
			progressing.Message = "One or more status conditions indicate progressing: DeploymentRollingOut=True " +
				"(DeploymentRollingOut: " +
				rollingOut.Message + ")"
		}
		for _, c := range []operatorv1.OperatorCondition{
			{Type: "Admitted", Status: operatorv1.ConditionTrue, Reason: "Valid"},
			{Type: operatorv1.OperatorStatusTypeAvailable, Status: operatorv1.ConditionTrue},
			rollingOut,
			progressing,
			{Type: operatorv1.OperatorStatusTypeDegraded, Status: operatorv1.ConditionFalse},
		} {
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
