package creation

import (
	"context"
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// PoolFieldError means that MetalLB cannot reserve a pool for one cluster: its CRD lacks spec.serviceAllocation
// (MetalLB of OpenShift 4.12; 4.13 added it).
type PoolFieldError struct {
	// Pool is the IPAddressPool, "namespace/name".
	Pool string
}

// Error returns the consequence of the missing field.
func (e *PoolFieldError) Error() string {
	return "IPAddressPool " + e.Pool + ": this cluster's MetalLB does not know spec.serviceAllocation, and without it " +
		"the pool would give its addresses to every cluster"
}

// Hint returns the flag to omit.
func (*PoolFieldError) Hint() hint.Text {
	return hint.New("leave out %s, and the cluster takes addresses of the pools that serve all; MetalLB of "+
		"OpenShift 4.13 and later knows the field", hint.Flag("metallb-addresses"))
}

// isPool reports whether the object is an IPAddressPool.
func isPool(obj client.Object) bool {
	return obj.GetObjectKind().GroupVersionKind() == kube.IPAddressPool.GroupVersionKind
}

// dryRunPool checks by a dry run whether MetalLB knows the field that reserves the cluster's pool. It ignores all other
// errors; the step reports them.
func (p *Plan) dryRunPool(ctx context.Context) error {
	for _, obj := range objects.Companions(p.Options, p.Inputs) {
		if !isPool(obj) {
			continue
		}
		err := p.client.Create(ctx, obj, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
		var unknown *PoolFieldError
		if errors.As(poolFieldError(obj, err), &unknown) {
			return unknown
		}
	}
	return nil
}

// writePool creates a pool. It fails with *PoolFieldError, and writes nothing, if the API server would drop the field
// that reserves it.
func (p *Plan) writePool(ctx context.Context, made func() client.Object) error {
	obj := made()
	err := p.client.CreateNew(ctx, obj, client.FieldValidation(metav1.FieldValidationStrict))
	return poolFieldError(obj, err)
}

// poolFieldError converts an error about the pool's unknown field, and returns other errors unchanged.
func poolFieldError(obj client.Object, err error) error {
	if apierrors.IsBadRequest(err) && strings.Contains(err.Error(), `unknown field "spec.serviceAllocation"`) {
		return &PoolFieldError{Pool: kube.Name(obj)}
	}
	return err
}
