package deletion

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// volumesGone is OK once the storage drivers have deleted the volumes of the control plane namespace. Volumes with
// reclaim policy Retain stay and are reported.
func (d *Plan) volumesGone(ctx context.Context, r kube.Reader) step.Finding {
	volumes, err := d.volumes(ctx, r)
	if err != nil {
		f := kube.Unknown(err).On("PersistentVolumes of namespace %s", d.controlPlaneName())
		f.Final = f.Final || apierrors.IsForbidden(err)
		return f
	}
	var kept []string
	for i := range volumes {
		pv := &volumes[i]
		if pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
			kept = append(kept, pv.Name)
			continue
		}
		words := fmt.Sprintf("%s; its storage driver %s has not deleted it yet", pv.Status.Phase, driver(pv))
		if pv.Status.Message != "" {
			words += ": " + pv.Status.Message
		}
		f := deletingFinding(pv, words).On("PersistentVolume %s", pv.Name)
		if pv.Status.Phase == corev1.VolumeFailed {
			f.Hint = hint.New("oc describe pv %s shows why; the storage driver tries again by itself", pv.Name)
		}
		return f
	}
	if len(kept) > 0 {
		return step.OK("left with their data, since their reclaim policy is Retain: %s", strings.Join(kept, ", ")).
			On("PersistentVolumes of namespace %s", d.controlPlaneName()).WithHint("oc delete pv %s", strings.Join(kept, " "))
	}
	return step.OK("gone").On("PersistentVolumes of namespace %s", d.controlPlaneName())
}

// volumes lists the volumes of the control plane's claims: those of etcd, the VMs and the guest.
func (d *Plan) volumes(ctx context.Context, r kube.Reader) ([]corev1.PersistentVolume, error) {
	if d.keepControlPlane || d.foreignNamespace {
		return nil, nil
	}
	var l corev1.PersistentVolumeList
	if err := r.List(ctx, &l); err != nil {
		return nil, err
	}
	var own []corev1.PersistentVolume
	for i := range l.Items {
		if ref := l.Items[i].Spec.ClaimRef; ref != nil && ref.Namespace == d.controlPlaneName() {
			own = append(own, l.Items[i])
		}
	}
	return own, nil
}

// driver returns the name of the volume's storage driver.
func driver(pv *corev1.PersistentVolume) string {
	if pv.Spec.CSI != nil {
		return pv.Spec.CSI.Driver
	}
	return pv.Annotations["pv.kubernetes.io/provisioned-by"]
}
