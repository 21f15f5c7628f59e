// Package gitops simulates OpenShift GitOps: its operator, which makes an instance of Argo CD by itself. Nothing of
// Argo CD runs.
package gitops

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	operatorNamespace = "openshift-gitops-operator"
	operatorName      = "openshift-gitops-operator-controller-manager"
	// serviceName is the only GitopsService, which the operator makes when it starts.
	serviceName = "cluster"
	// instance is the name of the ArgoCD of the GitopsService, and of its namespace.
	instance = "openshift-gitops"
	// argoFinalizer is argocd-operator's (common/keys.go).
	argoFinalizer = "argoproj.io/finalizer"
	// deployTime is the time to pull and start Argo CD.
	deployTime = time.Second
)

var (
	serviceKind = schema.GroupVersionKind{Group: "pipelines.openshift.io", Version: "v1alpha1", Kind: "GitopsService"}
	argoKind    = schema.GroupVersionKind{Group: "argoproj.io", Version: "v1beta1", Kind: "ArgoCD"}
)

// Operator is gitops-operator, with argocd-operator in it.
func Operator() operator.Operator {
	return operator.Operator{
		Name:       "openshift-gitops-operator",
		Deployment: types.NamespacedName{Namespace: operatorNamespace, Name: operatorName},
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			g := &gitops{framework.NewRun(mgr, env)}
			// The operator makes its GitopsService when it starts, and not when somebody deletes it later.
			if err := mgr.Add(starter{g}); err != nil {
				return err
			}
			service := framework.ToObject("", serviceName)
			if err := g.NewController("gitopsservice", framework.Unstructured(serviceKind)).
				Watches(framework.Unstructured(argoKind), service).
				Complete(g.ForExisting(serviceKind, g.reconcileService)); err != nil {
				return err
			}
			each := g.ToEach(framework.UnstructuredList(argoKind))
			return g.NewController("argocd", framework.Unstructured(argoKind)).
				Watches(&appsv1.Deployment{}, each, framework.InNamespaces(instance)).
				Watches(&appsv1.StatefulSet{}, each, framework.InNamespaces(instance)).
				Complete(g.ForExisting(argoKind, g.reconcileArgoCD))
		},
	}
}

type gitops struct{ *framework.Run }

// starter makes the GitopsService.
type starter struct{ *gitops }

// Start runs once, with the manager.
func (s starter) Start(ctx context.Context) error {
	service := framework.Unstructured(serviceKind)
	service.SetName(serviceName)
	if err := framework.Create(ctx, s.Client, service); err != nil {
		return fmt.Errorf("GitopsService %s: %w", serviceName, err)
	}
	return nil
}

// reconcileService makes namespace and ArgoCD, unless the operator is told to make none.
func (g *gitops) reconcileService(ctx context.Context, service *unstructured.Unstructured) (ctrl.Result, error) {
	if service.GetName() != serviceName || service.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, nil
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: instance, Labels: map[string]string{
		"openshift.io/cluster-monitoring": "true", "security.openshift.io/scc.podSecurityLabelSync": "true"}}}
	if err := framework.Create(ctx, g.Client, namespace); err != nil {
		return ctrl.Result{}, err
	}
	off, err := g.RunningVersion(ctx, types.NamespacedName{Namespace: operatorNamespace, Name: operatorName},
		"DISABLE_DEFAULT_ARGOCD_INSTANCE")
	if err != nil {
		return ctrl.Result{}, err
	}
	argo := framework.Unstructured(argoKind)
	argo.SetNamespace(instance)
	argo.SetName(instance)
	if off == "true" {
		return ctrl.Result{}, framework.Remove(ctx, g.Client, argo)
	}
	argo.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(service, serviceKind)})
	return ctrl.Result{}, framework.Create(ctx, g.Client, argo)
}

// workloads are the Deployments of an instance, by the field of its status that tells how each is. The application
// controller is a StatefulSet.
var workloads = map[string]string{"redis": "redis", "repo": "repo-server", "server": "server",
	"applicationSetController": "applicationset-controller"}

// labels are those of a component (argocd-operator, controllers/argocd/util.go).
func labels(name, component string) map[string]string {
	return map[string]string{"app.kubernetes.io/name": name, "app.kubernetes.io/component": component,
		"app.kubernetes.io/part-of": "argocd"}
}

