package virtualization

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// bootTime is the time from a ready pod to a running instance.
const bootTime = 1500 * time.Millisecond

// instance reconciles a VirtualMachineInstance: its virt-launcher pod, and its phases, which follow the pod's.
func (v *virtualization) instance(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	if found, err := framework.Exists(ctx, v.Client, vmi); err != nil || !found {
		return reconcile.Result{}, err
	}
	pods := &corev1.PodList{}
	if err := v.Client.List(ctx, pods, framework.InNamespace(vmi.Namespace),
		client.MatchingLabels{kubevirtv1.CreatedByLabel: string(vmi.UID)}); err != nil {
		return reconcile.Result{}, err
	}
	if vmi.DeletionTimestamp != nil {
		for i := range pods.Items {
			if err := framework.Remove(ctx, v.Client, &pods.Items[i]); err != nil {
				return reconcile.Result{}, err
			}
		}
		if len(pods.Items) > 0 {
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, framework.RemoveFinalizer(ctx, v.Client, vmi, kubevirtv1.VirtualMachineInstanceFinalizer)
	}
	if vmi.Status.Phase == kubevirtv1.Failed || vmi.Status.Phase == kubevirtv1.Succeeded {
		return reconcile.Result{}, nil
	}
	pod := currentPod(vmi, pods.Items)
	if pod == nil {
		// An instance whose pod is gone has failed. It never gets a second pod.
		if vmi.Status.Phase != "" && vmi.Status.Phase != kubevirtv1.Pending && vmi.Status.Phase != kubevirtv1.Scheduling {
			return reconcile.Result{}, v.instanceStatus(ctx, vmi, nil, kubevirtv1.Failed)
		}
		why, err := v.launch(ctx, vmi)
		if err != nil {
			return reconcile.Result{}, err
		}
		if why != "" {
			return framework.RequeueAfter(v.Pace.Scale(launchRetry)), v.notLaunched(ctx, vmi, why)
		}
		return reconcile.Result{}, v.instanceStatus(ctx, vmi, nil, kubevirtv1.Scheduling)
	}
	switch {
	case pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded || pod.DeletionTimestamp != nil:
		return reconcile.Result{}, v.instanceStatus(ctx, vmi, pod, kubevirtv1.Failed)
	case !podReady(pod):
		return reconcile.Result{}, v.instanceStatus(ctx, vmi, pod, kubevirtv1.Scheduling)
	}
	if wait := v.Remaining(bootTime, "boot"+string(vmi.UID)); wait > 0 && vmi.Status.Phase != kubevirtv1.Running {
		return framework.RequeueAfter(wait), v.instanceStatus(ctx, vmi, pod, kubevirtv1.Scheduled)
	}
	if err := v.instanceStatus(ctx, vmi, pod, kubevirtv1.Running); err != nil {
		return reconcile.Result{}, err
	}
	return v.hotplug(ctx, vmi, pod)
}

func (v *virtualization) instanceStatus(ctx context.Context, vmi *kubevirtv1.VirtualMachineInstance, pod *corev1.Pod,
	phase kubevirtv1.VirtualMachineInstancePhase) error {
	private, err := v.privateClaim(ctx, vmi)
	if err != nil {
		return err
	}
	return framework.WriteStatus(ctx, v.Client, vmi, func(vmi *kubevirtv1.VirtualMachineInstance) {
		if vmi.Status.Phase != phase {
			vmi.Status.Phase = phase
			vmi.Status.PhaseTransitionTimestamps = append(vmi.Status.PhaseTransitionTimestamps,
				kubevirtv1.VirtualMachineInstancePhaseTransitionTimestamp{Phase: phase, PhaseTransitionTimestamp: metav1.Now()})
		}
		ready := kubevirtv1.VirtualMachineInstanceCondition{
			Type: kubevirtv1.VirtualMachineInstanceReady, Status: corev1.ConditionFalse,
			Reason: kubevirtv1.GuestNotRunningReason, Message: "Guest VM is not reported as running",
		}
		if pod != nil {
			vmi.Status.NodeName = pod.Spec.NodeName
			if pod.Spec.NodeName != "" {
				vmi.Status.ActivePods = map[types.UID]string{pod.UID: pod.Spec.NodeName}
			}
			if len(vmi.Spec.Networks) > 0 && pod.Status.PodIP != "" {
				vmi.Status.Interfaces = []kubevirtv1.VirtualMachineInstanceNetworkInterface{{
					Name: vmi.Spec.Networks[0].Name, IP: pod.Status.PodIP, IPs: []string{pod.Status.PodIP}, InterfaceName: "eth0",
				}}
			}
			for _, c := range pod.Status.Conditions {
				if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
					setInstanceCondition(&vmi.Status.Conditions, kubevirtv1.VirtualMachineInstanceCondition{
						Type: kubevirtv1.VirtualMachineInstanceConditionType(c.Type), Status: c.Status, Reason: c.Reason,
						Message: c.Message,
					})
				} else if c.Type == corev1.PodScheduled {
					dropInstanceCondition(vmi, kubevirtv1.VirtualMachineInstanceConditionType(corev1.PodScheduled))
				}
			}
		}
		dropInstanceCondition(vmi, kubevirtv1.VirtualMachineInstanceSynchronized)
		switch {
		case phase == kubevirtv1.Running && paused(vmi):
			// A readiness gate of the pod says so, which is not played.
			ready.Reason, ready.Message = "ReadinessGatesNotReady", msgPaused
		case phase == kubevirtv1.Running:
			ready.Status, ready.Reason, ready.Message = corev1.ConditionTrue, "", ""
		}
		if phase == kubevirtv1.Running {
			setInstanceCondition(&vmi.Status.Conditions, migratable(private))
		}
		setInstanceCondition(&vmi.Status.Conditions, ready)
	})
}

