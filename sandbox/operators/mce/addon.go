package mce

import (
	"context"
	"encoding/json"
	"time"

	hypershiftv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	agentNamespace      = "open-cluster-management-agent-addon"
	agentDeployment     = "hypershift-addon-agent"
	hypershiftNamespace = "hypershift"
	addonFinalizer      = "addon.open-cluster-management.io/addon-pre-delete"
	// installTime is the run time of the agent's install job, leaseTime the time until the agent sees a healthy
	// operator.
	installTime = 2500 * time.Millisecond
	leaseTime   = time.Second
	// addonLease is the time between two renewals of the addon's lease.
	addonLease = time.Minute

	degradedReason = "HypershiftDeployed"
)

// addon reconciles the hypershift addon of a ManagedCluster: agent, install job, HyperShift operator.
func (m *engine) addon(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	result, err := m.deployAddon(ctx, req)
	if apierrors.IsConflict(err) {
		// Another writer was faster: its write is an event.
		return reconcile.Result{}, nil
	}
	return result, err
}

func (m *engine) deployAddon(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	a := &addonv1.ManagedClusterAddOn{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	if found, err := framework.Exists(ctx, m.Client, a); err != nil || !found || req.Name != hypershiftAddon {
		return reconcile.Result{}, err
	}
	cluster := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: req.Namespace}}
	found, err := framework.Exists(ctx, m.Client, cluster)
	// The agent of another cluster would run there; the sandbox has only that of this one.
	if err != nil || found && cluster.Labels["local-cluster"] != "true" {
		return reconcile.Result{}, err
	}
	if a.DeletionTimestamp != nil {
		return reconcile.Result{}, m.removeAddon(ctx, a)
	}
	// The manager is part of the component. Without it nothing reconciles the addon.
	manager := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: addonManager}}
	if found, err := framework.Exists(ctx, m.Client, manager); err != nil || !found || !framework.AllAvailable(manager) {
		return reconcile.Result{}, err
	}
	if err := framework.AddFinalizer(ctx, m.Client, a, addonFinalizer); err != nil {
		return reconcile.Result{}, err
	}
	if err := m.addonConditions(ctx, a, metav1.Condition{Type: "RegistrationApplied", Status: metav1.ConditionTrue,
		Reason: "SetPermissionApplied", Message: "Registration of the addon agent is configured"}); err != nil {
		return reconcile.Result{}, err
	}
	// The agent's manifests cannot be applied before the cluster has joined.
	if !found || !meta.IsStatusConditionTrue(cluster.Status.Conditions,
		clusterv1.ManagedClusterConditionAvailable) {
		return reconcile.Result{}, nil
	}
	up, err := m.agent(ctx, a)
	if err != nil || !up {
		return reconcile.Result{}, err
	}
	return m.operator(ctx, a)
}

// agent deploys the addon's agent and reports whether it runs.
func (m *engine) agent(ctx context.Context, a *addonv1.ManagedClusterAddOn) (bool, error) {
	if err := framework.Create(ctx, m.Client,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: agentNamespace}}); err != nil {
		return false, err
	}
	up, err := m.EnsureDeployment(ctx, framework.Workload{NamespacedName: types.NamespacedName{Namespace: agentNamespace,
		Name: agentDeployment}})
	if err != nil {
		return false, err
	}
	return up, m.addonConditions(ctx, a, metav1.Condition{Type: "ManifestApplied", Status: metav1.ConditionTrue,
		Reason: "AddonManifestApplied", Message: "manifests of addon are applied successfully"})
}

