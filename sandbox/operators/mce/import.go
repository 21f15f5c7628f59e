package mce

import (
	"context"
	"strings"
	"time"

	hypershiftv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	managedNamespace     = "cluster.open-cluster-management.io/managedCluster"
	deployModeAnnotation = "import.open-cluster-management.io/klusterlet-deploy-mode"
	conditionImported    = "ManagedClusterImportSucceeded"
	// klusterletPrefix is the prefix of a klusterlet's namespace.
	klusterletPrefix = "klusterlet-"
)

// clusterFinalizers are the finalizers of the controllers for ManagedClusters: registration, import, and inventory.
var clusterFinalizers = []string{
	"cluster.open-cluster-management.io/api-resource-cleanup",
	"managedcluster-import-controller.open-cluster-management.io/cleanup",
	"managedclusterinfo.finalizers.open-cluster-management.io",
}

// importSteps are the conditions that a ManagedCluster gets one after another, each with its delay.
var importSteps = []struct {
	after     time.Duration
	condition metav1.Condition
}{
	{500 * time.Millisecond, metav1.Condition{Type: clusterv1.ManagedClusterConditionHubAccepted,
		Reason: "HubClusterAdminAccepted", Message: "Accepted by hub cluster admin"}},
	{1200 * time.Millisecond, metav1.Condition{Type: conditionImported, Reason: "ManagedClusterImported",
		Message: "Import succeeded"}},
	{1200 * time.Millisecond, metav1.Condition{Type: clusterv1.ManagedClusterConditionJoined,
		Reason: "ManagedClusterJoined", Message: "Managed cluster joined"}},
	{time.Second, metav1.Condition{Type: clusterv1.ManagedClusterConditionAvailable, Reason: "ManagedClusterAvailable",
		Message: "Managed cluster is available"}},
}

// startHub starts the controllers for the kinds of open-cluster-management, once the API server has them.
func (m *engine) startHub() error {
	byName := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: strings.TrimPrefix(o.GetName(),
			klusterletPrefix)}}}
	})
	byNamespace := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: o.GetNamespace()}}}
	})
	clusters, err := m.NewController("managedcluster", &clusterv1.ManagedCluster{}).
		Watches(&corev1.Namespace{}, byName).
		Watches(&addonv1.ManagedClusterAddOn{}, byNamespace).
		Build(reconcile.Func(m.manage))
	if err != nil {
		return err
	}
	each := m.ToEach(func() client.ObjectList { return &addonv1.ManagedClusterAddOnList{} })
	addons, err := m.NewController("hypershift-addon", &addonv1.ManagedClusterAddOn{}).
		Watches(&clusterv1.ManagedCluster{}, each).
		Watches(&appsv1.Deployment{}, each, framework.InNamespaces(Namespace, agentNamespace, hypershiftNamespace)).
		Build(reconcile.Func(m.addon))
	if err != nil {
		return err
	}
	return m.WhenServed("hypershift-crds", func() error {
		// A hosted cluster affects the status of its ManagedCluster and the removal of the addon.
		if err := clusters.Watch(source.Kind[client.Object](m.Manager.GetCache(), &hypershiftv1.HostedCluster{},
			byName)); err != nil {
			return err
		}
		if err := addons.Watch(source.Kind[client.Object](m.Manager.GetCache(), &hypershiftv1.HostedCluster{},
			each)); err != nil {
			return err
		}
		return m.autoImports()
	}, hypershiftv1.GroupVersion.WithKind("HostedCluster"))
}

