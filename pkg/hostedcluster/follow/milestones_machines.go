package follow

import (
	"fmt"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// Machines is OK when the NodePool's number of worker VMs is ready, and there are no extra ones.
func Machines(np *hyperv1.NodePool, vms []kubevirtv1.VirtualMachine) step.Finding {
	r, size := conditions.OfPool(np), hostedcluster.SizeOf(np)
	ready, notReady, leaving := machinesOf(np, vms)
	progress := fmt.Sprintf("%d of %s worker VMs ready", ready, size)
	switch {
	case notReady != nil:
		f := step.Pending("%s: %s", progress, MachineState(notReady, np)).On("VirtualMachine %s", kube.Name(notReady))
		f.Trouble = hasTrouble(notReady)
		return f
	case leaving != nil:
		return step.Pending("%s; another is being removed", progress).On("VirtualMachine %s", kube.Name(leaving))
	case ready > size.Max:
		return step.Pending("%s: %d too many", progress, ready-size.Max).On("%s", r.Object)
	case ready >= size.Min:
		return step.OK("%s", progress).On("%s", r.Object)
	}
	for _, t := range []string{
		hyperv1.NodePoolReconciliationActiveConditionType, hyperv1.NodePoolValidReleaseImageConditionType,
		hyperv1.NodePoolValidArchPlatform,
		hyperv1.NodePoolValidPlatformImageType, hyperv1.NodePoolValidPlatformConfigConditionType,
		conditions.NodePoolIgnitionEndpointAvailable, hyperv1.NodePoolValidMachineConfigConditionType,
		hyperv1.NodePoolValidTuningConfigConditionType, hyperv1.NodePoolValidGeneratedPayloadConditionType,
		hyperv1.NodePoolValidMachineTemplateConditionType, hyperv1.NodePoolAllMachinesReadyConditionType,
	} {
		if c := r.Get(t); c.False() {
			f := r.Waiting(c)
			f.Message = progress + ": " + f.Message
			return f
		}
	}
	return step.Pending("%s", progress).On("%s", r.Object)
}

// machinesOf counts the pool's ready VMs. notReady is a VM that is not ready, preferably one with a reason. leaving is
// a VM that is being deleted.
func machinesOf(np *hyperv1.NodePool,
	vms []kubevirtv1.VirtualMachine) (ready int, notReady, leaving *kubevirtv1.VirtualMachine) {
	for i := range vms {
		vm := &vms[i]
		if pool, ok := vm.Labels[hyperv1.NodePoolNameLabel]; ok && pool != np.Name {
			continue
		}
		switch {
		case vm.DeletionTimestamp != nil:
			leaving = vm
		case vm.Status.Ready:
			ready++
		case notReady == nil || VMTrouble(notReady) == "" && VMTrouble(vm) != "":
			notReady = vm
		}
	}
	return ready, notReady, leaving
}

// hasTrouble reports whether a VM has a problem, perhaps a temporary one, and is not just starting.
func hasTrouble(vm *kubevirtv1.VirtualMachine) bool {
	_, wrong := health.VMTrouble(vm)
	return wrong
}

// VMState returns why a VM is not ready, in KubeVirt's words.
func VMState(vm *kubevirtv1.VirtualMachine) string {
	state := string(vm.Status.PrintableStatus)
	if state == "" {
		state = "not started"
	}
	if trouble := VMTrouble(vm); trouble != "" {
		return state + ": " + trouble
	}
	for _, c := range vm.Status.Conditions {
		if c.Type == kubevirtv1.VirtualMachineReady && c.Message != "" {
			return state + ": " + conditions.OneLine(c.Message)
		}
	}
	return state
}

// MachineState is VMState, or the NodePool's message about the machine if KubeVirt reports no reason. Only the
// DataVolume knows why a boot image is missing, and Cluster API's conditions pass that on.
func MachineState(vm *kubevirtv1.VirtualMachine, np *hyperv1.NodePool) string {
	if hasTrouble(vm) && VMTrouble(vm) == "" {
		if words := machineTrouble(np, vm.Name); words != "" {
			return string(vm.Status.PrintableStatus) + ": " + conditions.OneLine(words)
		}
	}
	return VMState(vm)
}

// machineTrouble returns the message of AllMachinesReady about one machine. It has a line "Machine NAME: REASON:
// MESSAGE" for each machine that is not ready (HyperShift v0.1.80), and a machine has the name of its VM.
func machineTrouble(np *hyperv1.NodePool, machine string) string {
	for _, c := range np.Status.Conditions {
		if c.Type != hyperv1.NodePoolAllMachinesReadyConditionType || conditions.OfPool(np).Get(c.Type).Doubt != "" {
			continue
		}
		for line := range strings.Lines(c.Message) {
			if _, words, found := strings.Cut(line, "Machine "+machine+": "); found {
				return words
			}
		}
	}
	return ""
}

// VMTrouble returns a problem of a VM, or "": it failed, it cannot be scheduled, or its volumes cannot be filled.
func VMTrouble(vm *kubevirtv1.VirtualMachine) string {
	c, _ := health.VMTrouble(vm)
	return conditions.OneLine(strings.Trim(c.Reason+": "+c.Message, ": "))
}
