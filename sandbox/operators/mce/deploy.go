package mce

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
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
	"discovery":             "discovery-operator",
	"hive":                  "hive-operator",
	"server-foundation":     "ocm-controller",
	"cluster-proxy-addon":   "cluster-proxy-addon-manager",
	"managedserviceaccount": "managed-serviceaccount-addon-manager",
	"console-mce":           "console-mce-console",
	componentHypershift:     addonManager,
	componentPreview:        addonManager,
}

// deployComponents creates the Deployments of enabled components, removes those of the others, and tells whether
// cluster-manager runs.
func (m *engine) deployComponents(ctx context.Context, components []Component, r *report) (hub bool, err error) {
	for _, c := range components {
		name, ok := componentDeployments[c.Name]
		if !ok {
			continue
		}
		key := types.NamespacedName{Namespace: Namespace, Name: name}
		if !c.Enabled {
			d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
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
		if err != nil {
			return false, err
		}
		if up {
			r.add(name, "Deployment", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
		} else {
			r.add(name, "Deployment", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
		}
		hub = hub || up && c.Name == "cluster-manager"
	}
	return hub, nil
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
		if found {
			r.add(ComponentLocalCluster, ComponentLocalCluster, "False", "Terminating",
				"Waiting for local-cluster to be removed")
			return framework.Remove(ctx, m.Client, cluster)
		}
		return nil
	}
	if !found {
		namespaceThere, err := m.HasNamespace(ctx, name)
		if err != nil {
			return err
		}
		if namespaceThere {
			r.add(ComponentLocalCluster, ComponentLocalCluster, "False", "LocalClusterNamespaceExists",
				"Waiting on local cluster namespace to be removed before creating ManagedCluster CR")
			return nil
		}
		cluster.Labels = map[string]string{
			"local-cluster": "true", "cloud": "auto-detect", "vendor": "auto-detect", "velero.io/exclude-from-backup": "true",
		}
		cluster.Spec.HubAcceptsClient = true
		r.add(ComponentLocalCluster, ComponentLocalCluster, "False", "Creating", "ManagedCluster is being imported")
		return framework.Create(ctx, m.Client, cluster)
	}
	// The real operator only checks that the condition types exist, too, and ignores their status.
	for _, kind := range []string{clusterv1.ManagedClusterConditionHubAccepted, clusterv1.ManagedClusterConditionJoined,
		clusterv1.ManagedClusterConditionAvailable} {
		if !hasCondition(cluster.Status.Conditions, kind) {
			r.add(ComponentLocalCluster, ComponentLocalCluster, "False", "Importing", "ManagedCluster has no condition "+kind+
				" yet")
			return nil
		}
	}
	r.add(ComponentLocalCluster, ComponentLocalCluster, "True", "LocalClusterImported", "Local cluster is imported")
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

// localHosting creates the hypershift addon for this cluster (MCE 2.4 and later; before, a user creates it).
func (m *engine) localHosting(ctx context.Context, o *unstructured.Unstructured, components []Component,
	r *report) error {
	on := enabled(components, m.channel().Component)
	if on {
		if err := m.addonBasics(ctx); err != nil {
			return err
		}
	}
	name := localClusterName(o)
	addon := &addonv1.ManagedClusterAddOn{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: hypershiftAddon}}
	found, err := framework.Exists(ctx, m.Client, addon)
	if err != nil {
		return err
	}
	if !on || !enabled(components, componentHosting) || !enabled(components, ComponentLocalCluster) {
		if found && m.channel().CreatesAddon {
			r.add(hypershiftAddon, "ManagedClusterAddOn", "False", "Terminating", "Waiting for the addon to be removed")
			return framework.Remove(ctx, m.Client, addon)
		}
		return nil
	}
	if !m.channel().CreatesAddon {
		return nil
	}
	if !found {
		r.add(hypershiftAddon, "ManagedClusterAddOn", "False", "Creating", "The addon is being created")
		if there, err := m.HasNamespace(ctx, name); err != nil || !there {
			return err
		}
		addon.Spec.InstallNamespace = agentNamespace
		return framework.Create(ctx, m.Client, addon)
	}
	// Only Available counts here. MCE accepts a Degraded addon.
	for _, c := range addon.Status.Conditions {
		if c.Type == addonv1.ManagedClusterAddOnConditionAvailable && c.Status == metav1.ConditionTrue {
			r.add(hypershiftAddon, "ManagedClusterAddOn", "True", c.Reason, c.Message)
			return nil
		}
	}
	r.add(hypershiftAddon, "ManagedClusterAddOn", "False", "AddonNotAvailable", "The addon is not available yet")
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

// uninstall removes this engine's objects in an order that lets each part finish: addon, cluster, components.
func (m *engine) uninstall(ctx context.Context, o *unstructured.Unstructured) (ctrl.Result, error) {
	if err := framework.WriteStatus(ctx, m.Client, o, func(o *unstructured.Unstructured) {
		framework.Set(o, "Uninstalling", "status", "phase")
	}); err != nil {
		return ctrl.Result{}, err
	}
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
			return ctrl.Result{}, framework.Remove(ctx, m.Client, part)
		}
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
	return ctrl.Result{}, framework.RemoveFinalizer[client.Object](ctx, m.Client, o, finalizer)
}
