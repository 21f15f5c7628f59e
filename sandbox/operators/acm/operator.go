// Package acm simulates Advanced Cluster Management: the operator of the MultiClusterHub.
package acm

import (
	"context"
	"sync/atomic"
	"time"

	operatorsv1 "github.com/operator-framework/api/pkg/operators/v1"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/operators/mce"
)

const (
	acmNamespace = "open-cluster-management"
	acmOperator  = "multiclusterhub-operator"
	acmFinalizer = "finalizer.operator.open-cluster-management.io"
	// acmTime is the time to render and apply the hub's own components.
	acmTime = time.Second
)

var multiClusterHubKind = schema.GroupVersionKind{Group: "operator.open-cluster-management.io", Version: "v1",
	Kind: "MultiClusterHub"}

// Operator is multiclusterhub-operator. It subscribes to multicluster-engine, creates the MultiClusterEngine, and
// deploys three of the hub's twenty own components.
func Operator() operator.Operator {
	return operator.Operator{
		Name:       acmOperator,
		Deployment: types.NamespacedName{Namespace: acmNamespace, Name: acmOperator},
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			a := &acm{Run: framework.NewRun(mgr, env)}
			each := a.ToEach(framework.UnstructuredList(multiClusterHubKind))
			c, err := a.NewController("multiclusterhub", framework.Unstructured(multiClusterHubKind)).
				Watches(&appsv1.Deployment{}, each, framework.InNamespaces(acmNamespace)).
				Watches(&operatorsv1alpha1.Subscription{}, each, framework.InNamespaces(mce.Namespace)).
				Watches(&operatorsv1alpha1.ClusterServiceVersion{}, each, framework.InNamespaces(mce.Namespace)).
				Build(a.ForExisting(multiClusterHubKind, a.reconcile))
			if err != nil {
				return err
			}
			if err := a.registerClusters(); err != nil {
				return err
			}
			return a.WhenServed("mce-crd", func() error {
				a.engines.Store(true)
				return c.Watch(source.Kind[client.Object](mgr.GetCache(), framework.Unstructured(mce.Kind), each))
			}, mce.Kind)
		},
	}
}

type acm struct {
	*framework.Run
	// engines is true once the API server has the kind MultiClusterEngine.
	engines atomic.Bool
}

// hubComponents are Deployments of the hub itself.
var hubComponents = []string{"console-chart-console-v2", "grc-policy-propagator",
	"multicluster-operators-hub-subscription"}

func (a *acm) reconcile(ctx context.Context, hub *unstructured.Unstructured) (ctrl.Result, error) {
	version, err := a.RunningVersion(ctx, types.NamespacedName{Namespace: acmNamespace, Name: acmOperator},
		"OPERATOR_VERSION")
	if err != nil || hub.GetNamespace() != acmNamespace {
		return ctrl.Result{}, err
	}
	if hub.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, a.uninstall(ctx, hub)
	}
	if err := framework.AddFinalizer(ctx, a.Client, hub, acmFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	if err := a.subscribe(ctx, hub, version); err != nil {
		return ctrl.Result{}, err
	}
	if err := a.Install(ctx, version, crds.Klusterlet, crds.GitOpsCluster); err != nil {
		return ctrl.Result{}, err
	}
	up := true
	for _, name := range hubComponents {
		available, err := a.EnsureDeployment(ctx,
			framework.Workload{NamespacedName: types.NamespacedName{Namespace: acmNamespace,
				Name: name}, Replicas: 2})
		if err != nil {
			return ctrl.Result{}, err
		}
		up = up && available
	}
	engine, err := a.engine(ctx, hub)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !up || !engine {
		return ctrl.Result{}, a.updateStatus(ctx, hub, version, false)
	}
	if wait := a.Remaining(acmTime, "hub"+string(hub.GetUID())); wait > 0 &&
		framework.Text(hub, "status", "phase") != "Running" {
		return framework.RequeueAfter(wait), a.updateStatus(ctx, hub, version, false)
	}
	return ctrl.Result{}, a.updateStatus(ctx, hub, version, true)
}

// subscribe creates the Subscription to multicluster-engine and its namespace, from Advanced Cluster Management's own
// catalog. It uses an existing OperatorGroup.
func (a *acm) subscribe(ctx context.Context, hub *unstructured.Unstructured, version string) error {
	if err := framework.Create(ctx, a.Client,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: mce.Namespace}}); err != nil {
		return err
	}
	groups := &operatorsv1.OperatorGroupList{}
	if err := a.Client.List(ctx, groups, framework.InNamespace(mce.Namespace)); err != nil {
		return err
	}
	if len(groups.Items) == 0 {
		group := &operatorsv1.OperatorGroup{ObjectMeta: metav1.ObjectMeta{Namespace: mce.Namespace, Name: "default"}}
		group.Spec.TargetNamespaces = []string{mce.Namespace}
		if err := framework.Create(ctx, a.Client, group); err != nil {
			return err
		}
	}
	own := &operatorsv1alpha1.SubscriptionList{}
	if err := a.Client.List(ctx, own, framework.InNamespace(acmNamespace)); err != nil {
		return err
	}
	spec := &operatorsv1alpha1.SubscriptionSpec{
		Package: "multicluster-engine", InstallPlanApproval: operatorsv1alpha1.ApprovalAutomatic,
		CatalogSource: "redhat-operators", CatalogSourceNamespace: "openshift-marketplace",
	}
	for _, s := range own.Items {
		if s.Spec.Package == "advanced-cluster-management" {
			spec.CatalogSource, spec.CatalogSourceNamespace = s.Spec.CatalogSource, s.Spec.CatalogSourceNamespace
		}
	}
	for _, ch := range a.Profile.MCEChannels {
		if ch.BroughtBy(version) {
			spec.Channel = ch.Name
		}
	}
	others := &operatorsv1alpha1.SubscriptionList{}
	if err := a.Client.List(ctx, others, framework.InNamespace(mce.Namespace)); err != nil {
		return err
	}
	name := "multicluster-engine"
	for _, s := range others.Items {
		if s.Spec.Package == spec.Package {
			name = s.Name // it takes over a user's own Subscription
		}
	}
	s := &operatorsv1alpha1.Subscription{ObjectMeta: metav1.ObjectMeta{Namespace: mce.Namespace, Name: name}}
	return framework.Ensure(ctx, a.Client, s, func(s *operatorsv1alpha1.Subscription) {
		for k, v := range installedBy(hub) {
			metav1.SetMetaDataLabel(&s.ObjectMeta, k, v)
		}
		if s.Spec == nil {
			s.Spec = spec
		}
		s.Spec.Channel = spec.Channel
	})
}

