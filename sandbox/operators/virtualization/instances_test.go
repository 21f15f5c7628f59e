package virtualization

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

func TestLauncherPod(t *testing.T) {
	vmi := &kubevirtv1.VirtualMachineInstance{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "kv-0", UID: "12345678",
			Labels: map[string]string{"hypershift.openshift.io/infra-id": "x"}},
		Spec: kubevirtv1.VirtualMachineInstanceSpec{
			NodeSelector: map[string]string{"zone": "a"},
			Domain: kubevirtv1.DomainSpec{
				CPU:    &kubevirtv1.CPU{Cores: 4},
				Memory: &kubevirtv1.Memory{Guest: ptr.To(resource.MustParse("8Gi"))},
			},
			Volumes: []kubevirtv1.Volume{
				{Name: "root", VolumeSource: kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: "kv-0-root"}}},
				{Name: "init",
					VolumeSource: kubevirtv1.VolumeSource{CloudInitConfigDrive: &kubevirtv1.CloudInitConfigDriveSource{}}},
			},
		},
	}
	pod := launcherPod(vmi)
	for k, want := range map[string]string{
		"kubevirt.io": "virt-launcher", "vm.kubevirt.io/name": "kv-0", "kubevirt.io/created-by": "12345678",
		"hypershift.openshift.io/infra-id": "x",
	} {
		if got := pod.Labels[k]; got != want {
			t.Errorf("label %s is %q, want %q", k, got, want)
		}
	}
	if pod.Spec.NodeSelector["kubevirt.io/schedulable"] != "true" || pod.Spec.NodeSelector["zone"] != "a" {
		t.Errorf("nodeSelector is %v", pod.Spec.NodeSelector)
	}
	if len(pod.Spec.Volumes) != 1 || pod.Spec.Volumes[0].PersistentVolumeClaim.ClaimName != "kv-0-root" {
		t.Errorf("volumes are %v, want the one claim", pod.Spec.Volumes)
	}
	requests := pod.Spec.Containers[0].Resources.Requests
	if got := requests["devices.kubevirt.io/kvm"]; got.Value() != 1 {
		t.Errorf("kvm request is %s", got.String())
	}
	if got := requests[corev1.ResourceCPU]; got.MilliValue() != 400 {
		t.Errorf("cpu request is %s, want a tenth of 4 cores", got.String())
	}
	if got := requests[corev1.ResourceMemory]; got.Cmp(resource.MustParse("8Gi")) <= 0 {
		t.Errorf("memory request is %s, want more than the guest's 8Gi", got.String())
	}
}

func TestPrintable(t *testing.T) {
	phase := func(p kubevirtv1.VirtualMachineInstancePhase) *kubevirtv1.VirtualMachineInstance {
		return &kubevirtv1.VirtualMachineInstance{Status: kubevirtv1.VirtualMachineInstanceStatus{Phase: p}}
	}
	stuck := phase(kubevirtv1.Scheduling)
	stuck.Status.Conditions = []kubevirtv1.VirtualMachineInstanceCondition{{Type: "PodScheduled",
		Status: corev1.ConditionFalse, Reason: "Unschedulable"}}
	for _, c := range []struct {
		vmi           *kubevirtv1.VirtualMachineInstance
		wanted, disks bool
		want          kubevirtv1.VirtualMachinePrintableStatus
	}{
		{nil, false, true, "Stopped"}, {nil, true, false, "Provisioning"}, {nil, true, true, "Starting"},
		{phase(kubevirtv1.Scheduling), true, true, "Starting"}, {phase(kubevirtv1.Running), true, true, "Running"}, {stuck,
			true, true, "ErrorUnschedulable"},
	} {
		if got := printableStatus(c.vmi, c.wanted, c.disks); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
