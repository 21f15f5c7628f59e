package prereq

import (
	"context"
	"errors"
	"fmt"

	"github.com/Masterminds/semver/v3"
	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
)

const (
	// SupportedMinor is the first OpenShift 4 minor that supports hosting on KubeVirt.
	SupportedMinor = 14
)

// GetClusterVersion reads the one ClusterVersion.
func GetClusterVersion(ctx context.Context, r kube.Reader) (*configv1.ClusterVersion, error) {
	cv := &configv1.ClusterVersion{}
	if err := r.Get(ctx, types.NamespacedName{Name: "version"}, cv); err != nil {
		return nil, err
	}
	return cv, nil
}

// InstalledVersion returns the newest completely rolled out version, or the desired one if the history has none.
func InstalledVersion(cv *configv1.ClusterVersion) (*semver.Version, error) {
	text := cv.Status.Desired.Version
	for _, h := range cv.Status.History {
		if h.State == configv1.CompletedUpdate {
			text = h.Version
			break
		}
	}
	if text == "" {
		return nil, errors.New("the cluster does not report its version yet")
	}
	v, err := semver.NewVersion(text)
	if err != nil {
		return nil, fmt.Errorf("the cluster's version %q cannot be read: %w", text, err)
	}
	return v, nil
}

// OpenShift returns the installed version of the cluster.
func OpenShift(ctx context.Context, r kube.Reader) (*semver.Version, error) {
	cv, err := GetClusterVersion(ctx, r)
	if err != nil {
		return nil, err
	}
	return InstalledVersion(cv)
}
