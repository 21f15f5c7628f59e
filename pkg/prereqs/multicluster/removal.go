package multicluster

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	addonv1alpha1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

// managing keeps multicluster engine as long as it manages other clusters than its own; its webhook would refuse the
// removal.
type managing struct{}

func (s managing) check(ctx context.Context, r kube.Reader, mce *unstructured.Unstructured) *step.Finding {
	list := &clusterv1.ManagedClusterList{}
	if err := r.List(ctx, list); err != nil {
		if kube.IsKindMissing(err) {
			return nil
		}
		f := kube.Unknown(err).On("ManagedClusters")
		return &f
	}
	var names []string
	for i := range list.Items {
		if list.Items[i].Labels[localLabel] != "true" {
			names = append(names, list.Items[i].Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	f := step.Broken("it manages other clusters: %s", strings.Join(names, ", ")).
		On("MultiClusterEngine %s", mce.GetName()).
		WithHint("detach each first: oc delete managedcluster %s", names[0])
	return &f
}

// holdsEngine says what the deletion of the engine waits for below it: its operator, or the local cluster, which waits
// for the addon, which waits for hosted clusters.
func holdsEngine(ctx context.Context, r kube.Reader, mce *unstructured.Unstructured) string {
	if held := olm.Holds(olm.MulticlusterEngine())(ctx, r, mce); held != "" {
		return held
	}
	cluster, err := findLocalCluster(ctx, r)
	if err != nil || cluster == nil {
		return ""
	}
	addon := &addonv1alpha1.ManagedClusterAddOn{}
	if err := r.Get(ctx, types.NamespacedName{Namespace: cluster.Name, Name: addonName}, addon); err == nil &&
		addon.DeletionTimestamp != nil {
		return "ManagedClusterAddOn " + kube.Name(addon) + " is kept by " + strings.Join(addon.Finalizers, ", ") +
			": its agent waits until there are no hosted clusters"
	}
	if cluster.DeletionTimestamp == nil {
		return ""
	}
	held := "ManagedCluster " + cluster.Name + " is kept by " + strings.Join(cluster.Finalizers, ", ")
	if c := kube.ConditionOf(cluster, cluster.Status.Conditions, "Deleting"); c.Message != "" {
		held += ": " + c.Message
	}
	return held
}

func managedClusters() kube.Kind {
	gvk := schema.GroupVersionKind{Group: clusterv1.GroupName, Version: "v1", Kind: "ManagedCluster"}
	return kube.Kind{GroupVersionKind: gvk, Plural: "managedclusters"}
}

func managedAddOns() kube.Kind {
	gvk := schema.GroupVersionKind{Group: addonv1alpha1.GroupName, Version: "v1alpha1", Kind: "ManagedClusterAddOn"}
	return kube.Kind{GroupVersionKind: gvk, Plural: "managedclusteraddons", Namespaced: true}
}
