package main_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// What hardware, networks and storage refuse, virtual machines do not get: each stage says so in its own words.
func TestTroubleOfMachines(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "20", "--lean", "--guests", "0")
	h := hostOf(t, r.dir)
	h.cluster("kv", "4.19.9")
	const in = "clusters-kv"
	well := h.pool("kv", "well", "4.19.9", 1)
	pool := func(name string, change ...func(*hyperv1.NodePool)) *hyperv1.NodePool {
		return h.pool("kv", name, "4.19.9", 1, change...)
	}
	kubevirt := func(set func(*hyperv1.KubevirtNodePoolPlatform)) func(*hyperv1.NodePool) {
		return func(np *hyperv1.NodePool) { set(np.Spec.Platform.Kubevirt) }
	}
	device := pool("device", kubevirt(func(k *hyperv1.KubevirtNodePoolPlatform) {
		k.KubevirtHostDevices = []hyperv1.KubevirtHostDevice{{DeviceName: "vendor.com/device", Count: 1}}
	}))
	pool("network", kubevirt(func(k *hyperv1.KubevirtNodePoolPlatform) {
		k.AdditionalNetworks = []hyperv1.KubevirtNetwork{{Name: in + "/missing"}}
	}))
	pool("pending", faulty[*hyperv1.NodePool]("vm-import-pending"))
	pool("image", faulty[*hyperv1.NodePool]("vm-image-import"))

	// machine waits for the one machine of a pool and its state.
	machine := func(name string, want kubevirtv1.VirtualMachinePrintableStatus) *kubevirtv1.VirtualMachine {
		t.Helper()
		var vm *kubevirtv1.VirtualMachine
		eventually(t, 2*time.Minute, func() error {
			list := h.machines("kv", name)
			if len(list) != 1 || list[0].Status.PrintableStatus != want {
				return fmt.Errorf("machines of %s: %d %+v", name, len(list), list)
			}
			vm = &list[0]
			return nil
		})
		if t.Failed() {
			t.FailNow()
		}
		return vm
	}

	t.Run("device", func(t *testing.T) {
		vm := machine("device", kubevirtv1.VirtualMachineStatusUnschedulable)
		if got := vmSays(vm, "PodScheduled"); !strings.Contains(got, "Insufficient vendor.com/device") {
			t.Errorf("PodScheduled: %s", got)
		}
		awaits(h, device, 20*time.Second, func(np *hyperv1.NodePool) string {
			if c := poolCondition(np, "AllMachinesReady"); c.Reason != "Unschedulable" {
				return fmt.Sprintf("%+v", c)
			}
			return ""
		})
		nodes := &corev1.NodeList{}
		h.must(h.List(t.Context(), nodes, client.MatchingLabels{"kubevirt.io/schedulable": "true"}))
		writeStatus(t, h.Client, &nodes.Items[0], func(n *corev1.Node) {
			n.Status.Capacity["vendor.com/device"] = resource.MustParse("1")
			n.Status.Allocatable["vendor.com/device"] = resource.MustParse("1")
		})
		machine("device", kubevirtv1.VirtualMachineStatusRunning)
	})
	t.Run("network", func(t *testing.T) {
		vm := machine("network", kubevirtv1.VirtualMachineStatusStarting)
		eventually(t, 20*time.Second, func() error {
			vm = machine("network", kubevirtv1.VirtualMachineStatusStarting)
			if got := vmSays(vm, "Synchronized"); got != "False FailedCreate: failed to render launch manifest: "+
				"failed to locate network attachment definition "+in+"/missing" {
				return fmt.Errorf("Synchronized: %s", got)
			}
			return nil
		})
		h.must(h.Create(t.Context(), network(in, "missing")))
		machine("network", kubevirtv1.VirtualMachineStatusRunning)
	})
	t.Run("multus", func(t *testing.T) {
		pod := runningOn("", in, "isolated")
		pod.Annotations = map[string]string{"k8s.v1.cni.cncf.io/networks": `[{"name":"vlan-100","namespace":"vlans"}]`}
		h.must(h.Create(t.Context(), pod))
		told(t, h, "Pod", in, "isolated", "FailedCreatePodSandBox", "namespace isolation enabled")
		gone := runningOn("", in, "unplugged")
		gone.Annotations = map[string]string{"k8s.v1.cni.cncf.io/networks": "gone"}
		h.must(h.Create(t.Context(), gone))
		told(t, h, "Pod", in, "unplugged", "FailedCreatePodSandBox",
			"cannot find a network-attachment-definition (gone) in namespace ("+in+")")
		awaits(h, gone, 5*time.Second, func(p *corev1.Pod) string {
			if s := p.Status.ContainerStatuses; len(s) != 1 || s[0].State.Waiting == nil ||
				s[0].State.Waiting.Reason != "ContainerCreating" {
				return fmt.Sprintf("%+v", p.Status)
			}
			return ""
		})
	})
	t.Run("paused", func(t *testing.T) {
		vm := machine("well", kubevirtv1.VirtualMachineStatusRunning)
		vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: vm.Name}}
		writeStatus(t, h.Client, vmi, func(vmi *kubevirtv1.VirtualMachineInstance) {
			vmi.Status.Conditions = append(vmi.Status.Conditions, kubevirtv1.VirtualMachineInstanceCondition{
				Type: kubevirtv1.VirtualMachineInstancePaused, Status: corev1.ConditionTrue, Reason: "PausedIOError",
				Message: "VMI was paused, low-level IO error detected"})
		})
		eventually(t, 20*time.Second, func() error {
			vm = machine("well", kubevirtv1.VirtualMachineStatusPaused)
			if got := vmSays(vm, "Paused"); got != "True PausedIOError: VMI was paused, low-level IO error detected" ||
				vm.Status.Ready {
				return fmt.Errorf("Paused: %s, ready %t", got, vm.Status.Ready)
			}
			return nil
		})
		awaits(h, well, 20*time.Second, func(np *hyperv1.NodePool) string {
			return poolSays(np, "AllMachinesReady", "False VMNotReady")
		})
		writeStatus(t, h.Client, vmi, func(vmi *kubevirtv1.VirtualMachineInstance) {
			vmi.Status.Conditions = vmi.Status.Conditions[:len(vmi.Status.Conditions)-1]
		})
		machine("well", kubevirtv1.VirtualMachineStatusRunning)
	})
	t.Run("import", func(t *testing.T) {
		vm := machine("pending", kubevirtv1.VirtualMachineStatusProvisioning)
		dv := &cdiv1.DataVolume{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: vm.Spec.DataVolumeTemplates[0].Name}}
		awaits(h, dv, 30*time.Second, func(dv *cdiv1.DataVolume) string {
			if dv.Status.Phase != cdiv1.ImportScheduled {
				return string(dv.Status.Phase)
			}
			return ""
		})
		told(t, h, "Pod", in, "importer-prime-", "FailedScheduling", "Insufficient memory")
		machine("image", kubevirtv1.VirtualMachineStatusDataVolumeError)
		told(t, h, "Pod", in, "importer-prime-", "Failed", "Failed to pull image")
	})
	t.Run("volumes", func(t *testing.T) {
		class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "ocs-storagecluster-ceph-rbd"}}
		h.must(h.Patch(t.Context(), class, client.RawPatch(types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"`+fault.Annotation+`":"volume-provisioning-fails"}}}`))))
		h.must(h.Create(t.Context(), claim(in, "full", class.Name)))
		told(t, h, "PersistentVolumeClaim", in, "full", "ProvisioningFailed", "not enough free space")
		h.must(h.Patch(t.Context(), class, client.RawPatch(types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"`+fault.Annotation+`":null}}}`))))
		full := claim(in, "full", class.Name)
		awaits(h, full, 20*time.Second, func(c *corev1.PersistentVolumeClaim) string {
			if c.Status.Phase != corev1.ClaimBound {
				return string(c.Status.Phase)
			}
			return ""
		})
		workers := &corev1.NodeList{}
		h.must(h.List(t.Context(), workers, client.MatchingLabels{"kubevirt.io/schedulable": "true"}))
		for i, name := range []string{"holder", "waiter"} {
			pod := runningOn(workers.Items[i].Name, in, name)
			pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "full"}}}}
			h.must(h.Create(t.Context(), pod))
			if i == 0 {
				awaits(h, pod, 20*time.Second, func(p *corev1.Pod) string {
					if p.Status.Phase != corev1.PodRunning {
						return string(p.Status.Phase)
					}
					return ""
				})
			}
		}
		told(t, h, "Pod", in, "waiter", "FailedAttachVolume", "Multi-Attach error for volume \""+full.Spec.VolumeName+
			"\" Volume is already used by pod(s) holder")
		h.must(h.Delete(t.Context(), runningOn("", in, "holder")))
		awaits(h, runningOn("", in, "waiter"), 30*time.Second, func(p *corev1.Pod) string {
			if p.Status.Phase != corev1.PodRunning {
				return string(p.Status.Phase)
			}
			return ""
		})
	})
	t.Run("migration", func(t *testing.T) {
		vm := machine("well", kubevirtv1.VirtualMachineStatusRunning)
		m := &kubevirtv1.VirtualMachineInstanceMigration{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: "move",
			Annotations: map[string]string{fault.Annotation: "migration-fails"}},
			Spec: kubevirtv1.VirtualMachineInstanceMigrationSpec{VMIName: vm.Name}}
		h.must(h.Create(t.Context(), m))
		awaits(h, m, 30*time.Second, func(m *kubevirtv1.VirtualMachineInstanceMigration) string {
			if m.Status.Phase != kubevirtv1.MigrationFailed {
				return string(m.Status.Phase)
			}
			return ""
		})
		told(t, h, "VirtualMachineInstanceMigration", in, "move", "FailedMigration", "source node reported")
		vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: vm.Name}}
		h.must(h.Get(t.Context(), client.ObjectKeyFromObject(vmi), vmi))
		if s := vmi.Status.MigrationState; s == nil || !s.Failed || s.FailureReason == "" ||
			vmi.Status.NodeName != s.SourceNode {
			t.Errorf("migrationState %+v on %s", s, vmi.Status.NodeName)
		}
	})
	t.Run("quota", func(t *testing.T) {
		quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: "small"},
			Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("1")}}}
		h.must(h.Create(t.Context(), quota))
		awaits(h, quota, 30*time.Second, func(q *corev1.ResourceQuota) string {
			if used := q.Status.Used[corev1.ResourcePods]; used.Value() < 4 {
				return "used " + used.String()
			}
			return ""
		})
		change(h, well, func(np *hyperv1.NodePool) { np.Spec.Replicas = ptr.To[int32](2) })
		eventually(t, time.Minute, func() error {
			for _, vm := range h.machines("kv", "well") {
				if strings.Contains(vmSays(&vm, "Synchronized"), "exceeded quota: small") {
					return nil
				}
			}
			return fmt.Errorf("machines: %+v", h.machines("kv", "well"))
		})
		told(t, h, "VirtualMachineInstance", in, "well-", "FailedCreate", "exceeded quota: small")
	})
}

func vmSays(vm *kubevirtv1.VirtualMachine, kind string) string {
	for _, c := range vm.Status.Conditions {
		if string(c.Type) == kind {
			return fmt.Sprintf("%s %s: %s", c.Status, c.Reason, c.Message)
		}
	}
	return ""
}

func network(in, name string) client.Object {
	return named("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", in, name)
}

func claim(in, name, class string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &class,
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse("1Gi")}}}}
}