// installedBy returns the labels of a hub's objects.
func installedBy(hub *unstructured.Unstructured) map[string]string {
	return map[string]string{"installer.name": hub.GetName(), "installer.namespace": hub.GetNamespace(),
		"multiclusterhubs.operator.open-cluster-management.io/managed-by": "true"}
}

// engine creates the MultiClusterEngine, or takes over an existing one, and reports whether it is Available. The hub
// sets self-management, the cluster's name and the components that its own overrides have; the engine controls the
// others.
func (a *acm) engine(ctx context.Context, hub *unstructured.Unstructured) (bool, error) {
	if !a.engines.Load() {
		return false, nil
	}
	list := framework.UnstructuredList(mce.Kind)()
	if err := a.Client.List(ctx, list); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	engine := framework.Unstructured(mce.Kind)
	engine.SetName("multiclusterengine")
	found := false
	for _, o := range framework.Items(list) {
		if u, ok := framework.AsUnstructured(o); ok {
			engine, found = u, true
		}
	}
	disabled, _, _ := unstructured.NestedBool(hub.Object, "spec", "disableHubSelfManagement")
	var own, components []mce.Component
	if _, err := framework.Read(hub, &own, "spec", "overrides", "components"); err != nil {
		return false, err
	}
	if _, err := framework.Read(engine, &components, "spec", "overrides", "components"); err != nil {
		return false, err
	}
	for _, c := range own {
		if mce.FromHub(c.Name) {
			name := c.Name
			if name == "cluster-lifecycle-mce" {
				name = "cluster-lifecycle"
			}
			components = withEntry(components, mce.Component{Name: name, Enabled: c.Enabled})
		}
	}
	components = withEntry(components, mce.Component{Name: mce.ComponentLocalCluster, Enabled: !disabled})
	value, err := framework.JSONValue(components)
	if err != nil {
		return false, err
	}
	want := func(o *unstructured.Unstructured) {
		labels := o.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		for k, v := range installedBy(hub) {
			labels[k] = v
		}
		o.SetLabels(labels)
		framework.Set(o, value, "spec", "overrides", "components")
		if name := framework.Text(hub, "spec", "localClusterName"); name != "" {
			framework.Set(o, name, "spec", "localClusterName")
		}
	}
	if !found {
		want(engine)
		return false, framework.Create(ctx, a.Client, engine)
	}
	if err := framework.Change(ctx, a.Client, engine, want); err != nil {
		return false, err
	}
	return framework.Text(engine, "status", "phase") == "Available", nil
}

// withEntry sets one component and leaves the others unchanged.
func withEntry(list []mce.Component, c mce.Component) []mce.Component {
	for i := range list {
		if list[i].Name == c.Name {
			list[i].Enabled = c.Enabled
			return list
		}
	}
	return append(list, c)
}

// uninstall removes the engine, then its Subscription and operator, then the hub's own components.
func (a *acm) uninstall(ctx context.Context, hub *unstructured.Unstructured) error {
	if err := framework.WriteStatus(ctx, a.Client, hub, func(o *unstructured.Unstructured) {
		framework.Set(o, "Uninstalling", "status", "phase")
	}); err != nil {
		return err
	}
	engine := framework.Unstructured(mce.Kind)
	engine.SetName("multiclusterengine")
	if found, err := framework.Exists(ctx, a.Client, engine); err != nil || found {
		if found {
			err = framework.Remove(ctx, a.Client, engine) // the end of the engine triggers a new reconcile
		}
		return err
	}
	for _, list := range []client.ObjectList{&operatorsv1alpha1.SubscriptionList{},
		&operatorsv1alpha1.ClusterServiceVersionList{}} {
		if err := a.Client.List(ctx, list, framework.InNamespace(mce.Namespace)); err != nil {
			return err
		}
		for _, o := range framework.Items(list) {
			if err := framework.Remove(ctx, a.Client, o); err != nil {
				return err
			}
		}
	}
	for _, name := range hubComponents {
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: acmNamespace, Name: name}}
		if err := framework.Remove(ctx, a.Client, d, client.PropagationPolicy(
			metav1.DeletePropagationBackground)); err != nil {
			return err
		}
	}
	return framework.RemoveFinalizer[client.Object](ctx, a.Client, hub, acmFinalizer)
}
