package status

import (
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
)

// machines judges the worker VMs.
func (v *snapshot) machines(phase Phase) Part {
	if why := v.platform().NotJudged(); why != "" {
		return Part{Kind: machinesKind, Health: OK, Message: why, NotJudged: true}
	}
	if v.vms.err != nil {
		return unread(machinesKind, kube.Explain(v.vms.err))
	}
	p := Part{Kind: machinesKind, Health: OK}
	ready := 0
	for i := range v.vms.items {
		vm := &v.vms.items[i]
		if vm.Status.Ready && vm.DeletionTimestamp == nil {
			ready++
			continue
		}
		health := v.underWay(vm.CreationTimestamp.Time)
		if vm.DeletionTimestamp != nil {
			health = v.underWay(vm.DeletionTimestamp.Time)
		} else if vmFails(vm) {
			health = Failing
		}
		p.add(Part{Kind: "VirtualMachine", Name: vm.Name, Health: health, Message: v.machineState(vm)})
	}
	p.worstFirst()
	if len(v.vms.items) == 0 && v.wanted() == 0 && v.pools.err == nil && phase != Deleting {
		p.Message = "none are wanted"
		return p
	}
	total := len(v.vms.items)
	if phase != Deleting {
		total = max(total, v.wanted())
	}
	p.count(ready, total)
	p.Message = v.volumes()
	if missing := total - len(v.vms.items); missing > 0 {
		health := Failing
		if phase != Ready || v.nodePools(phase).Health == Progressing {
			health = Progressing
		}
		p.Health, p.Message = Worse(p.Health, health), fmt.Sprintf("%d not created yet", missing)
	}
	return p
}

func (v *snapshot) platform() hostedcluster.Platform { return hostedcluster.PlatformOf(v.hc) }

// volumes says how many volumes of the hosted cluster's claims are plugged into its VMs, and how many are asked for:
// the CSI driver of KubeVirt has them added to the VM while it runs (kubevirt/csi-driver, ControllerPublishVolume).
func (v *snapshot) volumes() string {
	plugged, asked := 0, 0
	for i := range v.vms.items {
		vm := &v.vms.items[i]
		if vm.Spec.Template != nil {
			for _, volume := range vm.Spec.Template.Spec.Volumes {
				dv, claim := volume.DataVolume, volume.PersistentVolumeClaim
				if dv != nil && dv.Hotpluggable || claim != nil && claim.Hotpluggable {
					plugged++
				}
			}
		}
		for _, request := range vm.Status.VolumeRequests {
			if request.AddVolumeOptions != nil {
				asked++
			}
		}
	}
	switch {
	case asked > 0:
		return fmt.Sprintf("%s plugged in, %d asked for", plural.Count(plugged, "volume"), asked)
	case plugged > 0:
		return plural.Count(plugged, "volume") + " plugged in"
	}
	return ""
}

// movedFrom is the host that a node's label names though its VM runs on another by now; empty otherwise.
func (v *snapshot) movedFrom(node *corev1.Node) string {
	label, name := node.Labels[options.TopologyPrefix+"host"], ""
	for i := range v.pods.items {
		pod := &v.pods.items[i]
		if !podOfMachine(pod, node.Name) || pod.Status.Phase != corev1.PodRunning {
			continue
		}
		if pod.Spec.NodeName == label || len(pod.Spec.NodeName) > validation.LabelValueMaxLength {
			return ""
		}
		name = pod.Spec.NodeName
	}
	if label == "" || name == "" {
		return ""
	}
	return label
}

// podOfMachine reports whether a pod is that of a VM. KubeVirt gave it the first label up to 1.5 and gives it both in
// 1.8 (virt-controller, services/template.go, podLabels).
func podOfMachine(pod *corev1.Pod, name string) bool {
	return pod.Labels[kubevirtv1.DeprecatedVirtualMachineNameLabel] == name ||
		pod.Labels[kubevirtv1.VirtualMachineInstanceIDLabel] == name
}

// machineState is why a VM is not ready, in KubeVirt's words. If those give no reason, it is that of the VM's pod.
func (v *snapshot) machineState(vm *kubevirtv1.VirtualMachine) string {
	if follow.VMTrouble(vm) == "" {
		for i := range v.pods.items {
			pod := &v.pods.items[i]
			if !podOfMachine(pod, vm.Name) {
				continue
			}
			if trouble, wrong := podTrouble(pod); wrong {
				return oneLine(string(vm.Status.PrintableStatus), trouble)
			}
		}
	}
	for i := range v.pools.items {
		if np := &v.pools.items[i]; np.Name == vm.Labels[hyperv1.NodePoolNameLabel] {
			return follow.MachineState(vm, np)
		}
	}
	return follow.VMState(vm)
}

// vmFails tells a failed VM from one that is starting, by KubeVirt's printable status (v1.8).
func vmFails(vm *kubevirtv1.VirtualMachine) bool {
	switch vm.Status.PrintableStatus {
	case kubevirtv1.VirtualMachineStatusUnschedulable, kubevirtv1.VirtualMachineStatusErrImagePull,
		kubevirtv1.VirtualMachineStatusImagePullBackOff,
		kubevirtv1.VirtualMachineStatusPvcNotFound, kubevirtv1.VirtualMachineStatusDataVolumeError,
		kubevirtv1.VirtualMachineStatusCrashLoopBackOff,
		kubevirtv1.VirtualMachineStatusStopped, kubevirtv1.VirtualMachineStatusPaused, kubevirtv1.VirtualMachineStatusUnknown:
		return true
	default:
		return follow.VMTrouble(vm) != ""
	}
}
