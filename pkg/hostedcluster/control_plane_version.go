package hostedcluster

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// ControlPlaneVersion is how far a release is rolled out to the components of a control plane on the management
// cluster, in the HostedCluster's status.controlPlaneVersion. HyperShift 4.22 and later have it; the module of its API
// does not, so it is read apart from the typed HostedCluster.
type ControlPlaneVersion struct {
	// Desired is the version that the components are rolled out to, DesiredImage its release image, by digest.
	Desired, DesiredImage string
	// Completed is the version that all components had last; empty before the first.
	Completed string
	// Latest is the newest version of the history, and Done whether all components are at it.
	Latest string
	Done   bool
}

// ReadControlPlaneVersion reads a HostedCluster's version of its control plane. It is not known if the operator is
// older, and if the HostedCluster cannot be read.
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
