package world

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// check returns an error that says what an object still lacks.
type check func(object map[string]any) error

// checks are the health rules for each kind, from the vendors' documents.
var checks = map[string]check{
	"Subscription": all(field("AtLatestKnown", "status", "state"), condition("CatalogSourcesUnhealthy", "False")),
	"LocalVolumeSet": all(
		condition("Available", "True"), condition("DaemonSetsAvailable", "True"),
		atLeast(9, "status", "totalProvisionedDeviceCount"),
	),
	"StorageCluster": all(field("Ready", "status", "phase"), condition("ReconcileComplete", "True"),
		condition("Available", "True"),
		condition("Progressing", "False"), condition("Degraded", "False")),
	"HyperConverged": all(condition("ReconcileComplete", "True"), condition("Available", "True"),
		condition("Progressing", "False"), condition("Degraded", "False")),
	"MetalLB": all(condition("Available", "True"), condition("Progressing", "False"),
		condition("Degraded", "False")),
	"MultiClusterHub":    field("Running", "status", "phase"),
	"MultiClusterEngine": field("Available", "status", "phase"),
	"IngressController": all(condition("Available", "True"), condition("Progressing", "False"),
		condition("Degraded", "False")),
	"ManagedCluster": all(condition("HubAcceptedManagedCluster", "True"), condition("ManagedClusterJoined", "True"),
		condition("ManagedClusterConditionAvailable", "True")),
	"ManagedClusterAddOn": all(condition("Available", "True"), condition("Degraded", "False")),
	"Deployment":          condition("Available", "True"),
	"StorageClass":        field("true", "metadata", "annotations", "storageclass.kubernetes.io/is-default-class"),
	"ConfigMap":           func(map[string]any) error { return nil },
	"Secret":              func(map[string]any) error { return nil },
	"IPAddressPool":       atLeast(91, "status", "availableIPv4"),
}

// operatorObjects returns the objects of the profile's cluster that operators create by themselves.
func operatorObjects(p profile.Profile) []*unstructured.Unstructured {
	object := func(gv schema.GroupVersion, kind, namespace, name string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{}
		o.SetGroupVersionKind(gv.WithKind(kind))
		o.SetNamespace(namespace)
		o.SetName(name)
		return o
	}
	apps := schema.GroupVersion{Group: "apps", Version: "v1"}
	out := []*unstructured.Unstructured{
		object(schema.GroupVersion{Group: "cluster.open-cluster-management.io", Version: "v1"}, "ManagedCluster", "",
			"local-cluster"),
		object(schema.GroupVersion{Group: "addon.open-cluster-management.io", Version: "v1alpha1"}, "ManagedClusterAddOn",
			"local-cluster", "hypershift-addon"),
		object(apps, "Deployment", "hypershift", "operator"),
		object(schema.GroupVersion{Version: "v1"}, "ConfigMap", "hypershift", "supported-versions"),
		// The registration agent has a certificate of this run.
		object(schema.GroupVersion{Version: "v1"}, "Secret", "open-cluster-management-agent", "hub-kubeconfig-secret"),
	}
	if p.Birth == profile.ACM {
		out = append(out, object(schema.GroupVersion{Group: "multicluster.openshift.io", Version: "v1"}, "MultiClusterEngine",
			"", "multiclusterengine"))
	}
	if p.Birth == profile.Ready {
		out = append(out, object(schema.GroupVersion{Group: "storage.k8s.io", Version: "v1"}, "StorageClass", "",
			"ocs-storagecluster-ceph-rbd"))
	}
	return out
}

func all(list ...check) check {
	return func(object map[string]any) error {
		for _, c := range list {
			if err := c(object); err != nil {
				return err
			}
		}
		return nil
	}
}

// condition checks that a condition has a status, for the object's current generation if the status has one.
func condition(kind, want string) check {
	return func(object map[string]any) error {
		observed, ok, _ := unstructured.NestedInt64(object, "status", "observedGeneration")
		generation, _, _ := unstructured.NestedInt64(object, "metadata", "generation")
		if ok && observed < generation {
			return fmt.Errorf("status is for generation %d, not %d", observed, generation)
		}
		conditions, _, _ := unstructured.NestedSlice(object, "status", "conditions")
		for _, c := range conditions {
			if m, ok := c.(map[string]any); ok && m["type"] == kind {
				if m["status"] == want {
					return nil
				}
				return fmt.Errorf("condition %s is %v, not %s: %v: %v", kind, m["status"], want, m["reason"], m["message"])
			}
		}
		return fmt.Errorf("condition %s is missing", kind)
	}
}

func field(want string, path ...string) check {
	return func(object map[string]any) error {
		if got, _, _ := unstructured.NestedString(object, path...); got != want {
			return fmt.Errorf("%v is %q, not %q", path, got, want)
		}
		return nil
	}
}

func atLeast(want int64, path ...string) check {
	return func(object map[string]any) error {
		if got, _, _ := unstructured.NestedInt64(object, path...); got < want {
			return fmt.Errorf("%v is %d, not %d or more", path, got, want)
		}
		return nil
	}
}
