package placement

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/fit"
)

// Hypervisor holds the settings by which OpenShift Virtualization creates the pods of VMs.
type Hypervisor struct {
	// CPURatio is the number of VM cores per requested core. MemoryPercent is the memory of VMs in percent of the
	// requested memory. Model is the default CPU model of VMs.
	CPURatio, MemoryPercent int64
	Model                   string
	// Permitted are the devices that VMs may have, by resource name; nil if HyperConverged lists none, which permits all.
	Permitted map[string]bool
}

// HypervisorOf reads the settings of a HyperConverged (v1beta1 or v1). It returns the defaults if hco is nil.
func HypervisorOf(hco *unstructured.Unstructured) Hypervisor {
	h := Hypervisor{CPURatio: 10, MemoryPercent: 100}
	if hco == nil {
		return h
	}
	for _, at := range [][]string{{"spec"}, {"spec", "virtualization"}} {
		below := func(path ...string) []string { return append(slices.Clone(at), path...) }
		for _, ratio := range [][]string{below("resourceRequirements", "vmiCPUAllocationRatio"),
			below("vmiCPUAllocationRatio")} {
			if n := kube.Number(hco, ratio...); n > 0 {
				h.CPURatio = n
			}
		}
		if n := kube.Number(hco, below("higherWorkloadDensity", "memoryOvercommitPercentage")...); n > 0 {
			h.MemoryPercent = n
		}
		for _, model := range [][]string{below("defaultCPUModel"), below("virtualMachineOptions", "defaultCPUModel")} {
			if text := kube.Text(hco, model...); text != "" {
				h.Model = text
			}
		}
		if kube.Has(hco, below("permittedHostDevices")...) {
			h.Permitted = map[string]bool{}
		}
		for _, list := range []string{"pciHostDevices", "mediatedDevices", "usbHostDevices"} {
			for _, d := range kube.Maps(hco, below("permittedHostDevices", list)...) {
				name, _ := d["resourceName"].(string)
				disabled, _ := d["disabled"].(bool)
				h.Permitted[name] = h.Permitted[name] || !disabled
			}
		}
	}
	return h
}

// launcher returns the pod that virt-controller creates for a VM (pkg/virt-controller/services, nodeselectorrenderer.go
// and renderresources.go, 1.3 to 1.8).
func (h Hypervisor) launcher(spec *kubevirtv1.VirtualMachineInstanceSpec) Launcher {
	cpu := ptr.Deref(spec.Domain.CPU, kubevirtv1.CPU{})
	l := Launcher{Pod: fit.Pod{NodeSelector: map[string]string{kubevirtv1.NodeSchedulable: "true"},
		Affinity: spec.Affinity, Tolerations: spec.Tolerations, Arch: strings.ToLower(spec.Architecture)},
		Devices: fit.Resources{}}
	maps.Copy(l.NodeSelector, spec.NodeSelector)
	for _, c := range spec.TopologySpreadConstraints {
		if _, is := ruleOf(&c); !is { // rules are counted together with the existing VMs
			l.Constraints = append(l.Constraints, c)
		}
	}
	if cpu.DedicatedCPUPlacement {
		l.AnyOf = append(l.AnyOf, []string{kubevirtv1.DeprecatedCPUManager, kubevirtv1.CPUManager})
	}
	if model := cmp.Or(cpu.Model, h.Model); model != "" && model != kubevirtv1.CPUModeHostModel &&
		model != kubevirtv1.CPUModeHostPassthrough {
		l.NodeSelector[kubevirtv1.CPUModelLabel+model] = "true"
	}
	for _, f := range cpu.Features {
		if f.Policy == "" || f.Policy == "require" {
			l.NodeSelector[kubevirtv1.CPUFeatureLabel+f.Name] = "true"
		}
	}
	if cpu.Realtime != nil {
		l.NodeSelector[kubevirtv1.RealtimeLabel] = "true"
	}
	for _, d := range spec.Domain.Devices.HostDevices {
		l.Devices[corev1.ResourceName(d.DeviceName)]++
	}
	for _, d := range spec.Domain.Devices.GPUs {
		l.Devices[corev1.ResourceName(d.DeviceName)]++
	}
	if huge := hugepages(spec); cpu.NUMA != nil && cpu.NUMA.GuestMappingPassthrough != nil &&
		(!cpu.DedicatedCPUPlacement || huge == "") {
		l.Wrong = "domain.cpu.numa.guestMappingPassthrough needs dedicatedCpuPlacement and memory.hugepages: KubeVirt " +
			"refuses the VM"
	}
	l.Requests = h.requests(spec, cpu)
	l.Requests.Add(l.Devices, 1)
	return l
}

