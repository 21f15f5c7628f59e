// Package virtualization simulates OpenShift Virtualization: HyperConverged, DataVolumes and virtual machines.
package virtualization

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/profile"
)

const (
	hyperconvergedOne = "kubevirt-hyperconverged"
	virtFinalizer     = "kubevirt.io/hyperconverged"
	// initTime is the time of HCO to read its resource, kubevirtTime that of virt-operator after its pods are ready.
	initTime     = 500 * time.Millisecond
	kubevirtTime = 2 * time.Second
	// retry is how soon HCO tries again what the API server has refused, at speed 1.
	retry = 10 * time.Second
)

var hyperConvergedKind = schema.GroupVersionKind{Group: "hco.kubevirt.io", Version: "v1beta1", Kind: "HyperConverged"}

// Operator is the HyperConverged Cluster Operator with its operands: KubeVirt and CDI, their version endpoint, their
// changes to nodes, StorageProfiles, DataVolumes and virtual machines (whose pods run nothing).
//
// OpenShift Virtualization is in openshift-cnv, the upstream build in kubevirt-hyperconverged. The upstream Deployment
// is called hco-operator by OLM and hyperconverged-cluster-operator in its repository's manifests.
func Operator(namespace, deployment string) operator.Operator {
	key := types.NamespacedName{Namespace: namespace, Name: deployment}
	return operator.Operator{
		Name:       key.String(),
		Deployment: key,
		Setup: func(ctx context.Context, mgr ctrl.Manager, env operator.Env) error {
			v := &virtualization{Run: framework.NewRun(mgr, env), namespace: namespace, deployment: key}
			if err := v.detectVersion(ctx); err != nil {
				return err
			}
			if err := v.refuseWebhook(); err != nil {
				return err
			}
			each := v.ToEach(framework.UnstructuredList(hyperConvergedKind))
			err := v.NewController("hyperconverged", framework.Unstructured(hyperConvergedKind)).
				Watches(&appsv1.Deployment{}, each, framework.InNamespaces(namespace)).
				Watches(&appsv1.DaemonSet{}, each, framework.InNamespaces(namespace)).
				Watches(&corev1.Node{}, each, framework.LabelsChanged()).
				Watches(&corev1.Pod{}, each, builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
					return o.GetLabels()["kubevirt.io"] == "virt-handler"
				}))).
				Complete(v.ForExisting(hyperConvergedKind, v.reconcile))
			if err != nil {
				return err
			}
			return v.startOperands()
		},
	}
}

type virtualization struct {
	*framework.Run
	namespace  string
	deployment types.NamespacedName
	running    atomic.Pointer[string]
	consoles   consoles
}

// detectVersion finds the running version of the operator, which an upgrade changes.
func (v *virtualization) detectVersion(ctx context.Context) error {
	version, err := v.RunningVersion(ctx, v.deployment, "HCO_KV_IO_VERSION")
	v.running.Store(&version)
	return err
}

// kubeVirt returns the version of KubeVirt that the running operator deploys.
func (v *virtualization) kubeVirt() string {
	return cmp.Or(profile.KubeVirtOf(*v.running.Load()), v.Profile.KubeVirt)
}

// hcoConditions are ReconcileComplete, Available, Progressing, Degraded and Upgradeable in this order.
type hcoConditions [5]framework.Condition

func (v *virtualization) updateStatus(ctx context.Context, hco *unstructured.Unstructured, health string,
	conds hcoConditions) error {
	version := *v.running.Load()
	return framework.WriteStatus(ctx, v.Client, hco, func(o *unstructured.Unstructured) {
		for i, kind := range []string{"ReconcileComplete", "Available", "Progressing", "Degraded", "Upgradeable"} {
			if conds[i].Status != "" {
				conds[i].Type = kind
				framework.SetConditions(o, framework.Observed, conds[i])
			}
		}
		framework.Set(o, o.GetGeneration(), "status", "observedGeneration")
		if health == "" {
			return
		}
		// The fields came with hyperconverged-cluster-operator 1.9 and 1.12.
		if framework.AtLeast(v.Profile.Minor(), "4.13") {
			framework.Set(o, health, "status", "systemHealthStatus")
		}
		if framework.AtLeast(v.Profile.Minor(), "4.16") {
			framework.Set(o, true, "status", "infrastructureHighlyAvailable")
		}
		framework.Set(o, []any{map[string]any{"name": "operator", "version": version}}, "status", "versions")
	})
}

