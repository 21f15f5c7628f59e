package mce

import (
	"context"
	"time"

	hypershiftv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	clusterLease = "managed-cluster-lease"
	// leaseTimes is after how many missed renewals the hub takes a cluster for lost.
	leaseTimes = 5
)

// importHosted imports a hosted cluster and simulates its registration agent, which writes the conditions Joined and
// Available and renews the lease. The hub's own controllers do the rest.
func (m *engine) importHosted(ctx context.Context, c *clusterv1.ManagedCluster) (reconcile.Result, error) {
	if err := framework.Create(ctx, m.Client,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: klusterletPrefix + c.Name}}); err != nil {
		return reconcile.Result{}, err
	}
	hc, err := m.hostedCluster(ctx, c.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	joined := meta.IsStatusConditionTrue(c.Status.Conditions, clusterv1.ManagedClusterConditionJoined)
	switch {
	case hc == nil && joined:
		return m.loseLease(ctx, c)
	case hc == nil || !available(hc):
		return reconcile.Result{}, nil
	}
	if wait, err := m.succeeded(ctx, c); err != nil || wait > 0 {
		return framework.RequeueAfter(wait), err
	}
	for _, step := range []struct {
		after     time.Duration
		condition metav1.Condition
	}{
		{joinTime, metav1.Condition{Type: clusterv1.ManagedClusterConditionJoined, Status: metav1.ConditionTrue,
			Reason: "ManagedClusterJoined", Message: "Managed cluster joined"}},
		{availableTime, metav1.Condition{Type: clusterv1.ManagedClusterConditionAvailable, Status: metav1.ConditionTrue,
			Reason: "ManagedClusterAvailable", Message: "Managed cluster is available"}},
	} {
		if meta.IsStatusConditionTrue(c.Status.Conditions, step.condition.Type) {
			continue
		}
		if wait := m.Remaining(step.after, step.condition.Type+string(c.UID)); wait > 0 {
			return framework.RequeueAfter(wait), nil
		}
		if _, err := m.renew(ctx, c, time.Now()); err != nil {
			return reconcile.Result{}, err
		}
		// The write triggers a reconcile for the next step.
		return reconcile.Result{}, framework.WriteSharedStatus(ctx, m.Client, c, func(c *clusterv1.ManagedCluster) {
			meta.SetStatusCondition(&c.Status.Conditions, step.condition)
			c.Status.Version.Kubernetes = "v1.33.0"
		})
	}
	m.Forget("lost" + string(c.UID))
	wait, err := m.renew(ctx, c, time.Now())
	return framework.RequeueAfter(wait), err
}

func isHosted(c *clusterv1.ManagedCluster) bool {
	return c.Annotations[deployModeAnnotation] == "Hosted"
}

// hostedCluster returns a hosted cluster by the name under which the addon imports it, or nil.
func (m *engine) hostedCluster(ctx context.Context, name string) (*hypershiftv1.HostedCluster, error) {
	list := &hypershiftv1.HostedClusterList{}
	if err := m.Client.List(ctx, list); err != nil && !framework.IsGone(err) {
		return nil, err
	}
	for i := range list.Items {
		if list.Items[i].Name == name {
			return &list.Items[i], nil
		}
	}
	return nil, nil
}

func leaseDuration(c *clusterv1.ManagedCluster) time.Duration {
	if c.Spec.LeaseDurationSeconds == 0 {
		return time.Minute
	}
	return time.Duration(c.Spec.LeaseDurationSeconds) * time.Second
}

// renew writes the lease that the hub has made, once it is older than its duration, and returns when the next renewal
// is due.
func (m *engine) renew(ctx context.Context, c *clusterv1.ManagedCluster, now time.Time) (time.Duration, error) {
	lease, err := m.lease(ctx, c)
	if err != nil || lease == nil {
		return m.Pace.Scale(time.Second), err
	}
	if last := lease.Spec.RenewTime; last != nil {
		if next := last.Add(leaseDuration(c)).Sub(now); next > 0 {
			return next, nil
		}
	}
	return leaseDuration(c), m.setRenewed(ctx, lease, now)
}

func (m *engine) lease(ctx context.Context, c *clusterv1.ManagedCluster) (*coordinationv1.Lease, error) {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: c.Name, Name: clusterLease}}
	if found, err := framework.Exists(ctx, m.Client, lease); err != nil || !found {
		return nil, err
	}
	return lease, nil
}

func (m *engine) setRenewed(ctx context.Context, lease *coordinationv1.Lease, at time.Time) error {
	return framework.Change(ctx, m.Client, lease, func(l *coordinationv1.Lease) {
		l.Spec.RenewTime = &metav1.MicroTime{Time: at}
	})
}

// loseLease lets the lease of a cluster whose agent has ended expire, after the time that the sandbox's speed makes of
// it: it sets the lease back, and the hub notices.
func (m *engine) loseLease(ctx context.Context, c *clusterv1.ManagedCluster) (reconcile.Result, error) {
	grace := leaseTimes * leaseDuration(c)
	if wait := m.Remaining(grace, "lost"+string(c.UID)); wait > 0 {
		return framework.RequeueAfter(wait), nil
	}
	lease, err := m.lease(ctx, c)
	if err != nil || lease == nil {
		return reconcile.Result{}, err
	}
	expired := time.Now().Add(-grace)
	if last := lease.Spec.RenewTime; last != nil && last.Before(&metav1.MicroTime{Time: expired}) {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{}, m.setRenewed(ctx, lease, expired)
}
