package prereq

import (
	"cmp"
	"context"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
)

const (
	// AddonConfigName is the AddOnDeploymentConfig with the addon's settings.
	AddonConfigName = "hypershift-addon-deploy-config"
)

// Engine returns the MultiClusterEngine, whatever its name, or nil: there is at most one.
func Engine(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, error) {
	return only(ctx, r, kube.MultiClusterEngine)
}

// Hub returns Advanced Cluster Management's MultiClusterHub, or nil. Where there is one, the engine is its.
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

// EngineVersion is the version that runs, or 0.0.0 while it does not say.
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

// LocalClusterName is the name the engine gives the hub as a managed cluster (a field from 2.9 on).
func LocalClusterName(mce *unstructured.Unstructured) string {
	return cmp.Or(kube.Text(mce, "spec", "localClusterName"), DefaultLocalCluster)
}

// EngineNamespace is where the engine's components run.
func EngineNamespace(mce *unstructured.Unstructured) string {
	return cmp.Or(kube.Text(mce, "spec", "targetNamespace"), "multicluster-engine")
}

// DefaultLocalCluster is the default name of the local cluster.
const DefaultLocalCluster = "local-cluster"
