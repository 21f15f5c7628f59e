package placement

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// Launcher holds the properties of a worker VM's pod that decide where it can run.
type Launcher struct {
	fit.Pod
	// Devices are the host devices of the VM, by resource name. They are included in the pod's requests.
	Devices fit.Resources
	// Wrong is why KubeVirt refuses the VM; empty if it accepts it.
	Wrong string
}

// LauncherOf returns the pod of a VM of the pool, as HyperShift and KubeVirt create it: the template of the NodePool
// (nodepool kubevirt, virtualMachineTemplateBase), the JSON patches of its HostedCluster and of the pool, then
// virt-controller's changes. It returns an error if a patch cannot be applied.
func LauncherOf(np *hyperv1.NodePool, clusterPatch string, h Hypervisor) (Launcher, error) {
	vm, err := patched(np, clusterPatch)
	if err != nil {
		return Launcher{}, err
	}
	return h.launcher(&vm.Spec.Template.Spec), nil
}

// SizeOf returns the cores and the memory (in bytes) of a VM of the pool, after its patches. It returns the errors of
// LauncherOf.
func SizeOf(np *hyperv1.NodePool, clusterPatch string) (cores, memory int64, err error) {
	vm, err := patched(np, clusterPatch)
	if err != nil {
		return 0, 0, err
	}
	spec := &vm.Spec.Template.Spec
	r := fit.Of(spec.Domain.Resources.Limits)
	maps.Copy(r, fit.Of(spec.Domain.Resources.Requests))
	cores, memory = r[corev1.ResourceCPU]/1000, r[corev1.ResourceMemory]
	if spec.Domain.CPU != nil {
		cores = max(cores, vcpus(*spec.Domain.CPU))
	}
	if m := spec.Domain.Memory; m != nil && m.Guest != nil {
		memory = max(memory, m.Guest.Value())
	}
	return cores, memory, nil
}

// patched returns the VM of a pool with the patches of its HostedCluster and of the pool.
func patched(np *hyperv1.NodePool, clusterPatch string) (*kubevirtv1.VirtualMachine, error) {
	vm := template(np)
	for _, patch := range []string{clusterPatch, np.Annotations[hyperv1.JSONPatchAnnotation]} {
		if patch == "" {
			continue
		}
		next, err := applied(vm, patch)
		if err != nil {
			return nil, err
		}
		vm = next
	}
	return vm, nil
}

// template returns the VM that HyperShift creates, without disks and networks.
func template(np *hyperv1.NodePool) *kubevirtv1.VirtualMachine {
	spec := kubevirtv1.VirtualMachineInstanceSpec{Architecture: np.Spec.Arch}
	if kv := np.Spec.Platform.Kubevirt; kv != nil {
		spec.NodeSelector = maps.Clone(kv.NodeSelector)
		size(&spec, kv.Compute)
		for _, d := range kv.KubevirtHostDevices {
			for i := range max(1, d.Count) {
				spec.Domain.Devices.HostDevices = append(spec.Domain.Devices.HostDevices,
					kubevirtv1.HostDevice{Name: fmt.Sprintf("hostdevice-%d", i), DeviceName: d.DeviceName})
			}
		}
	}
	return &kubevirtv1.VirtualMachine{Spec: kubevirtv1.VirtualMachineSpec{
		Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{Spec: spec}}}
}

// size sets cores and memory: the topology of the guest, or equal requests and limits for QoS class Guaranteed.
func size(spec *kubevirtv1.VirtualMachineInstanceSpec, compute *hyperv1.KubevirtCompute) {
	if compute == nil {
		compute = &hyperv1.KubevirtCompute{}
	}
	// The defaults of the NodePool CRD.
	memory, cores := ptr.Deref(compute.Memory, resource.MustParse("8Gi")), ptr.Deref(compute.Cores, 2)
	if ptr.Deref(compute.QosClass, "") == hyperv1.QoSClassGuaranteed {
		list := corev1.ResourceList{corev1.ResourceMemory: memory,
			corev1.ResourceCPU: *resource.NewQuantity(int64(cores), resource.DecimalSI)}
		spec.Domain.Resources.Requests, spec.Domain.Resources.Limits = list, list.DeepCopy()
		return
	}
	spec.Domain.Memory = &kubevirtv1.Memory{Guest: &memory}
	spec.Domain.CPU = &kubevirtv1.CPU{Cores: cores}
}

// applied returns the VM with a JSON patch applied. Missing parents of added fields are created, as the operator does.
func applied(vm *kubevirtv1.VirtualMachine, text string) (*kubevirtv1.VirtualMachine, error) {
	var ops []Operation
	if err := json.Unmarshal([]byte(text), &ops); err != nil {
		return nil, fmt.Errorf("not a JSON patch: %w", err)
	}
	patch, err := jsonpatch.DecodePatch([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("not a JSON patch: %w", err)
	}
	data, err := json.Marshal(vm)
	if err != nil {
		return nil, err
	}
	for i, op := range ops {
		if op.Op == "add" {
			if data, err = withParents(data, op.Path); err != nil {
				return nil, err
			}
		}
		if data, err = (jsonpatch.Patch{patch[i]}).Apply(data); err != nil {
			return nil, fmt.Errorf("operation %d (%s): %w", i+1, op.Path, err)
		}
	}
	out := &kubevirtv1.VirtualMachine{}
	if err := json.Unmarshal(data, out); err != nil {
		return nil, err
	}
	if out.Spec.Template == nil {
		out.Spec.Template = &kubevirtv1.VirtualMachineInstanceTemplateSpec{}
	}
	return out, nil
}

// withParents creates the missing objects and lists above a path.
func withParents(data []byte, path string) ([]byte, error) {
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	keys := strings.Split(strings.TrimPrefix(path, "/"), "/")
	at, ok := doc.(map[string]any)
	for i := 0; ok && i < len(keys)-1; i++ {
		key := strings.NewReplacer("~1", "/", "~0", "~").Replace(keys[i])
		if at[key] == nil {
			if next := keys[i+1]; next == "-" || next == "0" {
				at[key] = []any{}
			} else {
				at[key] = map[string]any{}
			}
		}
		at, ok = at[key].(map[string]any)
	}
	return json.Marshal(doc)
}
