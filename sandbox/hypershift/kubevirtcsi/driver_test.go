package kubevirtcsi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// storage is a control plane with a storage driver; mappings make it a manual one.
func storage(kind hyperv1.KubevirtStorageDriverConfigType, mappings ...string) *hyperv1.HostedControlPlane {
	hcp := &hyperv1.HostedControlPlane{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters-kv", Name: "kv"}}
	hcp.Spec.InfraID = "kv-abcde"
	hcp.Spec.Platform.Kubevirt = &hyperv1.KubevirtPlatformSpec{
		StorageDriver: &hyperv1.KubevirtStorageDriverSpec{Type: kind}}
	if kind == hyperv1.ManualKubevirtStorageDriverConfigType {
		m := &hyperv1.KubevirtManualStorageDriverConfig{}
		for _, name := range mappings {
			m.StorageClassMapping = append(m.StorageClassMapping, hyperv1.KubevirtStorageClassMapping{
				InfraStorageClassName: name, GuestStorageClassName: "guest-" + name})
			m.VolumeSnapshotClassMapping = append(m.VolumeSnapshotClassMapping, hyperv1.KubevirtVolumeSnapshotClassMapping{
				InfraVolumeSnapshotClassName: name, GuestVolumeSnapshotClassName: "guest-" + name})
		}
		hcp.Spec.Platform.Kubevirt.StorageDriver.Manual = m
	}
	return hcp
}

func TestClasses(t *testing.T) {
	for name, tc := range map[string]struct {
		hcp       *hyperv1.HostedControlPlane
		minor     int
		class     string
		infra     string
		isDefault bool
		expands   bool
		snapshots string
	}{
		"default": {storage(""), 20, "kubevirt-csi-infra-default", "", true, true, "kubevirt-csi-snapshot"},
		"before expansion": {storage(hyperv1.DefaultKubevirtStorageDriverConfigType), 17, "kubevirt-csi-infra-default",
			"", true, false, "kubevirt-csi-snapshot"},
		"manual": {storage(hyperv1.ManualKubevirtStorageDriverConfigType, "fast"), 20, "guest-fast", "fast", false, true,
			"guest-fast"},
	} {
		list := classes(tc.hcp, tc.minor)
		if len(list) != 1 {
			t.Fatalf("%s: %d classes", name, len(list))
		}
		list[0].mutate()
		class, ok := list[0].object.(*storagev1.StorageClass)
		if !ok || class.Name != tc.class || class.Provisioner != "csi.kubevirt.io" || class.Parameters["bus"] != "scsi" ||
			class.Parameters["infraStorageClassName"] != tc.infra || class.VolumeBindingMode != nil ||
			(class.Annotations[defaultAnnotation] == "true") != tc.isDefault ||
			ptr.Deref(class.AllowVolumeExpansion, false) != tc.expands {
			t.Errorf("%s: %+v", name, list[0].object)
		}
		if snaps := snapshotClasses(tc.hcp); len(snaps) != 1 || snaps[0].object.GetName() != tc.snapshots {
			t.Errorf("%s: snapshots %v", name, snaps)
		}
	}
	// Who has said that the default class is not to be the default one keeps that.
	list := classes(storage(""), 20)
	list[0].object.SetAnnotations(map[string]string{defaultAnnotation: "false"})
	list[0].mutate()
	if list[0].object.GetAnnotations()[defaultAnnotation] != "false" {
		t.Error("a class that somebody has taken the mark from gets it again")
	}
}

// bench is a guest and the management cluster below it, in memory. Its KubeVirt plugs volumes into the VM's spec alone.
type bench struct {
	*testing.T
	guest, infra client.Client
	driver       *driver
	hcp          *hyperv1.HostedControlPlane
	asked        []string
}

// inMemory keeps no managed fields: KubeVirt's kinds have numbers that those cannot read.
func inMemory(scheme *runtime.Scheme) *fake.ClientBuilder {
	return fake.NewClientBuilder().WithScheme(scheme).WithObjectTracker(
		clienttesting.NewObjectTracker(scheme, serializer.NewCodecFactory(scheme).UniversalDecoder()))
}

func newBench(t *testing.T, hcp *hyperv1.HostedControlPlane, objects ...client.Object) *bench {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, kubevirtv1.AddToScheme,
		cdiv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	vm := &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: hcp.Namespace, Name: "node-a"}}
	vm.Spec.Template = &kubevirtv1.VirtualMachineInstanceTemplateSpec{}
	vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: vm.ObjectMeta}
	b := &bench{T: t, hcp: hcp, infra: inMemory(scheme).WithObjects(vm, vmi).Build()}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-a"}}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	b.guest = inMemory(scheme).WithObjects(append(objects, node)...).
		WithStatusSubresource(&corev1.Pod{}, &corev1.PersistentVolumeClaim{}, &corev1.PersistentVolume{},
			&storagev1.VolumeAttachment{}).
		WithInterceptorFuncs(interceptor.Funcs{SubResourceCreate: bind}).Build()
	server := httptest.NewServer(http.HandlerFunc(b.plug))
	t.Cleanup(server.Close)
	subresources, err := subresourceClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	b.driver = &driver{Base: reconciler.Base{Env: operator.Env{Live: b.infra}}, subresources: subresources}
	return b
}

