package hostedtest

import (
	"encoding/base64"
	"maps"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Object is the JSON of an object.
type Object = map[string]any

// Items returns a list of objects.
func Items(list ...any) Object { return Object{"items": append([]any{}, list...)} }

// MetaOf returns the metadata of an object.
func MetaOf(namespace, name string, labels Object) Object {
	return Object{"namespace": namespace, "name": name, "labels": labels}
}

// UnfinishedMeta returns the metadata of an object that an interrupted create of clusters/kv-00 has left.
func UnfinishedMeta(name, infraID string) Object {
	meta := MetaOf("clusters", name,
		Object{kube.ManagedByLabel: kube.FieldOwner, "hypershift.openshift.io/auto-created-for-infra": infraID})
	meta["annotations"] = Object{"hcctl.dev/hosted-cluster": "clusters/kv-00"}
	meta["managedFields"] = []any{Object{"manager": kube.FieldOwner, "operation": "Update"}}
	return meta
}

// Encoded encodes a value for the data of a Secret.
func Encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// ClusterVersion returns the management cluster's ClusterVersion.
func ClusterVersion(version string) Object {
	return Object{"status": Object{
		"desired": Object{"version": "4.21.0", "image": "registry.example/next"},
		"history": []any{
			Object{"state": "Partial", "version": "4.21.0", "image": "registry.example/next"},
			Object{"state": "Completed", "version": version, "image": "registry.example/own"},
		},
	}}
}

// ImageSetObject returns a ClusterImageSet.
func ImageSetObject(name, image string) Object {
	return Object{
		"apiVersion": "hive.openshift.io/v1",
		"kind":       "ClusterImageSet",
		"metadata":   Object{"name": name},
		"spec":       Object{"releaseImage": image},
	}
}

// Live returns a HostedCluster as the API server returns it.
func Live(status Object) Object {
	return Object{"metadata": MetaOf("clusters", "kv-00", nil), "status": status}
}

// Hosted returns a HostedCluster that was created at a time of day.
func Hosted(namespace, name, infraID, clusterID, at string) Object {
	meta := MetaOf(namespace, name, nil)
	meta["uid"], meta["creationTimestamp"] = "uid-of-"+namespace+"-"+name, "2026-01-02T"+at+"Z"
	return Object{"metadata": meta, "spec": Object{"infraID": infraID, "clusterID": clusterID}}
}

// AddressPool returns a pool for these namespaces. recorded are the namespaces that create added.
func AddressPool(name string, recorded []string, namespaces ...any) Object {
	meta := MetaOf("metallb-system", name, nil)
	meta["resourceVersion"] = "7"
	annotations := Object{"mine": "kept"}
	for _, n := range recorded {
		annotations["serves.hcctl.dev/"+n] = "clusters/kv-00"
	}
	meta["annotations"] = annotations
	return Object{
		"apiVersion": "metallb.io/v1beta1",
		"kind":       "IPAddressPool",
		"metadata":   meta,
		"spec": Object{
			"addresses":         []any{"192.0.2.0/28"},
			"serviceAllocation": Object{"priority": 5, "namespaces": namespaces},
		},
	}
}

// Management returns a management cluster with HyperShift and without hosted clusters, with these changes.
func Management(changes map[string]any) map[string]any {
	world := map[string]any{
		ClustersPath: Items(),
		AllPath:      Items(),
		SecretsPath:  Items(),
		ConfigPath:   Items(),
		ConfigPath + "/pull-secret": Object{
			"metadata": MetaOf("openshift-config", "pull-secret", nil),
			"data":     Object{".dockerconfigjson": Encoded(PullSecret)},
		},
		SupportedPath:                         Items(),
		SupportedPath + "/supported-versions": Object{"data": Object{"supported-versions": `{"versions":["4.20","4.19"]}`}},
		VersionsPath:                          Items(),
		VersionsPath + "/version":             ClusterVersion("4.20.3"),
	}
	maps.Copy(world, changes)
	return world
}

// PullSecret is a pull secret for two registries.
const PullSecret = `{"auths":{"quay.io":{"auth":"dXNlcjpwYXNz"},` +
	`"registry.redhat.io":{"auth":"dXNlcjpwYXNz","email":"a@b.c"}}}`

// Refused returns the answer for a missing permission.
func Refused() metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure,
		Reason:   metav1.StatusReasonForbidden,
		Code:     http.StatusForbidden,
		Message:  "not for you",
	}
}

// The paths of the objects.
const (
	ClustersPath   = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters"
	AllPath        = "/apis/hypershift.openshift.io/v1beta1/hostedclusters"
	PoolsPath      = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools"
	MapsPath       = "/api/v1/namespaces/clusters/configmaps"
	SecretsPath    = "/api/v1/namespaces/clusters/secrets"
	ConfigPath     = "/api/v1/namespaces/openshift-config/secrets"
	SupportedPath  = "/api/v1/namespaces/hypershift/configmaps"
	ImageSetsPath  = "/apis/hive.openshift.io/v1/clusterimagesets"
	VersionsPath   = "/apis/config.openshift.io/v1/clusterversions"
	NamespacesPath = "/api/v1/namespaces"
	ManagedPath    = "/apis/cluster.open-cluster-management.io/v1/managedclusters"
)

// AllAddressPoolsPath is the path of all address pools.
const AllAddressPoolsPath = "/apis/metallb.io/v1beta1/ipaddresspools"

// AddressPoolsPath is the path of the address pools in MetalLB's namespace.
const AddressPoolsPath = "/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools"
