package hostedcluster

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// ControlPlaneVersion is the rollout state of a control plane's components on the management cluster, from the
// HostedCluster's status.controlPlaneVersion. HyperShift 4.22 and later write it. The Go module of its API lacks the
// field, so it is read from an unstructured object.
type ControlPlaneVersion struct {
	// Desired is the version that is being rolled out. DesiredImage is its release image, by digest.
	Desired, DesiredImage string
	// Completed is the last version that all components had; empty before the first.
	Completed string
	// Latest is the newest version of the history. Done reports whether all components have it.
	Latest string
	Done   bool
}

// ReadControlPlaneVersion reads the control plane version of a HostedCluster. known is false if the operator is older
// than 4.22, or if the HostedCluster cannot be read.
func ReadControlPlaneVersion(ctx context.Context, r kube.Reader, key client.ObjectKey) (v ControlPlaneVersion,
	known bool) {
	u := kube.HostedCluster.New()
	if err := r.Get(ctx, key, u); err != nil {
		return v, false
	}
	return controlPlaneVersionOf(u.Object)
}

func controlPlaneVersionOf(object map[string]any) (v ControlPlaneVersion, known bool) {
	status, found, err := unstructured.NestedMap(object, "status", "controlPlaneVersion")
	if err != nil || !found {
		return v, false
	}
	v.Desired, _, _ = unstructured.NestedString(status, "desired", "version")
	v.DesiredImage, _, _ = unstructured.NestedString(status, "desired", "image")
	history, _, _ := unstructured.NestedSlice(status, "history")
	for i, h := range history {
		entry, ok := h.(map[string]any)
		if !ok {
			continue
		}
		version, _, _ := unstructured.NestedString(entry, "version")
		state, _, _ := unstructured.NestedString(entry, "state")
		done := state == string(configv1.CompletedUpdate)
		if i == 0 {
			v.Latest, v.Done = version, done
		}
		if done && v.Completed == "" {
			v.Completed = version
		}
	}
	return v, v.Desired != ""
}