// bind gives a pod its node, which the client in memory does not.
func bind(ctx context.Context, c client.Client, _ string, o client.Object, sub client.Object,
	_ ...client.SubResourceCreateOption) error {
	pod, binding := &corev1.Pod{}, sub.(*corev1.Binding)
	if err := c.Get(ctx, client.ObjectKeyFromObject(o), pod); err != nil {
		return err
	}
	pod.Spec.NodeName = binding.Target.Name
	return c.Update(ctx, pod)
}

// plug answers KubeVirt's subresources.
func (b *bench) plug(w http.ResponseWriter, r *http.Request) {
	vm, options := &kubevirtv1.VirtualMachine{}, &kubevirtv1.AddVolumeOptions{}
	b.asked = append(b.asked, r.Method+" "+r.URL.Path)
	if err := json.NewDecoder(r.Body).Decode(options); err != nil {
		b.Error(err)
	}
	b.must(b.infra.Get(b.Context(), client.ObjectKey{Namespace: b.hcp.Namespace, Name: "node-a"}, vm))
	volumes := &vm.Spec.Template.Spec.Volumes
	if path.Base(r.URL.Path) == "addvolume" {
		*volumes = append(*volumes, kubevirtv1.Volume{Name: options.Name})
	} else {
		*volumes = slices.DeleteFunc(*volumes, func(v kubevirtv1.Volume) bool { return v.Name == options.Name })
	}
	b.must(b.infra.Update(b.Context(), vm))
	w.WriteHeader(http.StatusAccepted)
}

// running says which volumes the running VM has.
func (b *bench) running(statuses ...kubevirtv1.VolumeStatus) {
	b.Helper()
	vmi := &kubevirtv1.VirtualMachineInstance{}
	b.must(b.infra.Get(b.Context(), client.ObjectKey{Namespace: b.hcp.Namespace, Name: "node-a"}, vmi))
	vmi.Status.VolumeStatus = statuses
	b.must(b.infra.Update(b.Context(), vmi))
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Error(err)
	}
}

// rounds has the driver look so many times.
func (b *bench) rounds(n int) {
	b.Helper()
	for range n {
		r := &round{driver: b.driver, hcp: b.hcp, guest: b.guest}
		_, err := r.play(b.Context())
		b.must(ignoreRaces(err))
	}
}

// count is how many objects of a list there are.
func count[T client.ObjectList](b *bench, c client.Client, list T, n func(T) int) int {
	b.Helper()
	b.must(c.List(b.Context(), list))
	return n(list)
}

func (b *bench) volumes() int {
	return count(b, b.guest, &corev1.PersistentVolumeList{}, func(l *corev1.PersistentVolumeList) int {
		return len(l.Items)
	})
}

func (b *bench) disks() int {
	return count(b, b.infra, &cdiv1.DataVolumeList{}, func(l *cdiv1.DataVolumeList) int { return len(l.Items) })
}

func claimed(class string) (*storagev1.StorageClass, *corev1.PersistentVolumeClaim, *corev1.Pod) {
	sc := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Provisioner: driverName}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "data", UID: "u1",
		Finalizers: []string{claimProtection}}}
	claim.Spec.StorageClassName = &class
	claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "app", Name: "writer", UID: "u2"}}
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	return sc, claim, pod
}

