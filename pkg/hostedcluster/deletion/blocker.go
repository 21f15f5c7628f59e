package deletion

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Blocker returns what the deletion of a HostedCluster waits for, with the messages of the deletion steps. It only
// reads. The finding is Pending, or Unknown if the user may not read the objects that it needs.
func Blocker(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	d := &Plan{Namespace: hc.Namespace, Name: hc.Name, InfraID: hc.Spec.InfraID, present: true,
		self:             hostedcluster.IdentityOf(hc),
		keepControlPlane: hc.Annotations[hyperv1.SkipControlPlaneNamespaceDeletionAnnotation] == "true"}
	return d.blocker(ctx, r, hc)
}

// blocker returns the progress of the deletion, with the operator if that does not run.
func (d *Plan) blocker(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	f := d.progress(ctx, r, hc)
	if f.State != step.StatePending {
		return f
	}
	return d.withOperatorDown(ctx, r, f)
}