func (v *virtualization) reconcile(ctx context.Context, hco *unstructured.Unstructured) (ctrl.Result, error) {
	if err := v.detectVersion(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if hco.GetName() != hyperconvergedOne || hco.GetNamespace() != v.namespace {
		return ctrl.Result{}, v.updateStatus(ctx, hco, "",
			hcoConditions{{Status: "False", Reason: "InvalidRequest", Message: fmt.Sprintf(
				"Request does not match expected name (%v) and namespace (%v)", hyperconvergedOne, v.namespace)}})
	}
	if hco.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, v.uninstall(ctx, hco)
	}
	if err := framework.AddFinalizer(ctx, v.Client, hco, virtFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	if err := v.fillIn(ctx, hco); err != nil {
		return ctrl.Result{}, err
	}
	up := framework.ConditionIs(hco, "Available", "True")
	if wait := v.Remaining(initTime, "init"+string(hco.GetUID())); wait > 0 && !up {
		c := framework.Condition{Reason: "Init", Message: "Initializing HyperConverged cluster"}
		return framework.RequeueAfter(wait), v.updateStatus(ctx, hco, "error", hcoConditions{
			with(c, "Unknown"), with(c, "False"), with(c, "True"), with(c, "False"), with(c, "Unknown")})
	}
	if err := v.Install(ctx, profile.OpenShiftOf(*v.running.Load()), crds.HCO, crds.KubeVirt, crds.CDI); err != nil {
		return ctrl.Result{}, err
	}
	if err := v.priority(ctx); err != nil {
		return ctrl.Result{}, err
	}
	pods, err := v.deploy(ctx)
	if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) {
		return framework.RequeueAfter(v.Pace.Scale(retry)), v.updateStatus(ctx, hco, "error", failed(err))
	}
	if err != nil {
		return ctrl.Result{}, err
	}
	if up {
		if err := v.finish(ctx); err != nil {
			return ctrl.Result{}, err
		}
	}
	done := framework.Condition{Reason: "ReconcileCompleted", Message: "Reconcile completed successfully"}
	switch {
	case pods.silent:
		return ctrl.Result{}, v.updateStatus(ctx, hco, "error", withoutConditions("CDI"))
	case !pods.virt, !pods.handlers && !up:
		v.Forget("kubevirt" + string(hco.GetUID()))
		return ctrl.Result{}, v.updateStatus(ctx, hco, "error", v.deploying("KubeVirt", "Deploying version "+v.kubeVirt()+
			" with registry"))
	case !pods.cdi && pods.deployed:
		return ctrl.Result{}, v.updateStatus(ctx, hco, "error", degraded())
	case !pods.cdi:
		return ctrl.Result{}, v.updateStatus(ctx, hco, "error", v.deploying("CDI", "Started Deployment"))
	}
	if wait := v.Remaining(kubevirtTime, "kubevirt"+string(hco.GetUID())); wait > 0 && !up {
		return framework.RequeueAfter(wait), v.updateStatus(ctx, hco, "error", v.deploying("KubeVirt", "Deploying version "+
			v.kubeVirt()+" with registry"))
	}
	if err := v.finish(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if v.Faults.Active(fault.HCODegraded) {
		return ctrl.Result{}, v.updateStatus(ctx, hco, "error", degraded())
	}
	return ctrl.Result{}, v.updateStatus(ctx, hco, "healthy", hcoConditions{
		with(done, "True"), with(done, "True"), with(done, "False"), with(done, "False"), with(done, "True")})
}

// fillIn writes empty fields of v1beta1, as the operator does: a HyperConverged is soon of generation 2.
func (v *virtualization) fillIn(ctx context.Context, hco *unstructured.Unstructured) error {
	if framework.AtLeast(v.Profile.Minor(), "4.22") {
		return nil
	}
	return framework.Change(ctx, v.Client, hco, func(o *unstructured.Unstructured) {
		for _, field := range []string{"infra", "workloads"} {
			if _, there, _ := unstructured.NestedMap(o.Object, "spec", field); !there {
				framework.Set(o, map[string]any{}, "spec", field)
			}
		}
	})
}

// priority makes the PriorityClass of KubeVirt's pods, which nothing removes with the HyperConverged.
func (v *virtualization) priority(ctx context.Context) error {
	return framework.Create(ctx, v.Live, &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: "kubevirt-cluster-critical"}, Value: 1000000000,
		Description: "This priority class should be used for KubeVirt core components only."})
}

// deploying returns the conditions while a component progresses and is not available. The text after the colon is made
// up; HCO derives the reasons from the component's name.
func (v *virtualization) deploying(component, message string) hcoConditions {
	done := framework.Condition{Reason: "ReconcileCompleted", Message: "Reconcile completed successfully"}
	works := framework.Condition{Reason: component + "Progressing", Message: component + " is progressing: " + message}
	missing := framework.Condition{Reason: component + "NotAvailable", Message: component + " is not available: " +
		message}
	return hcoConditions{with(done, "True"), with(missing, "False"), with(works, "True"), with(done, "False"),
		with(works, "False")}
}

// withoutConditions returns the conditions while a component's resource has none.
func withoutConditions(component string) hcoConditions {
	done := framework.Condition{Reason: "ReconcileCompleted", Message: "Reconcile completed successfully"}
	none := framework.Condition{Reason: component + "Conditions", Message: component + " resource has no conditions"}
	return hcoConditions{with(done, "True"), with(none, "False"), with(none, "True"), with(done, "False"),
		with(none, "False")}
}

// failed returns the conditions after a pass that ended with an error: the components have not been looked at. The text
// of the others is made up.
func failed(err error) hcoConditions {
	unknown := framework.Condition{Status: "Unknown", Reason: "StatusUnknown", Message: "Unknown Status"}
	return hcoConditions{{Status: "False", Reason: "ReconcileFailed", Message: "error while reconciling: " + err.Error()},
		unknown, unknown, unknown, unknown}
}

func with(c framework.Condition, status string) framework.Condition {
	c.Status = status
	return c
}