// manage reconciles a ManagedCluster: its namespace, and the import of clusters that this hub can reach by itself.
func (m *engine) manage(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	c := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
	if found, err := framework.Exists(ctx, m.Client, c); err != nil || !found {
		return reconcile.Result{}, err
	}
	if c.DeletionTimestamp != nil {
		return reconcile.Result{}, m.detach(ctx, c)
	}
	for _, finalizer := range clusterFinalizers {
		if err := framework.AddFinalizer(ctx, m.Client, c, finalizer); err != nil {
			return reconcile.Result{}, err
		}
	}
	for _, name := range m.namespacesOf(c) {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name,
			Labels: map[string]string{managedNamespace: c.Name}}}
		if err := framework.Create(ctx, m.Client, ns); err != nil {
			return reconcile.Result{}, err
		}
	}
	if !c.Spec.HubAcceptsClient {
		return reconcile.Result{}, nil
	}
	reachable, lost, err := m.reachable(ctx, c)
	if err != nil {
		return reconcile.Result{}, err
	}
	if lost {
		return reconcile.Result{}, m.clusterCondition(ctx, c, metav1.Condition{
			Type: clusterv1.ManagedClusterConditionAvailable, Status: metav1.ConditionUnknown,
			Reason: "ManagedClusterLeaseUpdateStopped", Message: "Registration agent stopped updating its lease.",
		})
	}
	for i, step := range importSteps {
		if meta.IsStatusConditionTrue(c.Status.Conditions, step.condition.Type) {
			continue
		}
		if i > 0 && !reachable {
			return reconcile.Result{}, nil
		}
		if wait := m.Remaining(step.after, step.condition.Type+string(c.UID)); wait > 0 {
			return framework.RequeueAfter(wait), nil
		}
		done := step.condition
		done.Status = metav1.ConditionTrue
		// The write triggers a reconcile for the next step.
		return reconcile.Result{}, m.clusterCondition(ctx, c, done)
	}
	return reconcile.Result{}, nil
}

func (m *engine) clusterCondition(ctx context.Context, c *clusterv1.ManagedCluster, cond metav1.Condition) error {
	return framework.WriteStatus(ctx, m.Client, c, func(c *clusterv1.ManagedCluster) {
		meta.SetStatusCondition(&c.Status.Conditions, cond)
		if c.Status.Version.Kubernetes == "" && cond.Type == clusterv1.ManagedClusterConditionJoined {
			c.Status.Version.Kubernetes = "v1.33.0"
		}
	})
}

// namespacesOf returns the namespaces that are created and deleted with a ManagedCluster.
func (m *engine) namespacesOf(c *clusterv1.ManagedCluster) []string {
	if c.Annotations[deployModeAnnotation] == "Hosted" {
		return []string{c.Name, klusterletPrefix + c.Name}
	}
	return []string{c.Name}
}

// reachable tells whether this hub can import c by itself: its own cluster, and hosted clusters with an API that
// answers. lost means that the hosted cluster does not exist.
func (m *engine) reachable(ctx context.Context, c *clusterv1.ManagedCluster) (ok, lost bool, err error) {
	if c.Labels["local-cluster"] == "true" {
		return true, false, nil
	}
	if c.Annotations[deployModeAnnotation] != "Hosted" {
		return false, false, nil
	}
	list := &hypershiftv1.HostedClusterList{}
	if err := m.Client.List(ctx, list); err != nil && !framework.IsGone(err) {
		return false, false, err
	}
	for i := range list.Items {
		if list.Items[i].Name == c.Name {
			return meta.IsStatusConditionTrue(list.Items[i].Status.Conditions,
				string(hypershiftv1.HostedClusterAvailable)), false, nil
		}
	}
	return false, meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1.ManagedClusterConditionAvailable), nil
}

// detach cleans up a deleted ManagedCluster: addons first, then its namespaces, then its finalizers.
func (m *engine) detach(ctx context.Context, c *clusterv1.ManagedCluster) error {
	addons := &addonv1.ManagedClusterAddOnList{}
	if err := m.Client.List(ctx, addons, framework.InNamespace(c.Name)); err != nil {
		return err
	}
	for i := range addons.Items {
		if err := framework.Remove(ctx, m.Client, &addons.Items[i]); err != nil {
			return err
		}
	}
	if len(addons.Items) > 0 {
		return nil
	}
	left := false
	for _, name := range m.namespacesOf(c) {
		there, err := m.HasNamespace(ctx, name)
		if err != nil {
			return err
		}
		if there {
			left = true
			if err := framework.Remove(ctx, m.Client, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
				return err
			}
		}
	}
	if left {
		return nil
	}
	for _, finalizer := range clusterFinalizers {
		if err := framework.RemoveFinalizer(ctx, m.Client, c, finalizer); err != nil {
			return err
		}
	}
	return nil
}
