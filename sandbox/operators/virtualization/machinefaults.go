package virtualization

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

const (
	// pullRetry is the time between two attempts to pull an image. There is no backoff here.
	pullRetry = 2 * time.Second

	reasonPullFailed = "ImagePullFailed"
)

// pullFails reports whether the image of a DataVolume cannot be pulled.
func (v *virtualization) pullFails(dv *cdiv1.DataVolume) bool {
	if dv.Spec.Source == nil || dv.Spec.Source.Registry == nil {
		return false
	}
	return v.faulty(fault.VMImageImport, dv)
}

// faulty reports whether a fault is active, for all objects or for this one.
func (v *virtualization) faulty(name string, o client.Object) bool {
	return v.Faults.Active(name) || fault.On(o, name)
}

// pullFailure returns the message of the Running condition then. The text after the colon is made up.
func pullFailure(dv *cdiv1.DataVolume) string {
	image := strings.TrimPrefix(ptr.Deref(dv.Spec.Source.Registry.URL, ""), "docker://")
	return fmt.Sprintf("failed to pull image: Back-off pulling image %q: ErrImagePull: manifest unknown", image)
}

// volumeFailed is KubeVirt's own check for the status DataVolumeError.
func volumeFailed(dv *cdiv1.DataVolume) bool {
	for _, c := range dv.Status.Conditions {
		if c.Type == cdiv1.DataVolumeRunning && c.Status == corev1.ConditionFalse &&
			(c.Reason == "Error" || c.Reason == reasonPullFailed) {
			return true
		}
	}
	return dv.Status.Phase == cdiv1.Failed
}

// unscheduled reports whether the scheduler has found no node for an instance's pod.
func unscheduled(vmi *kubevirtv1.VirtualMachineInstance) bool {
	if vmi == nil {
		return false
	}
	for _, c := range vmi.Status.Conditions {
		if c.Type == kubevirtv1.VirtualMachineInstanceConditionType(corev1.PodScheduled) &&
			c.Status == corev1.ConditionFalse &&
			c.Reason == corev1.PodReasonUnschedulable {
			return true
		}
	}
	return false
}
