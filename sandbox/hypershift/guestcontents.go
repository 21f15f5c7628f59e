package hypershift

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// report writes ClusterOperators and ClusterVersion into the guest, and what the latter says into the view.
func (r *controlPlanes) report(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *view) (err error) {
	what := v.version.summary(hcp.Spec.Channel)
	if told := hcp.Status.VersionStatus; told != nil && r.guests.toldAlready(hcp.Namespace, what) {
		v.told = v.version.status(hcp, told.ObservedGeneration, metav1.Now())
		return nil
	}
	if v.told, err = writeRollout(ctx, v.guest.client, hcp, &v.version); err != nil {
		return err
	}
	r.guests.told(hcp.Namespace, what)
	return nil
}