func (g *gitops) reconcileArgoCD(ctx context.Context, cr *unstructured.Unstructured) (ctrl.Result, error) {
	if cr.GetDeletionTimestamp() != nil {
		// What it owns is collected once it is gone.
		g.Forget("argocd" + string(cr.GetUID()))
		return ctrl.Result{}, framework.RemoveFinalizer(ctx, g.Client, cr, argoFinalizer)
	}
	if err := framework.AddFinalizer(ctx, g.Client, cr, argoFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	owner := []metav1.OwnerReference{*metav1.NewControllerRef(cr, argoKind)}
	at := func(suffix, component string) metav1.ObjectMeta {
		name := cr.GetName() + "-" + suffix
		return metav1.ObjectMeta{Namespace: cr.GetNamespace(), Name: name, Labels: labels(name, component),
			OwnerReferences: owner}
	}
	if err := g.fixed(ctx, at); err != nil {
		return ctrl.Result{}, err
	}
	states := map[string]string{"applicationController": "Pending"}
	controller := &appsv1.StatefulSet{ObjectMeta: at("application-controller", "application-controller")}
	ready, err := g.ensureStatefulSet(ctx, controller)
	if err != nil {
		return ctrl.Result{}, err
	}
	if ready {
		states["applicationController"] = "Running"
	}
	for field, suffix := range workloads {
		states[field] = "Pending"
		meta := at(suffix, suffix)
		available, err := g.EnsureDeployment(ctx, framework.Workload{Labels: meta.Labels,
			NamespacedName: types.NamespacedName{Namespace: meta.Namespace, Name: meta.Name}})
		if err != nil {
			return ctrl.Result{}, err
		}
		if err := g.adopt(ctx, meta); err != nil {
			return ctrl.Result{}, err
		}
		if available {
			states[field] = "Running"
		}
	}
	wait := g.Remaining(deployTime, "argocd"+string(cr.GetUID()))
	if wait > 0 && framework.Text(cr, "status", "phase") != "Available" {
		return framework.RequeueAfter(wait), g.updateStatus(ctx, cr, states, false)
	}
	return ctrl.Result{}, g.updateStatus(ctx, cr, states, true)
}

// fixed makes the ServiceAccounts, and the Service by which others know that Argo CD is in the namespace.
func (g *gitops) fixed(ctx context.Context, at func(suffix, component string) metav1.ObjectMeta) error {
	for suffix, component := range map[string]string{"argocd-application-controller": "application-controller",
		"applicationset-controller": "controller"} {
		if err := framework.Create(ctx, g.Client, &corev1.ServiceAccount{ObjectMeta: at(suffix, component)}); err != nil {
			return err
		}
	}
	service := &corev1.Service{ObjectMeta: at("server", "server")}
	service.Spec = corev1.ServiceSpec{Selector: map[string]string{"app.kubernetes.io/name": service.Name},
		Ports: []corev1.ServicePort{{Name: "https", Port: 443}}}
	return framework.Create(ctx, g.Client, service)
}

// adopt makes the instance the owner of a Deployment.
func (g *gitops) adopt(ctx context.Context, meta metav1.ObjectMeta) error {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: meta.Namespace, Name: meta.Name}}
	found, err := framework.Exists(ctx, g.Client, d)
	if err != nil || !found || len(d.OwnerReferences) > 0 {
		return err
	}
	return framework.Change(ctx, g.Client, d, func(d *appsv1.Deployment) { d.OwnerReferences = meta.OwnerReferences })
}

// ensureStatefulSet makes it if it is not there, and reports whether its pod is ready.
func (g *gitops) ensureStatefulSet(ctx context.Context, set *appsv1.StatefulSet) (bool, error) {
	there := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: set.Namespace, Name: set.Name}}
	found, err := framework.Exists(ctx, g.Client, there)
	if err != nil {
		return false, err
	}
	if found {
		return there.Status.ReadyReplicas > 0, nil
	}
	set.Spec = appsv1.StatefulSetSpec{ServiceName: set.Name, Selector: &metav1.LabelSelector{MatchLabels: set.Labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: set.Labels},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "argocd-application-controller",
				Image: "sandbox.invalid/" + set.Namespace + "/argocd"}}}}}
	return false, framework.Create(ctx, g.Client, set)
}

// updateStatus writes the state of each component, and the phase: Available once all but the ApplicationSet controller
// are Running (argocd-operator, controllers/argocd/status.go).
func (g *gitops) updateStatus(ctx context.Context, cr *unstructured.Unstructured, states map[string]string,
	pulled bool) error {
	phase := phaseOf(states)
	if !pulled {
		phase = "Pending"
	}
	return framework.WriteStatus(ctx, g.Client, cr, func(o *unstructured.Unstructured) {
		framework.Set(o, phase, "status", "phase")
		for field, state := range states {
			framework.Set(o, state, "status", field)
		}
	})
}

// phaseOf is the phase by the states of the components.
func phaseOf(states map[string]string) string {
	for field, state := range states {
		if field != "applicationSetController" && state != "Running" {
			return "Pending"
		}
	}
	return "Available"
}
