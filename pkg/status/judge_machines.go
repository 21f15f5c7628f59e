package status

import (
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
)

// machines judges the worker VMs.
func (v *snapshot) machines(phase Phase) Part {
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
	if missing := total - len(v.vms.items); missing > 0 {
		health := Failing
		if phase != Ready || v.nodePools(phase).Health == Progressing {
			health = Progressing
		}
		p.Health, p.Message = Worse(p.Health, health), fmt.Sprintf("%d not created yet", missing)
	}
	return p
}

// machineState is why a VM is not ready, in KubeVirt's words. If those give no reason, it is that of the VM's pod.
func (v *snapshot) machineState(vm *kubevirtv1.VirtualMachine) string {
	if follow.VMTrouble(vm) == "" {
		for i := range v.pods.items {
			pod := &v.pods.items[i]
			if pod.Labels[kubevirtv1.DeprecatedVirtualMachineNameLabel] != vm.Name &&
				pod.Labels[kubevirtv1.VirtualMachineInstanceIDLabel] != vm.Name {
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
