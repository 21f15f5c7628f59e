package world

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// DisksAnnotation on a node is a JSON list of Disk. The simulated Local Storage Operator discovers these disks; tests
// may change them.
const DisksAnnotation = "sandbox.hcctl.dev/disks"

// Disk is one block device of a node, with the fields of LocalVolumeDiscoveryResult.
type Disk struct {
	Path     string `json:"path"`
	DeviceID string `json:"deviceID"`
	// Size is in bytes.
	Size int64 `json:"size"`
	// Type is disk, part, lvm or mpath.
	Type string `json:"type"`
	// Property is Rotational or NonRotational.
	Property string `json:"property"`
	// FSType is the signature on the device, if any.
	FSType string `json:"fstype,omitempty"`
	Model  string `json:"model"`
	Vendor string `json:"vendor"`
	Serial string `json:"serial"`
	// State is Available, NotAvailable or Unknown.
	State string `json:"state"`
	// Removable is the kernel's flag, which the discovery does not report.
	Removable bool `json:"removable,omitempty"`
}

const gib = 1 << 30

// renderedHash is the suffix of the rendered MachineConfigs' names.
const renderedHash = "5f0c1d2e3b4a59687766554433221100"

// emptyDisks is the number of disks for storage on each node that takes workloads.
const emptyDisks = 3

// NodesOf returns the nodes of a profile, all Ready. Those that take workloads have three empty disks of 1 TiB each.
func NodesOf(p profile.Profile) ([]corev1.Node, error) {
	var out []corev1.Node
	for i := range p.Nodes.Masters {
		roles := []string{"control-plane", "master"}
		if p.Nodes.Compact() {
			roles = append(roles, "worker")
		}
		n, err := node(p, machine{name: fmt.Sprintf("master-%d", i), roles: roles, host: 20 + i})
		if err != nil {
			return nil, err
		}
		if !p.Nodes.Compact() {
			n.Spec.Taints = []corev1.Taint{{Key: "node-role.kubernetes.io/master", Effect: corev1.TaintEffectNoSchedule}}
		}
		out = append(out, n)
	}
	for i := range p.Nodes.Workers {
		n, err := node(p, machine{name: fmt.Sprintf("worker-%d", i), roles: []string{"worker"}, host: 30 + i})
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// machine has the values that differ between nodes.
type machine struct {
	name  string
	roles []string
	// host is the last part of its address.
	host int
}

// schedulable reports whether the machine takes workloads. Such a machine is larger and has disks for storage.
func (m machine) schedulable() bool { return slices.Contains(m.roles, "worker") }

func node(p profile.Profile, m machine) (corev1.Node, error) {
	cpu, memory, disks := 16, 64, []Disk{rootDisk(m.host)}
	if m.schedulable() {
		cpu, memory = 64, 256
		for d := range emptyDisks {
			disks = append(disks, emptyDisk(m.host, d))
		}
	}
	raw, err := json.Marshal(disks)
	if err != nil {
		return corev1.Node{}, fmt.Errorf("describe disks of %s: %w", m.name, err)
	}
	labels := map[string]string{
		corev1.LabelHostname: m.name, corev1.LabelArchStable: "amd64", corev1.LabelOSStable: "linux",
		"node.openshift.io/os_id": "rhcos",
	}
	for _, role := range m.roles {
		labels["node-role.kubernetes.io/"+role] = ""
	}
	// The machine-config-operator's annotations of the node. A node that is also a worker is in the pool master alone.
	config := "rendered-worker-" + renderedHash
	if slices.Contains(m.roles, "master") {
		config = "rendered-master-" + renderedHash
	}
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:   m.name,
			Labels: labels,
			Annotations: map[string]string{
				DisksAnnotation: string(raw),
				"machineconfiguration.openshift.io/currentConfig": config,
				"machineconfiguration.openshift.io/desiredConfig": config,
				"machineconfiguration.openshift.io/state":         "Done",
			},
		},
		Spec: corev1.NodeSpec{PodCIDR: fmt.Sprintf("10.128.%d.0/24", m.host),
			PodCIDRs: []string{fmt.Sprintf("10.128.%d.0/24", m.host)}},
		Status: corev1.NodeStatus{
			Capacity: resources(cpu*1000, memory*gib),
			// The kubelet reserves this for itself and the system.
			Allocatable: resources(cpu*1000-500, (memory-2)*gib),
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: fmt.Sprintf("192.168.111.%d", m.host)},
				{Type: corev1.NodeHostName, Address: m.name},
			},
			NodeInfo: corev1.NodeSystemInfo{
				Architecture: "amd64", OperatingSystem: "linux", KubeletVersion: kubelet(p),
				OSImage: "Red Hat Enterprise Linux CoreOS", KernelVersion: "5.14.0",
				ContainerRuntimeVersion: fmt.Sprintf("cri-o://1.%d.0", p.Y()+13),
			},
			Conditions: conditions(),
		},
	}, nil
}

func resources(milliCPU, memory int) corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:              *resource.NewMilliQuantity(int64(milliCPU), resource.DecimalSI),
		corev1.ResourceMemory:           *resource.NewQuantity(int64(memory), resource.BinarySI),
		corev1.ResourcePods:             *resource.NewQuantity(250, resource.DecimalSI),
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(400*gib, resource.BinarySI),
	}
}

func conditions() []corev1.NodeCondition {
	since := metav1.NewTime(time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC))
	good := func(t corev1.NodeConditionType, s corev1.ConditionStatus, reason, message string) corev1.NodeCondition {
		return corev1.NodeCondition{
			Type: t, Status: s, Reason: reason, Message: message, LastHeartbeatTime: metav1.Now(), LastTransitionTime: since,
		}
	}
	return []corev1.NodeCondition{
		good(corev1.NodeMemoryPressure, corev1.ConditionFalse, "KubeletHasSufficientMemory",
			"kubelet has sufficient memory available"),
		good(corev1.NodeDiskPressure, corev1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
		good(corev1.NodePIDPressure, corev1.ConditionFalse, "KubeletHasSufficientPID",
			"kubelet has sufficient PID available"),
		good(corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"),
	}
}

func rootDisk(host int) Disk {
	return Disk{
		Path: "/dev/sda", DeviceID: fmt.Sprintf("/dev/disk/by-id/wwn-0x5000c500a%06d", host), Size: 480 * 1000 * 1000 * 1000,
		Type:     "disk",
		Property: "NonRotational", Model: "MZ7LH480HAHQ0D3", Vendor: "ATA", Serial: fmt.Sprintf("S45PNA0M%06d", host),
		State: "NotAvailable",
	}
}

func emptyDisk(host, d int) Disk {
	return Disk{
		Path: fmt.Sprintf("/dev/nvme%dn1", d), DeviceID: fmt.Sprintf("/dev/disk/by-id/nvme-eui.0025385%d91b000%d", host, d),
		Size: 1024 * gib,
		Type: "disk", Property: "NonRotational", Model: "MZQL21T0HCJR", Vendor: "",
		Serial: fmt.Sprintf("S64GNE0R%d0000%d", host, d),
		State:  "Available",
	}
}