func hugepages(spec *kubevirtv1.VirtualMachineInstanceSpec) string {
	if m := spec.Domain.Memory; m != nil && m.Hugepages != nil {
		return m.Hugepages.PageSize
	}
	return ""
}

// requests returns the requests of the pod without devices.
func (h Hypervisor) requests(spec *kubevirtv1.VirtualMachineInstanceSpec, cpu kubevirtv1.CPU) fit.Resources {
	r := fit.Of(spec.Domain.Resources.Limits)
	maps.Copy(r, fit.Of(spec.Domain.Resources.Requests))
	memory, set := r[corev1.ResourceMemory]
	if m := spec.Domain.Memory; !set && m != nil && m.Guest != nil {
		memory = m.Guest.Value()
		if h.MemoryPercent > 0 && hugepages(spec) == "" && !cpu.DedicatedCPUPlacement {
			memory = memory * 100 / h.MemoryPercent
		}
	}
	cores := vcpus(cpu)
	overhead := h.overhead(spec, cpu, memory, max(cores, r[corev1.ResourceCPU]/1000, 1))
	switch _, requested := r[corev1.ResourceCPU]; {
	case cpu.DedicatedCPUPlacement && cores > 0:
		r[corev1.ResourceCPU] = cores * 1000
	case !requested:
		r[corev1.ResourceCPU] = max(cores, 1) * 1000 / max(h.CPURatio, 1)
	}
	if cpu.DedicatedCPUPlacement && cpu.IsolateEmulatorThread {
		r[corev1.ResourceCPU] += 1000
	}
	if page := hugepages(spec); page != "" {
		r[corev1.ResourceName(corev1.ResourceHugePagesPrefix+page)] = memory
		memory = 0
	}
	r[corev1.ResourceMemory] = memory + overhead
	r[corev1.ResourcePods] = 1
	return r
}

func vcpus(cpu kubevirtv1.CPU) int64 {
	if cpu.Cores == 0 && cpu.Sockets == 0 && cpu.Threads == 0 {
		return 0
	}
	return int64(max(cpu.Cores, 1)) * int64(max(cpu.Sockets, 1)) * int64(max(cpu.Threads, 1))
}

const mebibyte = int64(1) << 20

// overhead returns the memory that KubeVirt adds to that of a guest (renderresources.go, GetMemoryOverhead): page
// tables, its own processes and QEMU (220Mi), 8Mi for each core and one I/O thread, video memory, 1Gi for host devices.
func (Hypervisor) overhead(spec *kubevirtv1.VirtualMachineInstanceSpec, cpu kubevirtv1.CPU, memory, cores int64) int64 {
	sum := memory/512 + (220+8*cores+8)*mebibyte
	devices := spec.Domain.Devices
	if ptr.Deref(devices.AutoattachGraphicsDevice, true) {
		sum += 32 * mebibyte
	}
	if len(devices.HostDevices)+len(devices.GPUs) > 0 {
		sum += 1024 * mebibyte
	}
	guaranteed := len(spec.Domain.Resources.Limits) > 0 && sameList(spec.Domain.Resources.Limits,
		spec.Domain.Resources.Requests)
	if cpu.DedicatedCPUPlacement || guaranteed {
		sum += 100 * mebibyte
	}
	return sum
}

func sameList(a, b corev1.ResourceList) bool {
	return maps.EqualFunc(a, b, func(x, y resource.Quantity) bool { return x.Equal(y) })
}
