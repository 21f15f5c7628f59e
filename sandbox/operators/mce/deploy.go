package mce

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1beta2 "open-cluster-management.io/api/cluster/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	hypershiftAddon = "hypershift-addon"
	addonConfig     = "hypershift-addon-deploy-config"
	addonManager    = "hypershift-addon-manager"
)

// componentDeployments has the main Deployment of each component that has one. The real components have up to five.
var componentDeployments = map[string]string{
	"assisted-service":      "infrastructure-operator",
	"cluster-lifecycle":     "clusterclaims-controller",
	"cluster-manager":       "cluster-manager",
	"cluster-permission":    "cluster-permission",
	"discovery":             "discovery-operator",
	"hive":                  "hive-operator",
	"server-foundation":     "ocm-controller",
	"cluster-proxy-addon":   "cluster-proxy-addon-manager",
	"managedserviceaccount": "managed-serviceaccount-addon-manager",
	"console-mce":           "console-mce-console",
	componentHypershift:     addonManager,
	componentPreview:        addonManager,
}

// deployComponents creates the Deployments of enabled components, removes those of the others, and reports whether
// cluster-manager runs.
func (m *engine) deployComponents(ctx context.Context, components []Component, r *report) (hub bool, err error) {
	for _, c := range components {
		name, ok := componentDeployments[c.Name]
		if !ok {
			continue
		}
		key := types.NamespacedName{Namespace: Namespace, Name: name}
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
		if !c.Enabled {
			r.entry(c.Name, "Component", metav1.Condition{Type: "NotPresent", Status: metav1.ConditionTrue,
				Reason: "ComponentDisabled", Message: "No resources present"}, true)
			if err := framework.Remove(ctx, m.Client, d, client.PropagationPolicy(
				metav1.DeletePropagationBackground)); err != nil {
				return false, err
			}
			continue
		}
		w := m.withStuckSelector(framework.Workload{NamespacedName: key}, c.Name)
		if err := m.removePlaced(ctx, w, c.Name); err != nil {
			return false, err
		}
		up, err := m.EnsureDeployment(ctx, w)
		if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) {
			r.failed(name, "Deployment", err)
			r.later(m.Pace.Scale(retry))
			continue
		} else if err != nil {
			return false, err
		}
		if _, err := framework.Exists(ctx, m.Client, d); err != nil {
			return false, err
		}
		r.deployment(d, m.channel().Version)
		hub = hub || up && c.Name == "cluster-manager"
	}
	return hub, nil
}

var clusterManagerKind = schema.GroupVersionKind{Group: "operator.open-cluster-management.io", Version: "v1",
	Kind: "ClusterManager"}

func theClusterManager() *unstructured.Unstructured {
	cm := framework.Unstructured(clusterManagerKind)
	cm.SetName("cluster-manager")
	return cm
}

// applyHub creates the ClusterManager and copies what its operator says. That operator writes once that the hub is
// applied; what a script writes later stays.
func (m *engine) applyHub(ctx context.Context, r *report) error {
	cm := theClusterManager()
	found, err := framework.Exists(ctx, m.Live, cm)
	if err != nil {
		return err
	}
	if !found {
		if err := framework.Create(ctx, m.Live, cm); err != nil {
			return err
		}
	}
	var conditions []metav1.Condition
	if _, err := framework.Read(cm, &conditions, "status", "conditions"); err != nil {
		return err
	}
	if len(conditions) == 0 {
		applied := framework.Condition{Type: "Applied", Status: "True", Reason: "ClusterManagerApplied"}
		if err := framework.WriteStatus(ctx, m.Live, cm, func(o *unstructured.Unstructured) {
			framework.SetConditions(o, framework.Plain, applied)
		}); err != nil {
			return err
		}
		conditions = []metav1.Condition{{Type: applied.Type, Status: metav1.ConditionTrue, Reason: applied.Reason}}
	}
	for _, c := range conditions {
		if c.Type == "Applied" && c.Status == metav1.ConditionTrue {
			r.entry(cm.GetName(), clusterManagerKind.Kind, c, true)
			return nil
		}
	}
	r.copied(cm.GetName(), clusterManagerKind.Kind, conditions)
	return nil
}

// localClusterName returns the name of the ManagedCluster that stands for this cluster.
func localClusterName(o *unstructured.Unstructured) string {
	if name := framework.Text(o, "spec", "localClusterName"); name != "" {
		return name
	}
	return "local-cluster"
}

