package operators

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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
	"github.com/hcctl/hcctl/sandbox/profile"
)

const (
	hyperconvergedOne = "kubevirt-hyperconverged"
	virtFinalizer     = "kubevirt.io/hyperconverged"
	// initTime is what HCO takes to read its resource; kubevirtTime what virt-operator needs once its pods are ready.
	initTime     = 500 * time.Millisecond
	kubevirtTime = 2 * time.Second
)

var hyperConvergedKind = schema.GroupVersionKind{Group: "hco.kubevirt.io", Version: "v1beta1", Kind: "HyperConverged"}

// Virtualization is the HyperConverged Cluster Operator with what it drives: KubeVirt and CDI, their version endpoint,
// their work on nodes, StorageProfiles, DataVolumes and virtual machines (whose pods run nothing). OpenShift
// Virtualization is in openshift-cnv, the upstream build in kubevirt-hyperconverged; there its Deployment is called
// hco-operator by OLM and hyperconverged-cluster-operator in the manifests of its repository.
func Virtualization(namespace, deployment string) operator.Operator {
	key := types.NamespacedName{Namespace: namespace, Name: deployment}
	return operator.Operator{
		Name:       key.String(),
		Deployment: key,
		Setup: func(ctx context.Context, mgr ctrl.Manager, env operator.Env) error {
			v := &virtualization{life: newLife(mgr, env), namespace: namespace, deployment: key}
			if err := v.recognize(ctx); err != nil {
				return err
			}
			if err := v.refuse(); err != nil {
				return err
			}
			each := v.toEach(untypedList(hyperConvergedKind))
			err := v.controls("hyperconverged", untyped(hyperConvergedKind)).
				Watches(&appsv1.Deployment{}, each, within(namespace)).
				Watches(&appsv1.DaemonSet{}, each, within(namespace)).
				Watches(&corev1.Node{}, each, marked()).
				Watches(&corev1.Pod{}, each, builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
					return o.GetLabels()["kubevirt.io"] == "virt-handler"
				}))).
				Complete(v.present(hyperConvergedKind, v.reconcile))
			if err != nil {
				return err
			}
			return v.operands()
		},
	}
}

type virtualization struct {
	*life
	namespace  string
	deployment types.NamespacedName
	running    atomic.Pointer[string]
}

// recognize finds out which version of the operator runs; an upgrade changes it.
func (v *virtualization) recognize(ctx context.Context) error {
	version, err := v.runningVersion(ctx, v.deployment, "HCO_KV_IO_VERSION")
	v.running.Store(&version)
	return err
}

// kubeVirt is the version of KubeVirt that the running operator deploys.
func (v *virtualization) kubeVirt() string {
	return cmp.Or(profile.KubeVirtOf(*v.running.Load()), v.Profile.KubeVirt)
}

// hcoConditions are ReconcileComplete, Available, Progressing, Degraded and Upgradeable in this order.
type hcoConditions [5]condition

func (v *virtualization) say(ctx context.Context, hco *unstructured.Unstructured, health string, conds hcoConditions) error {
	version := *v.running.Load()
	return writeStatus(ctx, v.Client, hco, func(o *unstructured.Unstructured) {
		for i, kind := range []string{"ReconcileComplete", "Available", "Progressing", "Degraded", "Upgradeable"} {
			if conds[i].Status != "" {
				conds[i].Type = kind
				setConditions(o, observed, conds[i])
			}
		}
		set(o, o.GetGeneration(), "status", "observedGeneration")
		if health == "" {
			return
		}
		set(o, health, "status", "systemHealthStatus")
		set(o, true, "status", "infrastructureHighlyAvailable")
		if health == "healthy" {
			set(o, []any{map[string]any{"name": "operator", "version": version}}, "status", "versions")
		}
	})
}

func (v *virtualization) reconcile(ctx context.Context, hco *unstructured.Unstructured) (ctrl.Result, error) {
	if err := v.recognize(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if hco.GetName() != hyperconvergedOne || hco.GetNamespace() != v.namespace {
		return ctrl.Result{}, v.say(ctx, hco, "", hcoConditions{{Status: "False", Reason: "InvalidRequest", Message: fmt.Sprintf(
			"Request does not match expected name (%v) and namespace (%v)", hyperconvergedOne, v.namespace)}})
	}
	if hco.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, v.uninstall(ctx, hco)
	}
	if err := guard(ctx, v.Client, hco, virtFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	up := conditionIs(hco, "Available", "True")
	if wait := v.left(initTime, "init"+string(hco.GetUID())); wait > 0 && !up {
		c := condition{Reason: "Init", Message: "Initializing HyperConverged cluster"}
		return again(wait), v.say(ctx, hco, "error", hcoConditions{
			with(c, "Unknown"), with(c, "False"), with(c, "True"), with(c, "False"), with(c, "Unknown")})
	}
	if err := v.install(ctx, crds.HCO, crds.KubeVirt, crds.CDI); err != nil {
		return ctrl.Result{}, err
	}
	ready, err := v.deploy(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	done := condition{Reason: "ReconcileCompleted", Message: "Reconcile completed successfully"}
	waiting := condition{Reason: "KubeVirtProgressing", Message: "KubeVirt is progressing: Deploying version " + v.kubeVirt() + " with registry"}
	missing := condition{Reason: "KubeVirtNotAvailable", Message: "KubeVirt is not available: Deploying version " + v.kubeVirt() + " with registry"}
	// Guess: the words after the colon; the reasons are made of the component's name by HCO.
	notYet := hcoConditions{with(done, "True"), with(missing, "False"), with(waiting, "True"), with(done, "False"), with(waiting, "False")}
	if !ready && !up {
		v.forget("kubevirt" + string(hco.GetUID()))
		return ctrl.Result{}, v.say(ctx, hco, "error", notYet)
	}
	if wait := v.left(kubevirtTime, "kubevirt"+string(hco.GetUID())); wait > 0 && !up {
		return again(wait), v.say(ctx, hco, "error", notYet)
	}
	if err := v.finish(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if v.Faults.On(fault.HCODegraded) {
		return ctrl.Result{}, v.say(ctx, hco, "error", degraded())
	}
	return ctrl.Result{}, v.say(ctx, hco, "healthy", hcoConditions{
		with(done, "True"), with(done, "True"), with(done, "False"), with(done, "False"), with(done, "True")})
}

func with(c condition, status string) condition {
	c.Status = status
	return c
}
