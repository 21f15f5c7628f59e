package controlplane

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
)

// report writes ClusterOperators and ClusterVersion into the guest, and the status of the latter into the observation.
func (r *controlPlanes) report(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *observation) (err error) {
	what := v.version.Summary(hcp.Spec.Channel)
	if told := hcp.Status.VersionStatus; told != nil && r.Guests.Reported(hcp.Namespace, what) {
		v.versionStatus = v.version.Status(hcp, told.ObservedGeneration, metav1.Now())
		return nil
	}
	if v.versionStatus, err = guest.Report(ctx, v.guest.Client, hcp, &v.version); err != nil {
		return err
	}
	r.Guests.SetReported(hcp.Namespace, what)
	return nil
}
