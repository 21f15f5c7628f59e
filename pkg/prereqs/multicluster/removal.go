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
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// managing blocks the removal of multicluster engine while it manages clusters other than its own or objects of other
// components exist: its webhook would refuse the deletion.
type managing struct{}

func (s managing) check(ctx context.Context, r kube.Reader, mce *unstructured.Unstructured) *step.Finding {
	if f := s.clusters(ctx, r, mce); f != nil {
		return f
	}
	return s.objects(ctx, r, mce)
}

// holdingKinds returns the kinds besides ManagedCluster whose objects block the deletion of an engine of this version
// (backplane-operator 2.2 to 5.1, blockDeletionResources).
func holdingKinds(mce *unstructured.Unstructured) []kube.Kind {
	kinds := []kube.Kind{kube.DiscoveryConfig, kube.AgentServiceConfig}
	if !prereq.EngineBefore(prereq.EngineVersion(mce), 11) {
		kinds = append(kinds, kube.ClusterPool)
	}
	return kinds
}

func (s managing) objects(ctx context.Context, r kube.Reader, mce *unstructured.Unstructured) *step.Finding {
	var objects, commands []string
	for _, kind := range holdingKinds(mce) {
		names, err := r.Names(ctx, kind)
		if err != nil && !kube.IsKindMissing(err) {
			f := kube.Unknown(err).On("%ss", kind.Kind)
			return &f
		}
		for _, name := range names {
			command := "oc delete " + kind.Plural + "." + kind.Group + " " + name.Name
			if kind.Namespaced {
				command += " -n " + name.Namespace
			}
			objects = append(objects, kind.Kind+" "+strings.TrimPrefix(name.String(), "/"))
			commands = append(commands, command)
		}
	}
	if len(objects) == 0 {
		return nil
	}
	f := step.Broken("its webhook refuses its deletion as long as these exist: %s", prereq.Listed(objects)).
		On("MultiClusterEngine %s", mce.GetName()).
		WithHint("if what they do is not needed: %s", commands[0])
	if more := len(commands) - 1; more > 0 {
		f = f.WithHint("if what they do is not needed, each of them: %s", commands[0])
	}
	return &f
}

func (s managing) clusters(ctx context.Context, r kube.Reader, mce *unstructured.Unstructured) *step.Finding {
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

// listHolding returns the right to find the objects that block the deletion.
func listHolding() access.Rule {
	return access.Rule{Verbs: "list", Resources: "agentserviceconfigs.agent-install.openshift.io " +
		"clusterpools.hive.openshift.io discoveryconfigs.discovery.open-cluster-management.io",
		Why: "multicluster engine's webhook refuses its deletion as long as there is one"}
}

// holdsEngine returns what the deletion of the engine waits for: its operator, or the local cluster, which waits for
// the addon, which waits for hosted clusters.
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
