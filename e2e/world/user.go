package world

import "testing"

// PlantForBootstrap is what a user has made on the management cluster before: a setting in an object that bootstrap
// changes, labels of their own, an operator of their own.
func (w *World) PlantForBootstrap(t *testing.T) (intact func(*testing.T)) {
	t.Helper()
	w.Merge(
		t, Routers, "openshift-ingress-operator", "default",
		`{"metadata":{"annotations":{"example.com/owner":"somebody"}},`+
			`"spec":{"routeAdmission":{"namespaceOwnership":"InterNamespaceAllowed"}}}`,
	)
	w.Make(
		t, Namespaces, "",
		map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "somebodys"}},
	)
	w.Make(t, Subscriptions, "somebodys", map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
		"metadata": map[string]any{"name": "somebodys-operator", "namespace": "somebodys"},
		"spec": map[string]any{
			"name": "somebodys-operator", "source": "redhat-operators", "sourceNamespace": "openshift-marketplace",
			"channel": "stable", "installPlanApproval": "Manual",
		},
	})
	return func(t *testing.T) {
		t.Helper()
		w.Has(
			t, Routers, "openshift-ingress-operator", "default", "InterNamespaceAllowed", "spec", "routeAdmission",
			"namespaceOwnership",
		)
		w.Has(t, Routers, "openshift-ingress-operator", "default", "somebody", "metadata", "annotations", "example.com/owner")
		w.Has(t, Subscriptions, "somebodys", "somebodys-operator", "Manual", "spec", "installPlanApproval")
	}
}

// Plant is what a user does with a hosted cluster that hcctl made: labels and annotations, a field changed by hand, a
// node pool.
func (w *World) Plant(t *testing.T, name string) {
	t.Helper()
	w.Merge(
		t, HostedClusters, "clusters", name,
		`{"metadata":{"annotations":{"example.com/owner":"somebody"},"labels":{"example.com/room":"a"}}}`,
	)
	w.Merge(t, NodePools, "clusters", name, `{"spec":{"nodeDrainTimeout":"7m0s"}}`)
	w.Make(t, NodePools, "clusters", map[string]any{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
		"metadata": map[string]any{"name": name + "-somebodys", "namespace": "clusters"},
		"spec": map[string]any{
			"clusterName": name, "replicas": int64(0), "arch": "amd64", "management": map[string]any{"upgradeType": "Replace"},
			"release": map[string]any{"image": "quay.io/openshift-release-dev/ocp-release:4.20.3-multi"},
			"platform": map[string]any{"type": "KubeVirt", "kubevirt": map[string]any{
				"compute": map[string]any{
					"cores": int64(2), "memory": "8Gi",
				}, "rootVolume": map[string]any{"type": "Persistent", "persistent": map[string]any{"size": "32Gi"}},
			}},
		},
	})
}

// PlantedOn fails the test unless what Plant did is there.
func (w *World) PlantedOn(t *testing.T, name string) {
	t.Helper()
	w.Has(t, HostedClusters, "clusters", name, "somebody", "metadata", "annotations", "example.com/owner")
	w.Has(t, NodePools, "clusters", name, "7m0s", "spec", "nodeDrainTimeout")
	w.Has(t, NodePools, "clusters", name+"-somebodys", "0", "spec", "replicas")
}
