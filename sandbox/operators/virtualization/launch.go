package virtualization

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	networksAnnotation = "k8s.v1.cni.cncf.io/networks"
	// launchRetry is the time between two attempts to create the pod of an instance.
	launchRetry = 10 * time.Second

	reasonFailedCreate = "FailedCreate"
	// msgPaused is the kubelet's message about the readiness gate of a paused machine's pod.
	msgPaused = `the status of pod readiness gate "kubevirt.io/virtual-machine-unpaused" is not "True", but False`
)

var networkKind = schema.GroupVersionKind{Group: "k8s.cni.cncf.io", Version: "v1", Kind: "NetworkAttachmentDefinition"}

// launch creates the pod of an instance. If it cannot, it returns why: a network that does not exist, or the API
// server's refusal, such as that of a quota. Source: virt-controller, watch/vmi and network/multus.
func (v *virtualization) launch(ctx context.Context, vmi *kubevirtv1.VirtualMachineInstance) (why string, err error) {
	for _, n := range multusNetworks(vmi) {
		network := framework.Unstructured(networkKind)
		network.SetNamespace(n.Namespace)
		network.SetName(n.Name)
		found, err := framework.Exists(ctx, v.Live, network)
		if err != nil {
			return "", err
		}
		if !found {
			return fmt.Sprintf("failed to render launch manifest: failed to locate network attachment definition %s/%s",
				n.Namespace, n.Name), nil
		}
	}
	if why, err := v.refuses(ctx, vmi); why != "" || err != nil {
		return why, err
	}
	err = framework.Create(ctx, v.Client, launcherPod(vmi))
	if !apierrors.IsForbidden(err) {
		return "", err
	}
	message := err.Error()
	if at := strings.Index(message, "pods \""); at > 0 {
		message = message[at:]
	}
	return "failed to create virtual machine pod: " + message, operator.Warn(ctx, v.Live, vmi, "virtualmachine-controller",
		reasonFailedCreate, "Error creating pod: "+message)
}

// refuses is why virt-controller renders no pod: a device that permittedHostDevices lacks, where that is set (services,
// validatePermittedHostDevices), or a guest with NUMA that lacks what that needs, which KubeVirt's webhook refuses.
func (v *virtualization) refuses(ctx context.Context, vmi *kubevirtv1.VirtualMachineInstance) (why string, err error) {
	if cpu, m := vmi.Spec.Domain.CPU, vmi.Spec.Domain.Memory; cpu != nil && cpu.NUMA != nil &&
		cpu.NUMA.GuestMappingPassthrough != nil && (!cpu.DedicatedCPUPlacement || m == nil || m.Hugepages == nil) {
		return "spec.domain.cpu.numa.guestMappingPassthrough must be defined with dedicatedCpuPlacement and hugepages", nil
	}
	hco := framework.Unstructured(hyperConvergedKind)
	hco.SetNamespace(v.namespace)
	hco.SetName(hyperconvergedOne)
	found, err := framework.Exists(ctx, v.Live, hco)
	if err != nil || !found {
		return "", err
	}
	permitted, restricted, _ := unstructured.NestedMap(hco.Object, "spec", "permittedHostDevices")
	if !restricted {
		return "", nil
	}
	names := map[corev1.ResourceName]bool{}
	for _, list := range permitted {
		entries, _ := list.([]any)
		for _, entry := range entries {
			d, _ := entry.(map[string]any)
			name, _ := d["resourceName"].(string)
			disabled, _ := d["disabled"].(bool)
			names[corev1.ResourceName(name)] = names[corev1.ResourceName(name)] || !disabled
		}
	}
	for name := range hostDevices(vmi) {
		if !names[name] {
			return fmt.Sprintf("failed to render launch manifest: HostDevice %s is not permitted in permittedHostDevices "+
				"configuration", name), nil
		}
	}
	return "", nil
}

// notLaunched writes why an instance has no pod.
func (v *virtualization) notLaunched(ctx context.Context, vmi *kubevirtv1.VirtualMachineInstance, why string) error {
	return framework.WriteStatus(ctx, v.Client, vmi, func(vmi *kubevirtv1.VirtualMachineInstance) {
		vmi.Status.Phase = kubevirtv1.Pending
		setInstanceCondition(&vmi.Status.Conditions, kubevirtv1.VirtualMachineInstanceCondition{
			Type: kubevirtv1.VirtualMachineInstanceReady, Status: corev1.ConditionFalse,
			Reason: kubevirtv1.PodNotExistsReason, Message: "virt-launcher pod has not yet been scheduled",
		})
		setInstanceCondition(&vmi.Status.Conditions, kubevirtv1.VirtualMachineInstanceCondition{
			Type: kubevirtv1.VirtualMachineInstanceSynchronized, Status: corev1.ConditionFalse, Reason: reasonFailedCreate,
			Message: why,
		})
	})
}

// attachment is a network of an instance besides the pod network.
type attachment struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

func multusNetworks(vmi *kubevirtv1.VirtualMachineInstance) []attachment {
	var list []attachment
	for _, n := range vmi.Spec.Networks {
		if n.Multus == nil {
			continue
		}
		namespace, name, found := strings.Cut(n.Multus.NetworkName, "/")
		if !found {
			namespace, name = vmi.Namespace, namespace
		}
		list = append(list, attachment{name, namespace})
	}
	return list
}

// networksOf is the annotation that multus reads.
func networksOf(vmi *kubevirtv1.VirtualMachineInstance) string {
	list := multusNetworks(vmi)
	if len(list) == 0 {
		return ""
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return "" // strings always have a JSON form
	}
	return string(raw)
}

// hostDevices counts the devices of the nodes that an instance gets.
func hostDevices(vmi *kubevirtv1.VirtualMachineInstance) map[corev1.ResourceName]int64 {
	counts := map[corev1.ResourceName]int64{}
	for _, d := range vmi.Spec.Domain.Devices.HostDevices {
		counts[corev1.ResourceName(d.DeviceName)]++
	}
	for _, d := range vmi.Spec.Domain.Devices.GPUs {
		counts[corev1.ResourceName(d.DeviceName)]++
	}
	return counts
}

// paused reports whether virt-handler, a user or a test has written that an instance is paused.
func paused(vmi *kubevirtv1.VirtualMachineInstance) bool {
	return slices.ContainsFunc(vmi.Status.Conditions, func(c kubevirtv1.VirtualMachineInstanceCondition) bool {
		return c.Type == kubevirtv1.VirtualMachineInstancePaused && c.Status == corev1.ConditionTrue
	})
}
