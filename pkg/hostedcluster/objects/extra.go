package objects

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// manifestsOf returns the objects of --manifests, with the marks by which delete finds the objects of a cluster.
func manifestsOf(o options.Validated, in Inputs) []client.Object {
	var out []client.Object
	for _, manifest := range o.Manifests {
		u := manifest.DeepCopy()
		markWith(o, in).SetOn(u)
		out = append(out, u)
	}
	return out
}

// addressesOf returns an IPAddressPool only for Services in the cluster's control plane namespace, and the
// L2Advertisement that makes its addresses reachable. That namespace has the Services of the API server, of *.apps and
// of the guest's own load balancers.
func addressesOf(o options.Validated, in Inputs) []client.Object {
	if len(o.MetalLBAddresses) == 0 {
		return nil
	}
	pool, advertisement := kube.IPAddressPool.New(), kube.L2Advertisement.New()
	for _, u := range []*unstructured.Unstructured{pool, advertisement} {
		u.SetNamespace(in.MetalLB())
		u.SetName(hostedcluster.ControlPlaneNamespace(o.Namespace, o.Name))
		markWith(o, in).SetOn(u)
	}
	pool.Object["spec"] = map[string]any{
		"addresses":  toAny(o.MetalLBAddresses),
		"autoAssign": true,
		"serviceAllocation": map[string]any{
			"priority":   int64(1),
			"namespaces": []any{hostedcluster.ControlPlaneNamespace(o.Namespace, o.Name)},
		},
	}
	advertisement.Object["spec"] = map[string]any{"ipAddressPools": []any{pool.GetName()}}
	return []client.Object{pool, advertisement}
}

func toAny(list []string) []any {
	out := make([]any, 0, len(list))
	for _, s := range list {
		out = append(out, s)
	}
	return out
}
