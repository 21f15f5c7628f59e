package prereqs

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/plan"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
)

// Planning returns a client whose writes change nothing and are recorded as a plan; see kube.Client.Planning. Later
// steps see a planned Subscription as installed, in the version that the catalog offers, so that objects of the
// operator can be planned too.
func Planning(c *kube.Client) (*kube.Client, *plan.Plan) {
	return c.Planning(func(ctx context.Context, written *unstructured.Unstructured) []*unstructured.Unstructured {
		if written.GroupVersionKind().GroupKind() != (schema.GroupKind{Group: "operators.coreos.com", Kind: "Subscription"}) {
			return nil
		}
		return olm.Foresee(ctx, c, written)
	})
}