// localCluster turns the self-management of this cluster on or off, as the component says.
func (m *engine) localCluster(ctx context.Context, o *unstructured.Unstructured, components []Component,
	r *report) error {
	name := localClusterName(o)
	cluster := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: name}}
	found, err := framework.Exists(ctx, m.Client, cluster)
	if err != nil {
		return err
	}
	if !enabled(components, ComponentLocalCluster) {
		off := metav1.Condition{Type: "NotPresent", Status: metav1.ConditionTrue, Reason: "ManagedClusterDisabled",
			Message: "No resources present"}
		if found {
			off.Status, off.Message = metav1.ConditionFalse, "Resources present"
			r.entry(name, ComponentLocalCluster, off, false)
			return framework.Remove(ctx, m.Client, cluster)
		}
		r.entry(name, ComponentLocalCluster, off, true)
		return nil
	}
	if !found {
		r.copied(name, ComponentLocalCluster, nil)
		namespaceThere, err := m.HasNamespace(ctx, name)
		if err != nil || namespaceThere {
			return err
		}
		cluster.Labels = map[string]string{
			"local-cluster": "true", "cloud": "auto-detect", "vendor": "auto-detect", "velero.io/exclude-from-backup": "true",
		}
		cluster.Spec.HubAcceptsClient = true
		return framework.Create(ctx, m.Client, cluster)
	}
	// The real operator only checks that the condition types exist, too, and ignores their status.
	for _, kind := range []string{clusterv1.ManagedClusterConditionHubAccepted, clusterv1.ManagedClusterConditionJoined,
		clusterv1.ManagedClusterConditionAvailable} {
		if !hasCondition(cluster.Status.Conditions, kind) {
			r.copied(name, ComponentLocalCluster, cluster.Status.Conditions)
			return nil
		}
	}
	r.entry(name, ComponentLocalCluster, metav1.Condition{Type: "ManagedClusterImportSuccess",
		Status: metav1.ConditionTrue, Reason: "ManagedClusterImported", Message: "ManagedCluster is imported"}, true)
	return nil
}

func hasCondition(list []metav1.Condition, kind string) bool {
	for _, c := range list {
		if c.Type == kind {
			return true
		}
	}
	return false
}

// localHosting creates the hypershift addon for this cluster, once the components for hosting are on (2.2 to 2.11).
func (m *engine) localHosting(ctx context.Context, o *unstructured.Unstructured, components []Component,
	r *report) error {
	const kind = "ManagedClusterAddOn"
	on := enabled(components, m.channel().Component)
	if on {
		if err := m.addonBasics(ctx); err != nil {
			return err
		}
		r.present(hypershiftAddon, "ClusterManagementAddOn")
	}
	name := localClusterName(o)
	addon := &addonv1.ManagedClusterAddOn{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: hypershiftAddon}}
	found, err := framework.Exists(ctx, m.Client, addon)
	if err != nil {
		return err
	}
	if !on || !enabled(components, componentHosting) || !enabled(components, ComponentLocalCluster) {
		if found {
			r.copied(hypershiftAddon, kind, addon.Status.Conditions)
			return framework.Remove(ctx, m.Client, addon)
		}
		r.entry(hypershiftAddon, kind, metav1.Condition{Type: "NotPresent", Status: metav1.ConditionTrue,
			Reason: "ComponentDisabled", Message: "No resources present"}, true)
		return nil
	}
	if !found {
		r.add(hypershiftAddon, kind, "False", "WaitingForResource", "Waiting for the namespace of the local cluster")
		if there, err := m.HasNamespace(ctx, name); err != nil || !there {
			return err
		}
		addon.Labels = map[string]string{"backplaneconfig.name": o.GetName()}
		if framework.AtLeast(m.channel().Version, "2.5") {
			addon.Annotations = map[string]string{"installer.multicluster.openshift.io/release-version": m.channel().Version}
		}
		addon.Spec.InstallNamespace = agentNamespace
		return framework.Create(ctx, m.Client, addon)
	}
	// Only Available counts here. MCE accepts a Degraded addon.
	for _, c := range addon.Status.Conditions {
		if c.Type == addonv1.ManagedClusterAddOnConditionAvailable && c.Status == metav1.ConditionTrue {
			r.entry(hypershiftAddon, kind, c, true)
			return nil
		}
	}
	r.copied(hypershiftAddon, kind, addon.Status.Conditions)
	return nil
}

