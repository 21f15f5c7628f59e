package virtualization

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// TestPluggedVolumes has the volumes of an instance in the pods that mount them, and in its status.
func TestPluggedVolumes(t *testing.T) {
	volume := func(name string, plugged bool) kubevirtv1.Volume {
		return kubevirtv1.Volume{Name: name, VolumeSource: kubevirtv1.VolumeSource{
			DataVolume: &kubevirtv1.DataVolumeSource{Name: name, Hotpluggable: plugged}}}
	}
	vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "kv-0"}}
	vmi.Spec.Volumes = []kubevirtv1.Volume{volume("root", false), volume("pvc-1", true)}
	if got := bootClaims(vmi); !slices.Equal(got, []string{"root"}) {
		t.Errorf("the launcher mounts %v", got)
	}
	launcher := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "launcher", UID: "l"}}
	launcher.Spec.NodeName = "worker-1"
	pod := attachmentPod(vmi, launcher, []string{"pvc-1"})
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(pod.Spec.Volumes) != 1 || pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName != "pvc-1" ||
		terms[0].MatchExpressions[0].Values[0] != "worker-1" || !metav1.IsControlledBy(pod, launcher) {
		t.Errorf("attachment pod %+v", pod)
	}
	if pod.Name == attachmentPod(vmi, launcher, []string{"pvc-1", "pvc-2"}).Name {
		t.Error("another set of volumes needs another pod")
	}

	wanted := []string{"pvc-1"}
	phase := func(p *corev1.Pod, wanted []string, leaving bool) []kubevirtv1.VolumePhase {
		var out []kubevirtv1.VolumePhase
		vmi.Status.VolumeStatus = volumeStatuses(vmi, wanted, p, leaving)
		for _, s := range vmi.Status.VolumeStatus {
			out = append(out, s.Phase)
		}
		return out
	}
	ready := pod.DeepCopy()
	ready.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	for _, step := range []struct {
		pod     *corev1.Pod
		wanted  []string
		leaving bool
		want    []kubevirtv1.VolumePhase
	}{
		{nil, wanted, false, []kubevirtv1.VolumePhase{kubevirtv1.VolumePending}},
		{pod, wanted, false, []kubevirtv1.VolumePhase{kubevirtv1.HotplugVolumeAttachedToNode}},
		{ready, wanted, false, []kubevirtv1.VolumePhase{kubevirtv1.VolumeReady}},
		{nil, nil, true, []kubevirtv1.VolumePhase{kubevirtv1.HotplugVolumeDetaching}},
		{nil, nil, false, nil},
	} {
		if got := phase(step.pod, step.wanted, step.leaving); !slices.Equal(got, step.want) {
			t.Errorf("phases %v, want %v", got, step.want)
		}
	}
}