// TestVolume has a claim become a volume that is plugged into the VM of its pod, and go again.
func TestVolume(t *testing.T) {
	class, claim, pod := claimed("guest-fast")
	class.Parameters = map[string]string{infraClassParameter: "fast"}
	b := newBench(t, storage(hyperv1.ManualKubevirtStorageDriverConfigType, "fast"), class, claim)
	b.rounds(2)
	dv := &cdiv1.DataVolume{}
	b.must(b.infra.Get(t.Context(), client.ObjectKey{Namespace: "clusters-kv", Name: "pvc-u1"}, dv))
	if ptr.Deref(dv.Spec.Storage.StorageClassName, "") != "fast" || dv.Spec.Source.Blank == nil ||
		dv.Labels["hypershift.openshift.io/infra-id"] != "kv-abcde" {
		t.Errorf("DataVolume %+v", dv)
	}
	b.must(b.guest.Get(t.Context(), client.ObjectKeyFromObject(claim), claim))
	if claim.Status.Phase != corev1.ClaimBound || claim.Spec.VolumeName != "pvc-u1" || len(b.asked) > 0 {
		t.Errorf("claim %+v, asked %v", claim, b.asked)
	}

	b.must(b.guest.Create(t.Context(), pod))
	b.rounds(3)
	phase := func() corev1.PodPhase {
		b.must(b.guest.Get(t.Context(), client.ObjectKeyFromObject(pod), pod))
		return pod.Status.Phase
	}
	const at = "PUT /apis/subresources.kubevirt.io/v1/namespaces/clusters-kv/virtualmachines/node-a/"
	if !slices.Equal(b.asked, []string{at + "addvolume"}) || phase() != "" || pod.Spec.NodeName != "node-a" {
		t.Errorf("asked %v, the pod is %q on %q: the VM has not plugged in the volume yet", b.asked, pod.Status.Phase,
			pod.Spec.NodeName)
	}
	b.running(kubevirtv1.VolumeStatus{Name: "pvc-u1", Phase: kubevirtv1.HotplugVolumeAttachedToNode})
	b.rounds(1)
	if phase() != "" {
		t.Errorf("the pod is %s before its volume is ready", pod.Status.Phase)
	}
	b.running(kubevirtv1.VolumeStatus{Name: "pvc-u1", Phase: kubevirtv1.VolumeReady})
	b.rounds(1)
	if phase() != corev1.PodRunning {
		t.Errorf("the pod is %q", pod.Status.Phase)
	}

	// The claim is held while its pod runs; then the volume is plugged out before it goes.
	b.must(b.guest.Delete(t.Context(), claim))
	b.rounds(1)
	b.rounds(2)
	if phase() != corev1.PodSucceeded || !slices.Contains(b.asked, at+"removevolume") {
		t.Errorf("the pod is %q, asked %v", pod.Status.Phase, b.asked)
	}
	if b.volumes() != 1 || b.disks() != 1 {
		t.Errorf("%d volumes, %d disks although the VM has it still", b.volumes(), b.disks())
	}
	b.running()
	b.rounds(3)
	if b.volumes()+b.disks() != 0 {
		t.Errorf("%d volumes, %d disks are left", b.volumes(), b.disks())
	}
}

func TestFirstConsumer(t *testing.T) {
	class, claim, pod := claimed("late")
	class.VolumeBindingMode = ptr.To(storagev1.VolumeBindingWaitForFirstConsumer)
	b := newBench(t, storage(""), class, claim)
	if b.rounds(2); b.volumes()+b.disks() != 0 {
		t.Error("there is a volume before there is a pod")
	}
	b.must(b.guest.Create(t.Context(), pod))
	if b.rounds(1); b.volumes() != 1 || b.disks() != 1 {
		t.Error("the pod's claim has no volume")
	}
}

func TestRefusedClaims(t *testing.T) {
	for name, edit := range map[string]func(*storagev1.StorageClass, *corev1.PersistentVolumeClaim){
		"a class that is not mapped": func(c *storagev1.StorageClass, _ *corev1.PersistentVolumeClaim) {
			c.Parameters = map[string]string{infraClassParameter: "other"}
		},
		"no class of the management cluster": func(*storagev1.StorageClass, *corev1.PersistentVolumeClaim) {},
		"shared files": func(c *storagev1.StorageClass, p *corev1.PersistentVolumeClaim) {
			c.Parameters = map[string]string{infraClassParameter: "fast"}
			p.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
		},
	} {
		class, claim, _ := claimed("guest-fast")
		edit(class, claim)
		b := newBench(t, storage(hyperv1.ManualKubevirtStorageDriverConfigType, "fast"), class, claim)
		b.rounds(2)
		events := &corev1.EventList{}
		b.must(b.guest.List(t.Context(), events))
		if len(events.Items) != 1 || events.Items[0].Reason != "ProvisioningFailed" || b.volumes()+b.disks() != 0 {
			t.Errorf("%s: %+v", name, events.Items)
		}
	}
}
