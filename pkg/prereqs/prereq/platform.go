package prereq

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
)

// InfrastructureObject is the name in findings of the object that Infrastructure reads.
const InfrastructureObject = "Infrastructure cluster"

// Infrastructure reads the platform and topology of the cluster.
func Infrastructure(ctx context.Context, r kube.Reader) (*configv1.Infrastructure, error) {
	infra := &configv1.Infrastructure{}
	if err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, infra); err != nil {
		return nil, err
	}
	return infra, nil
}

// PlatformOf returns the platform of the cluster, or "".
func PlatformOf(infra *configv1.Infrastructure) configv1.PlatformType {
	if infra.Status.PlatformStatus == nil {
		return ""
	}
	return infra.Status.PlatformStatus.Type
}