// migratable returns the condition that reports whether an instance can move to another node. private names a claim
// that prevents it.
func migratable(private string) kubevirtv1.VirtualMachineInstanceCondition {
	c := kubevirtv1.VirtualMachineInstanceCondition{Type: kubevirtv1.VirtualMachineInstanceIsMigratable,
		Status: corev1.ConditionTrue}
	if private != "" {
		c.Status, c.Reason = corev1.ConditionFalse, kubevirtv1.VirtualMachineInstanceReasonDisksNotMigratable
		c.Message = fmt.Sprintf("cannot migrate VMI: PVC %s is not shared, live migration requires that all PVCs must be "+
			"shared (using ReadWriteMany access mode)", private)
	}
	return c
}

// privateClaim returns the first claim of an instance that only one node can use, or "".
func (v *virtualization) privateClaim(ctx context.Context, vmi *kubevirtv1.VirtualMachineInstance) (string, error) {
	for _, name := range claimsOf(vmi) {
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: vmi.Namespace, Name: name}}
		found, err := framework.Exists(ctx, v.Client, claim)
		if err != nil {
			return "", err
		}
		if found && !slices.Contains(claim.Spec.AccessModes, corev1.ReadWriteMany) {
			return name, nil
		}
	}
	return "", nil
}

func setInstanceCondition(list *[]kubevirtv1.VirtualMachineInstanceCondition,
	c kubevirtv1.VirtualMachineInstanceCondition) {
	c.LastTransitionTime = metav1.Now()
	for i, old := range *list {
		if old.Type != c.Type {
			continue
		}
		if old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
		(*list)[i] = c
		return
	}
	*list = append(*list, c)
}

func dropInstanceCondition(vmi *kubevirtv1.VirtualMachineInstance,
	kind kubevirtv1.VirtualMachineInstanceConditionType) {
	vmi.Status.Conditions = slices.DeleteFunc(vmi.Status.Conditions,
		func(o kubevirtv1.VirtualMachineInstanceCondition) bool { return o.Type == kind })
}

// claimsOf returns the claims of an instance's volumes.
func claimsOf(vmi *kubevirtv1.VirtualMachineInstance) []string {
	var out []string
	for _, volume := range vmi.Spec.Volumes {
		switch {
		case volume.DataVolume != nil:
			out = append(out, volume.DataVolume.Name)
		case volume.PersistentVolumeClaim != nil:
			out = append(out, volume.PersistentVolumeClaim.ClaimName)
		}
	}
	return out
}

// launcherPod returns the pod of an instance.
func launcherPod(vmi *kubevirtv1.VirtualMachineInstance) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: vmi.Namespace,
			// The real name ends with five random characters. This one is fixed for an instance, which prevents a
			// second pod.
			Name:        fmt.Sprintf("virt-launcher-%s-%.5s", vmi.Name, vmi.UID),
			Labels:      map[string]string{},
			Annotations: map[string]string{kubevirtv1.DomainAnnotation: vmi.Name},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(vmi, kubevirtv1.VirtualMachineInstanceGroupVersionKind),
			},
		},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			TerminationGracePeriodSeconds: ptr.To(ptr.Deref(vmi.Spec.TerminationGracePeriodSeconds, 30)),
			Affinity:                      vmi.Spec.Affinity,
			Tolerations:                   vmi.Spec.Tolerations,
			TopologySpreadConstraints:     vmi.Spec.TopologySpreadConstraints,
			NodeSelector:                  launcherSelector(&vmi.Spec),
			Containers: []corev1.Container{{Name: "compute",
				Image: "sandbox.invalid/openshift-cnv/virt-launcher", Resources: launcherResources(vmi)}},
		},
	}
	for k, value := range vmi.Labels {
		pod.Labels[k] = value
	}
	for k, value := range vmi.Annotations {
		pod.Annotations[k] = value
	}
	pod.Labels[kubevirtv1.AppLabel] = "virt-launcher"
	pod.Labels[kubevirtv1.CreatedByLabel] = string(vmi.UID)
	pod.Labels["vm.kubevirt.io/name"] = vmi.Name
	if text := networksOf(vmi); text != "" {
		pod.Annotations[networksAnnotation] = text
	}
	for i, claim := range bootClaims(vmi) {
		name := fmt.Sprintf("disk-%d", i)
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim},
		}})
	}
	return pod
}

