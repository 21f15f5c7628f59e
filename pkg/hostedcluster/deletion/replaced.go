package deletion

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// replaced reports whether a HostedCluster of this name was created after Prepare.
func (d *Plan) replaced(ctx context.Context, r kube.Reader) (bool, error) {
	if d.self.Name == "" {
		return false, nil
	}
	hc := &hyperv1.HostedCluster{}
	err := r.Get(ctx, d.key(), hc)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && hc.UID != d.self.UID, err
}

// unlessReplaced makes a step do nothing if a new HostedCluster exists, because the objects may belong to it. A step
// that is already OK does not check that.
func (d *Plan) unlessReplaced(s *step.Step) {
	check, apply := s.Check, s.Apply
	s.Check = func(ctx context.Context, reads step.Reads) step.Finding {
		f := check(ctx, reads)
		if f.State == step.StateOK {
			return f
		}
		switch is, err := d.replaced(ctx, d.client.Reader(reads)); {
		case err != nil:
			return kube.Unknown(err).On("HostedCluster %s", d.key())
		case is:
			return step.OK("created again meanwhile: what is left may belong to the new one").On("HostedCluster %s", d.key())
		}
		return f
	}
	if apply == nil {
		return
	}
	s.Apply = func(ctx context.Context) (step.Change, error) {
		if is, err := d.replaced(ctx, d.client); err != nil || is {
			return step.Unchanged, err
		}
		return apply(ctx)
	}
}
