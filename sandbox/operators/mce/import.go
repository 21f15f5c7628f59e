package mce

import (
	"context"
	"slices"
	"strings"
	"time"

	hypershiftv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	managedNamespace = "cluster.open-cluster-management.io/managedCluster"
	clusterNameLabel = "open-cluster-management.io/cluster-name"
	clusterSetLabel  = "cluster.open-cluster-management.io/clusterset"
	// importFinalizer is the import controller's, infoFinalizer that of the inventory. Registration has its own.
	importFinalizer      = "managedcluster-import-controller.open-cluster-management.io/cleanup"
	infoFinalizer        = "managedclusterinfo.finalizers.open-cluster-management.io"
	deployModeAnnotation = "import.open-cluster-management.io/klusterlet-deploy-mode"
	createdViaAnnotation = "open-cluster-management/created-via"
	conditionImported    = "ManagedClusterImportSucceeded"
	// klusterletPrefix is the prefix of a klusterlet's namespace.
	klusterletPrefix = "klusterlet-"
	// importTime is the time to import a cluster, joinTime the time until its agent has joined, availableTime that until
	// the agent reports it as available.
	importTime, joinTime, availableTime = 1200 * time.Millisecond, 1200 * time.Millisecond, time.Second
)

// importers are the values of createdViaAnnotation that the import controller leaves.
var importers = []string{"assisted-installer", "hive", "discovery", "hypershift"}

// startHub starts Open Cluster Management's own controllers, and those of the import controller and the addon, once the
// API server has the kinds of open-cluster-management.
func (m *engine) startHub() error {
	byName := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: strings.TrimPrefix(o.GetName(),
			klusterletPrefix)}}}
	})
	byNamespace := handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: o.GetNamespace()}}}
	})
	if err := m.startOCM(); err != nil {
		return err
	}
	clusters, err := m.NewController("managedcluster", &clusterv1.ManagedCluster{}).
		Watches(&corev1.Namespace{}, byName).
		Watches(&addonv1.ManagedClusterAddOn{}, byNamespace).
		Watches(&workv1.ManifestWork{}, byNamespace).
		Build(reconcile.Func(m.manage))
	if err != nil {
		return err
	}
	if err := m.NewController("managedcluster-namespace", &clusterv1.ManagedCluster{}).
		Watches(&corev1.Namespace{}, byName).
		Watches(&addonv1.ManagedClusterAddOn{}, byNamespace).
		Complete(reconcile.Func(m.clusterNamespace)); err != nil {
		return err
	}
	if err := m.NewController("agent-requests", &certificatesv1.CertificateSigningRequest{}).
		Complete(reconcile.Func(m.approve)); err != nil {
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

// manage reconciles a ManagedCluster as the import controller does: its labels and finalizers, and the import of
// clusters that this hub can reach by itself. Open Cluster Management's own controllers do the rest.
func (m *engine) manage(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	c := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
	if found, err := framework.Exists(ctx, m.Client, c); err != nil || !found {
		return reconcile.Result{}, err
	}
	result, err := m.imported(ctx, c)
	if apierrors.IsConflict(err) {
		// Another writer was faster: its write is an event.
		return reconcile.Result{}, nil
	}
	return result, err
}

func (m *engine) imported(ctx context.Context, c *clusterv1.ManagedCluster) (reconcile.Result, error) {
	if c.DeletionTimestamp != nil {
		return m.detach(ctx, c)
	}
	if err := framework.ChangeShared(ctx, m.Client, c, func(c *clusterv1.ManagedCluster) {
		controllerutil.AddFinalizer(c, importFinalizer)
		controllerutil.AddFinalizer(c, infoFinalizer)
		metav1.SetMetaDataLabel(&c.ObjectMeta, "name", c.Name)
		if !slices.Contains(importers, c.Annotations[createdViaAnnotation]) {
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, createdViaAnnotation, "other")
		}
		// In reality registration's admission webhook sets it.
		if c.Labels[clusterSetLabel] == "" {
			metav1.SetMetaDataLabel(&c.ObjectMeta, clusterSetLabel, "default")
		}
	}); err != nil {
		return reconcile.Result{}, err
	}
	if err := m.labelNamespace(ctx, c); err != nil {
		return reconcile.Result{}, err
	}
	if !meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1.ManagedClusterConditionHubAccepted) {
		return reconcile.Result{}, nil
	}
	if c.Labels["local-cluster"] == "true" {
		return m.importLocal(ctx, c)
	}
	if isHosted(c) {
		return m.importHosted(ctx, c)
	}
	return m.importSite(ctx, c)
}

// labelNamespace labels the namespace that registration has made for the cluster.
func (m *engine) labelNamespace(ctx context.Context, c *clusterv1.ManagedCluster) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.Name}}
	if found, err := framework.Exists(ctx, m.Client, ns); err != nil || !found {
		return err
	}
	return framework.Change(ctx, m.Client, ns, func(ns *corev1.Namespace) {
		metav1.SetMetaDataLabel(&ns.ObjectMeta, managedNamespace, c.Name)
		metav1.SetMetaDataLabel(&ns.ObjectMeta, clusterNameLabel, c.Name)
	})
}

// succeeded reports that the cluster is imported, after its time.
func (m *engine) succeeded(ctx context.Context, c *clusterv1.ManagedCluster) (wait time.Duration, err error) {
	if meta.IsStatusConditionTrue(c.Status.Conditions, conditionImported) {
		return 0, nil
	}
	if wait := m.Remaining(importTime, conditionImported+string(c.UID)); wait > 0 {
		return wait, nil
	}
	return 0, m.clusterCondition(ctx, c, metav1.Condition{Type: conditionImported, Status: metav1.ConditionTrue,
		Reason: "ManagedClusterImported", Message: "Import succeeded"})
}

func (m *engine) clusterCondition(ctx context.Context, c *clusterv1.ManagedCluster, cond metav1.Condition) error {
	return framework.WriteSharedStatus(ctx, m.Client, c, func(c *clusterv1.ManagedCluster) {
		meta.SetStatusCondition(&c.Status.Conditions, cond)
	})
}