// addonBasics creates the hypershift component's objects on the hub: the addon's definition and its settings.
func (m *engine) addonBasics(ctx context.Context) error {
	err := framework.Create(ctx, m.Client, &addonv1.ClusterManagementAddOn{
		ObjectMeta: metav1.ObjectMeta{Name: hypershiftAddon},
		Spec: addonv1.ClusterManagementAddOnSpec{
			AddOnMeta:       addonv1.AddOnMeta{DisplayName: "Hypershift Addon", Description: "Hypershift Addon"},
			InstallStrategy: addonv1.InstallStrategy{Type: addonv1.AddonInstallStrategyManual},
			SupportedConfigs: []addonv1.ConfigMeta{{
				ConfigGroupResource: addonv1.ConfigGroupResource{Group: "addon.open-cluster-management.io",
					Resource: "addondeploymentconfigs"},
				DefaultConfig: ptr.To(addonv1.ConfigReferent{Namespace: Namespace, Name: addonConfig}),
			}},
		},
	})
	if err != nil {
		return err
	}
	return framework.Create(ctx, m.Client, &addonv1.AddOnDeploymentConfig{
		ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: addonConfig},
		Spec: addonv1.AddOnDeploymentConfigSpec{CustomizedVariables: []addonv1.CustomizedVariable{
			{Name: "hcMaxNumber", Value: "80"}, {Name: "hcThresholdNumber", Value: "60"},
		}},
	})
}

// ending writes the stage of a removal: what it waits for, or the ClusterManager if part is nil. Of the messages,
// findings have that about the ManagedCluster; the others have its form.
func (m *engine) ending(ctx context.Context, o *unstructured.Unstructured, part client.Object) error {
	waits := "ClusterManager cluster-manager"
	if part != nil {
		gvk, err := m.Client.GroupVersionKindFor(part)
		if err != nil {
			return err
		}
		waits = gvk.Kind + " " + part.GetName()
	}
	return framework.WriteStatus(ctx, m.Client, o, func(o *unstructured.Unstructured) {
		framework.Set(o, "Uninstalling", "status", "phase")
		framework.SetConditions(o, framework.Plain,
			framework.Condition{Type: "Progressing", Status: "True", Reason: "WaitingForResource",
				Message: "Waiting for " + waits + " to terminate."},
			framework.Condition{Type: "Available", Status: "False", Reason: "ComponentsUnavailable",
				Message: "Not all components available"})
	})
}

// uninstall removes this engine's objects in an order that lets each part finish: addon, cluster, components.
func (m *engine) uninstall(ctx context.Context, o *unstructured.Unstructured) (ctrl.Result, error) {
	name := localClusterName(o)
	for _, part := range []client.Object{
		&addonv1.ManagedClusterAddOn{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: hypershiftAddon}},
		&clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: name}},
	} {
		found, err := framework.Exists(ctx, m.Client, part)
		if err != nil {
			return ctrl.Result{}, err
		}
		if found {
			// The end of the part triggers a new reconcile.
			if err := m.ending(ctx, o, part); err != nil {
				return ctrl.Result{}, err
			}
			return ctrl.Result{}, framework.Remove(ctx, m.Client, part)
		}
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	there, err := framework.Exists(ctx, m.Client, ns)
	if err != nil {
		return ctrl.Result{}, err
	}
	if there && ns.Labels[managedNamespace] != "" {
		return ctrl.Result{}, m.ending(ctx, o, ns)
	}
	if err := m.ending(ctx, o, nil); err != nil {
		return ctrl.Result{}, err
	}
	if err := m.deleteImageSets(ctx); err != nil {
		return ctrl.Result{}, err
	}
	doomed := []client.Object{
		&addonv1.AddOnDeploymentConfig{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: addonConfig}},
		&addonv1.ClusterManagementAddOn{ObjectMeta: metav1.ObjectMeta{Name: hypershiftAddon}},
	}
	for _, d := range componentDeployments {
		doomed = append(doomed, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: d}})
	}
	for _, d := range doomed {
		if err := framework.Remove(ctx, m.Client, d, client.PropagationPolicy(
			metav1.DeletePropagationBackground)); err != nil {
			return ctrl.Result{}, err
		}
	}
	if m.hub.runs() {
		return framework.RequeueAfter(m.Pace.Scale(hubEndTime)), nil
	}
	if err := framework.Remove(ctx, m.Live, theClusterManager()); err != nil {
		return ctrl.Result{}, err
	}
	// In reality cluster-manager removes the kind, and its objects with it.
	if err := m.Client.DeleteAllOf(ctx, &clusterv1beta2.ManagedClusterSet{}); err != nil && !framework.IsGone(err) {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, framework.RemoveFinalizer[client.Object](ctx, m.Client, o, finalizer)
}
