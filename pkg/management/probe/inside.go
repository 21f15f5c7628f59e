package probe

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/step"
)

// InsideSteps returns the probes of a hosted cluster, whose client is c. Of the options it uses only Names, Timeout and
// Image.
func InsideSteps(c *kube.Client, o Options) []step.Step {
	return Steps(c, Options{Names: o.Names, Timeout: o.Timeout, Image: o.Image, inside: true})
}

// InsideNames lists the probes of hosted clusters.
func InsideNames() []string { return []string{Storage} }

// csiDriver is HyperShift's CSI driver for a hosted cluster on KubeVirt (kubevirt/csi-driver). The handle of a volume
// is the name of a DataVolume in the control plane's namespace.
const csiDriver = "csi.kubevirt.io"

// insideVolume claims a volume of the hosted cluster's default class. A pod that writes to it makes KubeVirt attach it
// to the VM of its node.
func insideVolume() Probe {
	return Probe{
		ID: "probe/hosted-storage", Title: "volume in the hosted cluster", Name: Storage, Inside: true,
		Run: func(ctx context.Context, s *session) step.Finding {
			class, f := s.class(ctx, "", storage.EtcdClass, "that is the default")
			if f != nil {
				f.Hint = hint.New("%s makes one of the mapped classes the default", hint.Flag("guest-default-storage-class"))
				return *f
			}
			written := s.tryVolume(ctx, class, etcdKind())
			if written.State == step.StateOK {
				written.Message += s.volumeOf(ctx)
			}
			return written
		},
	}
}

// volumeOf describes the DataVolume behind the claim's volume. It returns "" for other drivers, or if it cannot be
// read.
func (s *session) volumeOf(ctx context.Context) string {
	claim, volume := &corev1.PersistentVolumeClaim{}, &corev1.PersistentVolume{}
	if s.client.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: claimName}, claim) != nil ||
		s.client.Get(ctx, types.NamespacedName{Name: claim.Spec.VolumeName}, volume) != nil {
		return ""
	}
	if csi := volume.Spec.CSI; csi != nil && csi.Driver == csiDriver {
		return ", plugged in as DataVolume " + short(csi.VolumeHandle)
	}
	return ""
}