// operator installs the HyperShift operator and reports its health.
func (m *engine) operator(ctx context.Context, a *addonv1.ManagedClusterAddOn) (ctrl.Result, error) {
	operator := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: hypershiftNamespace, Name: "operator"}}
	installed, err := framework.Exists(ctx, m.Client, operator)
	if err != nil {
		return ctrl.Result{}, err
	}
	if wait := m.Remaining(installTime, "install"+string(a.UID)); wait > 0 && !installed {
		return framework.RequeueAfter(wait), m.addonConditions(ctx, a,
			metav1.Condition{Type: addonv1.ManagedClusterAddOnConditionDegraded, Status: metav1.ConditionTrue,
				Reason: degradedReason, Message: "OperatorNotFound"})
	}
	if err := m.Install(ctx, m.channel().Version, crds.OfHyperShift(m.channel().HyperShift)); err != nil {
		return ctrl.Result{}, err
	}
	if err := framework.Create(ctx, m.Client,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: hypershiftNamespace}}); err != nil {
		return ctrl.Result{}, err
	}
	up, err := m.EnsureDeployment(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: hypershiftNamespace, Name: "operator"},
		Labels: map[string]string{"app": "operator", "name": "operator",
			"hypershift.openshift.io/operator-component": "operator"},
		Replicas: 2,
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	// Without any replica it is not available, whatever is wanted.
	up = up && operator.Status.AvailableReplicas > 0
	if err := m.degradeOperator(ctx); err != nil {
		return ctrl.Result{}, err
	}
	healthy := metav1.Condition{Type: addonv1.ManagedClusterAddOnConditionDegraded, Status: metav1.ConditionFalse,
		Reason: degradedReason, Message: "Hypershift is deployed on managed cluster."}
	if !up {
		// Reason and message are those in the addon's documentation.
		healthy.Status, healthy.Reason = metav1.ConditionTrue, "OperatorNotAllAvailableReplicas"
		healthy.Message = "There are no operator replica available"
		if !m.Faults.Active(fault.AddonDegraded) {
			m.Forget("lease" + string(a.UID))
			return ctrl.Result{}, m.addonConditions(ctx, a, healthy)
		}
	}
	if err := m.supportedVersions(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if wait := m.Remaining(leaseTime, "lease"+string(a.UID)); wait > 0 {
		return framework.RequeueAfter(wait), nil
	}
	wait, err := m.renewAddon(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	return framework.RequeueAfter(wait), m.addonConditions(ctx, a, healthy)
}

// renewAddon renews the lease of the addon's agent, by which the registration agent knows that it is available, and
// returns when the next renewal is due.
func (m *engine) renewAddon(ctx context.Context) (time.Duration, error) {
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: agentNamespace, Name: hypershiftAddon}}
	found, err := framework.Exists(ctx, m.Client, lease)
	if err != nil {
		return 0, err
	}
	now := time.Now()
	if found && lease.Spec.RenewTime != nil {
		if next := lease.Spec.RenewTime.Add(addonLease).Sub(now); next > 0 {
			return next, nil
		}
	}
	return addonLease, framework.Ensure(ctx, m.Client, lease, func(l *coordinationv1.Lease) {
		l.Spec.RenewTime = &metav1.MicroTime{Time: now}
	})
}

// supportedVersions writes the ConfigMap with the releases of hosted clusters. In reality the HyperShift operator
// writes it at its start.
func (m *engine) supportedVersions(ctx context.Context) error {
	if m.RealHyperShift {
		return nil
	}
	raw, err := json.Marshal(map[string][]string{"versions": m.channel().HostedVersions})
	if err != nil {
		return err
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: hypershiftNamespace, Name: "supported-versions"}}
	return framework.Ensure(ctx, m.Client, cm, func(cm *corev1.ConfigMap) {
		metav1.SetMetaDataLabel(&cm.ObjectMeta, "hypershift.openshift.io/supported-versions", "true")
		cm.Data = map[string]string{"supported-versions": string(raw)}
		if framework.AtLeast(m.channel().Version, "2.4") {
			// Made up: any git revision will do, because clients only show it.
			cm.Data["server-version"] = "0f5d3a1c7b9e2468ace013579bdf02468ace1357"
		}
	})
}

// addonConditions writes conditions. The registration agent writes Available at the same time, so a conflict is left to
// the event of the other write.
func (m *engine) addonConditions(ctx context.Context, a *addonv1.ManagedClusterAddOn, conds ...metav1.Condition) error {
	return framework.WriteSharedStatus(ctx, m.Client, a, func(a *addonv1.ManagedClusterAddOn) {
		for _, c := range conds {
			meta.SetStatusCondition(&a.Status.Conditions, c)
		}
	})
}

// removeAddon removes the HyperShift operator. Hosted clusters block it, without a condition.
func (m *engine) removeAddon(ctx context.Context, a *addonv1.ManagedClusterAddOn) error {
	hosted := &hypershiftv1.HostedClusterList{}
	if err := m.Client.List(ctx, hosted); err != nil && !framework.IsGone(err) {
		return err
	}
	if len(hosted.Items) > 0 {
		return nil
	}
	for _, o := range []client.Object{
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: hypershiftNamespace, Name: "operator"}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: hypershiftNamespace, Name: "supported-versions"}},
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: agentNamespace, Name: agentDeployment}},
		&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: agentNamespace, Name: hypershiftAddon}},
		&admissionregistrationv1.MutatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: hypershiftv1.GroupVersion.Group}},
		&admissionregistrationv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: hypershiftv1.GroupVersion.Group}},
	} {
		if err := framework.Remove(ctx, m.Client, o, client.PropagationPolicy(
			metav1.DeletePropagationBackground)); err != nil {
			return err
		}
	}
	return framework.RemoveFinalizer(ctx, m.Client, a, addonFinalizer)
}