// launcherSelector selects the nodes that can run an instance, by the labels of virt-handler's node labeller (source:
// virt-controller, services/nodeselectorrenderer.go; the instance without an architecture gets the default one).
func launcherSelector(spec *kubevirtv1.VirtualMachineInstanceSpec) map[string]string {
	arch := spec.Architecture
	if arch == "" {
		arch = "amd64"
	}
	out := map[string]string{kubevirtv1.NodeSchedulable: "true", corev1.LabelArchStable: arch}
	maps.Copy(out, spec.NodeSelector)
	cpu := spec.Domain.CPU
	if cpu == nil {
		return out
	}
	if cpu.DedicatedCPUPlacement {
		out[kubevirtv1.DeprecatedCPUManager] = "true"
	}
	if cpu.Model != "" && cpu.Model != kubevirtv1.CPUModeHostModel && cpu.Model != kubevirtv1.CPUModeHostPassthrough {
		out[kubevirtv1.CPUModelLabel+cpu.Model] = "true"
	}
	for _, f := range cpu.Features {
		if f.Policy == "" || f.Policy == "require" {
			out[kubevirtv1.CPUFeatureLabel+f.Name] = "true"
		}
	}
	return out
}

// memoryOverhead is what virt-controller adds to a guest's memory (services/renderresources.go, GetMemoryOverhead):
// page tables, 220Mi of processes, 8Mi for each core and one for I/O, 32Mi of video memory, 1Gi for devices of the
// host, and 100Mi for an instance with cores or memory of its own.
func memoryOverhead(vmi *kubevirtv1.VirtualMachineInstance, guest int64, cores int64) int64 {
	sum := guest/512 + (220+8*cores+8+32)<<20
	devices := vmi.Spec.Domain.Devices
	if len(devices.HostDevices)+len(devices.GPUs) > 0 {
		sum += 1 << 30
	}
	cpu := vmi.Spec.Domain.CPU
	if cpu != nil && cpu.DedicatedCPUPlacement || len(vmi.Spec.Domain.Resources.Limits) > 0 {
		sum += 100 << 20
	}
	return sum
}

// coresOf is the number of an instance's cores.
func coresOf(vmi *kubevirtv1.VirtualMachineInstance) int64 {
	if c := vmi.Spec.Domain.CPU; c != nil && c.Cores+c.Sockets+c.Threads > 0 {
		return max(1, int64(c.Cores)) * max(1, int64(c.Sockets)) * max(1, int64(c.Threads))
	}
	cores := vmi.Spec.Domain.Resources.Requests[corev1.ResourceCPU]
	return max(1, cores.Value())
}

// launcherResources requests the guest's memory and KubeVirt's overhead, and a tenth of a core per guest core (HCO's
// cpuAllocationRatio 10).
func launcherResources(vmi *kubevirtv1.VirtualMachineInstance) corev1.ResourceRequirements {
	r := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for k, q := range vmi.Spec.Domain.Resources.Requests {
		r.Requests[k] = q
	}
	for k, q := range vmi.Spec.Domain.Resources.Limits {
		r.Limits[k] = q
	}
	memory := r.Requests[corev1.ResourceMemory].DeepCopy()
	if m := vmi.Spec.Domain.Memory; m != nil && m.Guest != nil && memory.IsZero() {
		memory = m.Guest.DeepCopy()
	}
	overhead := memoryOverhead(vmi, memory.Value(), coresOf(vmi))
	if m := vmi.Spec.Domain.Memory; m != nil && m.Hugepages != nil {
		pages := corev1.ResourceName(corev1.ResourceHugePagesPrefix + m.Hugepages.PageSize)
		r.Requests[pages], r.Limits[pages] = memory.DeepCopy(), memory.DeepCopy()
		memory = resource.Quantity{}
	}
	memory.Add(*resource.NewQuantity(overhead, resource.BinarySI))
	r.Requests[corev1.ResourceMemory] = memory
	if _, ok := r.Requests[corev1.ResourceCPU]; !ok {
		r.Requests[corev1.ResourceCPU] = *resource.NewMilliQuantity(coresOf(vmi)*100, resource.DecimalSI)
	}
	if c := vmi.Spec.Domain.CPU; c != nil && c.DedicatedCPUPlacement {
		cores := *resource.NewQuantity(coresOf(vmi), resource.DecimalSI)
		r.Requests[corev1.ResourceCPU], r.Limits[corev1.ResourceCPU] = cores, cores
		r.Limits[corev1.ResourceMemory] = r.Requests[corev1.ResourceMemory]
	}
	for _, d := range virtDevices {
		r.Requests[d], r.Limits[d] = resource.MustParse("1"), resource.MustParse("1")
	}
	for name, count := range hostDevices(vmi) {
		r.Requests[name], r.Limits[name] = *resource.NewQuantity(count, resource.DecimalSI),
			*resource.NewQuantity(count, resource.DecimalSI)
	}
	return r
}
