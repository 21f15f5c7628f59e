package nodepool

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

func testPool() *hyperv1.NodePool {
	return &hyperv1.NodePool{
		ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv"},
		Spec: hyperv1.NodePoolSpec{
			ClusterName: "kv", Release: hyperv1.Release{Image: release.Repository + ":4.20.3-multi"},
			Platform: hyperv1.NodePoolPlatform{Type: hyperv1.KubevirtPlatform, Kubevirt: &hyperv1.KubevirtNodePoolPlatform{
				Compute: &hyperv1.KubevirtCompute{Memory: ptr.To(resource.MustParse("8Gi")), Cores: ptr.To[uint32](2)},
				RootVolume: &hyperv1.KubevirtRootVolume{
					KubevirtVolume: hyperv1.KubevirtVolume{
						Type: hyperv1.KubevirtVolumeTypePersistent,
						Persistent: &hyperv1.KubevirtPersistentVolume{
							Size: ptr.To(resource.MustParse("32Gi")), StorageClass: ptr.To("fast"),
							AccessModes: []hyperv1.PersistentVolumeAccessMode{"ReadWriteMany"},
						},
					},
				},
			}},
		},
	}
}

func TestRenderMachine(t *testing.T) {
	vm := renderMachine(testPool(), "kv-abcde", "clusters-kv", "kv-11111-aaaaa", "user-data-kv-11111", "4.20.3")
	if ptr.Deref(vm.Spec.RunStrategy, "") != kubevirtv1.RunStrategyAlways {
		t.Errorf("runStrategy is %v", vm.Spec.RunStrategy)
	}
	for key, want := range map[string]string{hyperv1.InfraIDLabel: "kv-abcde", hyperv1.NodePoolNameLabel: "kv"} {
		if vm.Labels[key] != want || vm.Spec.Template.ObjectMeta.Labels[key] != want {
			t.Errorf("label %s is %q on the machine, %q on its template", key, vm.Labels[key],
				vm.Spec.Template.ObjectMeta.Labels[key])
		}
	}
	spec := vm.Spec.Template.Spec
	if spec.Domain.CPU == nil || spec.Domain.CPU.Cores != 2 || spec.Domain.Memory.Guest.String() != "8Gi" {
		t.Errorf("size is %+v %+v", spec.Domain.CPU, spec.Domain.Memory)
	}
	if ptr.Deref(spec.EvictionStrategy, "") != kubevirtv1.EvictionStrategyExternal {
		t.Errorf("evictionStrategy is %v", spec.EvictionStrategy)
	}
	if len(spec.Networks) != 1 || spec.Networks[0].Pod == nil {
		t.Errorf("networks are %+v", spec.Networks)
	}
	dv := vm.Spec.DataVolumeTemplates[0]
	if dv.Name != spec.Volumes[0].DataVolume.Name {
		t.Errorf("the volume is called %s, the machine uses %s", dv.Name, spec.Volumes[0].DataVolume.Name)
	}
	size := dv.Spec.Storage.Resources.Requests[corev1.ResourceStorage]
	if size.String() != "32Gi" || *dv.Spec.Storage.StorageClassName != "fast" ||
		dv.Spec.Storage.AccessModes[0] != corev1.ReadWriteMany {
		t.Errorf("the root volume is %+v", dv.Spec.Storage)
	}
}

func TestGuaranteedMachineHasRequestsForLimits(t *testing.T) {
	np := testPool()
	np.Spec.Platform.Kubevirt.Compute.QosClass = ptr.To(hyperv1.QoSClassGuaranteed)
	domain := renderMachine(np, "i", "n", "m", "u", "4.20.3").Spec.Template.Spec.Domain
	if domain.CPU != nil || domain.Resources.Limits.Cpu().Value() != 2 || !domain.Resources.Requests.Memory().
		Equal(*domain.Resources.Limits.Memory()) {
		t.Errorf("domain is %+v", domain)
	}
}

func TestPlatformCheck(t *testing.T) {
	np := testPool()
	if err := checkPlatform(np); err != nil {
		t.Errorf("a good platform: %v", err)
	}
	np.Spec.Platform.Kubevirt.AttachDefaultNetwork = ptr.To(false)
	if err := checkPlatform(np); err == nil || err.Error() != "default network cannot be disabled when no additional "+
		"networks are configured" {
		t.Errorf("no network at all: %v", err)
	}
}

func TestPatched(t *testing.T) {
	vm := renderMachine(testPool(), "kv-abcde", "clusters-kv", "kv-11111-aaaaa", "user-data-kv-11111", "4.20.3")
	got, err := patched(vm, "", `[{"op":"add","path":"/spec/template/spec/topologySpreadConstraints","value":`+
		`[{"topologyKey":"rack","maxSkew":1,"whenUnsatisfiable":"DoNotSchedule"}]}]`,
		`[{"op":"add",`+
			`"path":"/spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/-",`+
			`"value":{"topologyKey":"kubernetes.io/hostname"}}]`)
	if err != nil {
		t.Fatal(err)
	}
	spec := got.Spec.Template.Spec
	if len(spec.TopologySpreadConstraints) != 1 || spec.TopologySpreadConstraints[0].TopologyKey != "rack" ||
		len(spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) != 1 {
		t.Errorf("%+v, %+v", spec.TopologySpreadConstraints, spec.Affinity)
	}
	if got.Name != vm.Name || got.Labels[hyperv1.NodePoolNameLabel] != "kv" {
		t.Errorf("the rest is %+v", got.ObjectMeta)
	}
	if _, err := patched(vm, "[{]"); err == nil {
		t.Error("a spoiled patch was applied")
	}
}
