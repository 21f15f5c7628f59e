package prereq

import (
	"cmp"
	"context"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
)

const (
	// AddonConfigName names the AddOnDeploymentConfig of the hypershift addon.
	AddonConfigName = "hypershift-addon-deploy-config"
)

// Engine returns the MultiClusterEngine with any name, or nil. There is at most one.
func Engine(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, error) {
	return only(ctx, r, kube.MultiClusterEngine)
}

// Hub returns Advanced Cluster Management's MultiClusterHub, or nil. If it exists, it owns the engine.
func Hub(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, error) {
	return only(ctx, r, kube.MultiClusterHub)
}

func only(ctx context.Context, r kube.Reader, kind kube.Kind) (*unstructured.Unstructured, error) {
	list := kind.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	if len(list.Items) == 0 {
		return nil, nil
	}
	return &list.Items[0], nil
}

// EngineVersion returns the running version, or 0.0.0 if it is not reported yet.
func EngineVersion(mce *unstructured.Unstructured) *semver.Version {
	v, err := semver.NewVersion(kube.Text(mce, "status", "currentVersion"))
	if err != nil {
		return semver.New(0, 0, 0, "", "")
	}
	return v
}

// EngineBefore reports whether version is older than 2.minor.
func EngineBefore(version *semver.Version, minor uint64) bool {
	return version.LessThan(semver.New(2, minor, 0, "", ""))
}

// LocalClusterName returns the name of the hub as a managed cluster (a field since 2.9).
func LocalClusterName(mce *unstructured.Unstructured) string {
	return cmp.Or(kube.Text(mce, "spec", "localClusterName"), DefaultLocalCluster)
}

// EngineNamespace returns the namespace of the engine's components.
func EngineNamespace(mce *unstructured.Unstructured) string {
	return cmp.Or(kube.Text(mce, "spec", "targetNamespace"), "multicluster-engine")
}

// DefaultLocalCluster is the default name of the local cluster.
const DefaultLocalCluster = "local-cluster"
