package mce

import (
	"context"
	"time"

	hypershiftv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	workv1 "open-cluster-management.io/api/work/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	// cleanupTime is the time between two looks at what is left of a deleted cluster, podTime the one at its pods.
	cleanupTime, podTime = 2 * time.Second, 10 * time.Second
	// hostedTime is the time between two looks at the hosted clusters in a deleted cluster's namespace.
	hostedTime = time.Minute
)

// detach cleans up a deleted ManagedCluster as the import controller does: registration deletes its addons and works,
// and the import controller removes its finalizer once nothing is left of them. What an unavailable cluster cannot
// clean up itself goes by force.
func (m *engine) detach(ctx context.Context, c *clusterv1.ManagedCluster) (reconcile.Result, error) {
	forced := !c.Spec.HubAcceptsClient ||
		!meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1.ManagedClusterConditionAvailable)
	if err := m.reportDetaching(ctx, c, forced); err != nil {
		return reconcile.Result{}, err
	}
	if err := framework.ChangeShared(ctx, m.Client, c, func(c *clusterv1.ManagedCluster) {
		controllerutil.RemoveFinalizer(c, infoFinalizer)
	}); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if isHosted(c) {
		if err := framework.Remove(ctx, m.Client,
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: klusterletPrefix + c.Name}}); err != nil {
			return reconcile.Result{}, err
		}
	} else if err := m.removeBootstrap(ctx, c.Name); err != nil {
		return reconcile.Result{}, err
	}
	left, err := m.leftOf(ctx, c.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	if len(left) > 0 {
		if forced {
			err = m.force(ctx, left)
		}
		return framework.RequeueAfter(m.Pace.Scale(cleanupTime)), err
	}
	if c.Labels["local-cluster"] == "true" {
		if gone, err := m.removeLocal(ctx); err != nil || !gone {
			return framework.RequeueAfter(m.Pace.Scale(cleanupTime)), err
		}
	}
	err = framework.ChangeShared(ctx, m.Client, c, func(c *clusterv1.ManagedCluster) {
		controllerutil.RemoveFinalizer(c, importFinalizer)
	})
	return reconcile.Result{}, client.IgnoreNotFound(err)
}

func (m *engine) reportDetaching(ctx context.Context, c *clusterv1.ManagedCluster, forced bool) error {
	if !framework.AtLeast(m.channel().Version, "2.6") {
		return nil
	}
	detaching := metav1.Condition{Type: conditionImported, Status: metav1.ConditionFalse,
		Reason: "ManagedClusterDetaching", Message: "The managed cluster is being detached now"}
	if forced {
		detaching.Reason, detaching.Message = "ManagedClusterForceDetaching", "The managed cluster is being detached by force"
	}
	return client.IgnoreNotFound(m.clusterCondition(ctx, c, detaching))
}

// leftOf lists what has to go before a cluster is detached: addons, works, and the work agent's rights, which
// registration keeps for as long as there are works.
func (m *engine) leftOf(ctx context.Context, cluster string) ([]client.Object, error) {
	var left []client.Object
	for _, list := range []client.ObjectList{&addonv1.ManagedClusterAddOnList{}, &workv1.ManifestWorkList{}} {
		if err := m.Client.List(ctx, list, framework.InNamespace(cluster)); err != nil && !framework.IsGone(err) {
			return nil, err
		}
		left = append(left, framework.Items(list)...)
	}
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: cluster,
		Name: "open-cluster-management:managedcluster:" + cluster + ":work"}}
	found, err := framework.Exists(ctx, m.Client, binding)
	if err != nil {
		return nil, err
	}
	if found {
		left = append(left, binding)
	}
	return left, nil
}

// force deletes objects without waiting for those whose finalizers they have.
func (m *engine) force(ctx context.Context, left []client.Object) error {
	for _, o := range left {
		if err := framework.Remove(ctx, m.Client, o); err != nil {
			return err
		}
		err := framework.Change(ctx, m.Client, o, func(o client.Object) { o.SetFinalizers(nil) })
		if client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return nil
}

// clusterNamespace deletes the namespace of a cluster that is gone, or that only the import controller still holds,
// once nothing in it needs it.
func (m *engine) clusterNamespace(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
	found, err := framework.Exists(ctx, m.Client, ns)
	if err != nil || !found || ns.DeletionTimestamp != nil || ns.Labels[managedNamespace] == "" {
		return reconcile.Result{}, err
	}
	c := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: req.Name}}
	found, err = framework.Exists(ctx, m.Client, c)
	if err != nil {
		return reconcile.Result{}, err
	}
	held := len(c.Finalizers) > 1 || len(c.Finalizers) == 1 && c.Finalizers[0] != importFinalizer
	if found && (c.DeletionTimestamp == nil || held) {
		return reconcile.Result{}, nil
	}
	addons, hosted, pods := &addonv1.ManagedClusterAddOnList{}, &hypershiftv1.HostedClusterList{}, &corev1.PodList{}
	for _, wait := range []struct {
		on    client.ObjectList
		again time.Duration
	}{{addons, 0}, {hosted, hostedTime}, {pods, podTime}} {
		if err := m.Client.List(ctx, wait.on, framework.InNamespace(ns.Name)); err != nil && !framework.IsGone(err) {
			return reconcile.Result{}, err
		}
		if meta.LenList(wait.on) > 0 {
			return framework.RequeueAfter(m.Pace.Scale(wait.again)), nil
		}
	}
	return reconcile.Result{}, framework.Remove(ctx, m.Client, ns)
}
