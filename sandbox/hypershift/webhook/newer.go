package webhook

import (
	"context"
	"encoding/json"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"gomodules.xyz/jsonpatch/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

// nodeCIDRsOff is the default of networking.allocateNodeCIDRs.
const nodeCIDRsOff = "Disabled"

// defaultCluster is the defaulting webhook for HostedClusters, with a field that the API module's type lacks.
func defaultCluster(scheme *runtime.Scheme, b reconciler.Base) *admission.Webhook {
	typed := admission.WithDefaulter[*hyperv1.HostedCluster](scheme, &clusterDefaults{b})
	if !b.Features.Has(reconciler.NodeCIDRs) {
		return typed
	}
	return &admission.Webhook{Handler: admission.HandlerFunc(
		func(ctx context.Context, req admission.Request) admission.Response {
			response := typed.Handler.Handle(ctx, req)
			var sent struct {
				Spec struct {
					Networking struct {
						AllocateNodeCIDRs string `json:"allocateNodeCIDRs"`
					} `json:"networking"`
				} `json:"spec"`
			}
			if err := json.Unmarshal(req.Object.Raw, &sent); err != nil || sent.Spec.Networking.AllocateNodeCIDRs != "" {
				return response
			}
			if response.Allowed {
				// The patches before it have made sure of spec.networking: its type has no omitempty.
				response.Patches = append(response.Patches, jsonpatch.NewOperation("add",
					"/spec/networking/"+reconciler.NodeCIDRsField, nodeCIDRsOff))
			}
			return response
		})}
}
