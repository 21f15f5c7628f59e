package virtualization

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// What KubeVirt calls attachment pods and what it says of their volumes (virt-controller, virt-handler).
const (
	attachmentPrefix = "hp-volume-"
	attachmentApp    = "hotplug-disk"
	reasonPodCreated = "SuccessfulCreate"
	reasonReady      = "VolumeReady"
	reasonNotReady   = "PVCNotReady"
	// attachPause is the time between two looks at a volume that is plugged in or out.
	attachPause = 300 * time.Millisecond
)

// maxOptions bounds the body of a request for a volume, in bytes.
const maxOptions = 1 << 20

// changeVolume answers PUT .../namespaces/NS/virtualmachines/NAME/addvolume and removevolume, and returns false for
// every other path. virt-api has the machine changed by way of its status; here its spec is changed at once.
func (v *virtualization) changeVolume(w http.ResponseWriter, r *http.Request) bool {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/apis/"+subresourcesGroup+"/"+subresourcesV+"/"), "/")
	if len(parts) != 5 || parts[0] != "namespaces" || parts[2] != "virtualmachines" ||
		parts[4] != "addvolume" && parts[4] != "removevolume" {
		return false
	}
	vm := &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: parts[1], Name: parts[3]}}
	err := v.Client.Get(r.Context(), client.ObjectKeyFromObject(vm), vm)
	if err == nil && vm.Spec.Template == nil {
		err = apierrors.NewBadRequest("the machine has no template")
	}
	if err == nil {
		err = v.applyVolume(r, vm, parts[4] == "addvolume")
	}
	if err != nil {
		answerError(w, err)
		return true
	}
	w.WriteHeader(http.StatusAccepted)
	return true
}

// answerError answers with a Status, as an API server does.
func answerError(w http.ResponseWriter, err error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	body := status.Status()
	body.APIVersion, body.Kind = "v1", "Status"
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(body.Code))
	_ = json.NewEncoder(w).Encode(body) // the client may have gone
}

func (v *virtualization) applyVolume(r *http.Request, vm *kubevirtv1.VirtualMachine, add bool) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxOptions))
	if err != nil {
		return err
	}
	in, out := &kubevirtv1.AddVolumeOptions{}, &kubevirtv1.RemoveVolumeOptions{}
	if add {
		err = json.Unmarshal(body, in)
	} else {
		err = json.Unmarshal(body, out)
	}
	conflict := func(why string) error {
		return apierrors.NewConflict(kubevirtv1.Resource("virtualmachine"), vm.Name, errors.New(why))
	}
	name := in.Name + out.Name
	spec := &vm.Spec.Template.Spec
	at := slices.IndexFunc(spec.Volumes, func(o kubevirtv1.Volume) bool { return o.Name == name })
	switch {
	case err != nil:
		return apierrors.NewBadRequest(err.Error())
	case name == "":
		return apierrors.NewBadRequest("the options require name to be set")
	case add && (in.Disk == nil || in.VolumeSource == nil || in.VolumeSource.DataVolume == nil):
		return apierrors.NewBadRequest("AddVolumeOptions requires disk and VolumeSource to not be nil")
	case add && at >= 0:
		return conflict(fmt.Sprintf("Unable to add volume [%s] because volume with that name already exists", name))
	case !add && at < 0:
		return conflict(fmt.Sprintf("Unable to remove volume [%s] because it does not exist", name))
	case !add && !hotpluggable(&spec.Volumes[at]):
		return conflict(fmt.Sprintf("Unable to remove volume [%s] because it is not hotpluggable", name))
	}
	return framework.ChangeShared(r.Context(), v.Client, vm, func(vm *kubevirtv1.VirtualMachine) {
		spec := &vm.Spec.Template.Spec
		devices := &spec.Domain.Devices
		if !add {
			spec.Volumes = slices.DeleteFunc(spec.Volumes, func(o kubevirtv1.Volume) bool { return o.Name == name })
			devices.Disks = slices.DeleteFunc(devices.Disks, func(o kubevirtv1.Disk) bool { return o.Name == name })
			return
		}
		source := in.VolumeSource.DataVolume.DeepCopy()
		source.Hotpluggable = true
		spec.Volumes = append(spec.Volumes, kubevirtv1.Volume{Name: name,
			VolumeSource: kubevirtv1.VolumeSource{DataVolume: source}})
		disk := *in.Disk.DeepCopy()
		disk.Name = name
		devices.Disks = append(devices.Disks, disk)
	})
}

func hotpluggable(o *kubevirtv1.Volume) bool { return o.DataVolume != nil && o.DataVolume.Hotpluggable }

// bootClaims are the claims that an instance's own pod mounts: those that were not plugged in.
func bootClaims(vmi *kubevirtv1.VirtualMachineInstance) []string {
	boot := vmi.DeepCopy()
	boot.Spec.Volumes = slices.DeleteFunc(boot.Spec.Volumes, func(o kubevirtv1.Volume) bool { return hotpluggable(&o) })
	return claimsOf(boot)
}

// handOn gives a running instance the volumes that its machine was given, and takes those that the machine lost.
func (v *virtualization) handOn(ctx context.Context, vm *kubevirtv1.VirtualMachine,
	vmi *kubevirtv1.VirtualMachineInstance) error {
	if vm.Spec.Template == nil {
		return nil
	}
	from := &vm.Spec.Template.Spec
	volumes := slices.DeleteFunc(slices.Clone(vmi.Spec.Volumes),
		func(o kubevirtv1.Volume) bool { return hotpluggable(&o) })
	for i := range from.Volumes {
		if hotpluggable(&from.Volumes[i]) {
			volumes = append(volumes, from.Volumes[i])
		}
	}
	if equality.Semantic.DeepEqual(volumes, vmi.Spec.Volumes) {
		return nil
	}
	return framework.ChangeShared(ctx, v.Client, vmi, func(vmi *kubevirtv1.VirtualMachineInstance) {
		vmi.Spec.Volumes, vmi.Spec.Domain.Devices.Disks = volumes, slices.Clone(from.Domain.Devices.Disks)
	})
}

// hotplug plays virt-controller and virt-handler for the volumes that a running instance was given: one attachment pod
// beside the launcher mounts all of them, and then they are ready. Volumes that it lost are gone when their pod is.
func (v *virtualization) hotplug(ctx context.Context, vmi *kubevirtv1.VirtualMachineInstance,
	launcher *corev1.Pod) (reconcile.Result, error) {
	var wanted []string
	for i := range vmi.Spec.Volumes {
		if hotpluggable(&vmi.Spec.Volumes[i]) {
			wanted = append(wanted, vmi.Spec.Volumes[i].Name)
		}
	}
	if len(wanted)+len(vmi.Status.VolumeStatus) == 0 {
		return reconcile.Result{}, nil
	}
	slices.Sort(wanted)
	pods := &corev1.PodList{}
	if err := v.Client.List(ctx, pods, framework.InNamespace(vmi.Namespace),
		client.MatchingLabels{kubevirtv1.AppLabel: attachmentApp}); err != nil {
		return reconcile.Result{}, err
	}
	want := attachmentPod(vmi, launcher, wanted)
	var current *corev1.Pod
	others := 0
	for i := range pods.Items {
		p := &pods.Items[i]
		switch {
		case !metav1.IsControlledBy(p, launcher):
		case p.Name == want.Name && len(wanted) > 0:
			current = p
		default:
			others++
			if err := framework.Remove(ctx, v.Client, p); err != nil {
				return reconcile.Result{}, err
			}
		}
	}
	if current == nil && len(wanted) > 0 {
		if err := framework.Create(ctx, v.Client, want); err != nil {
			return reconcile.Result{}, err
		}
	}
	statuses := volumeStatuses(vmi, wanted, current, others > 0)
	if !equality.Semantic.DeepEqual(statuses, vmi.Status.VolumeStatus) {
		if err := framework.WriteStatus(ctx, v.Client, vmi, func(vmi *kubevirtv1.VirtualMachineInstance) {
			vmi.Status.VolumeStatus = statuses
		}); err != nil {
			return reconcile.Result{}, err
		}
	}
	if others == 0 && !slices.ContainsFunc(statuses, func(s kubevirtv1.VolumeStatus) bool {
		return s.Phase != kubevirtv1.VolumeReady
	}) {
		return reconcile.Result{}, nil
	}
	return framework.RequeueAfter(v.Pace.Scale(attachPause)), nil
}

// volumeStatuses says of each volume that was plugged in how far it is. leaving reports whether a pod still has others.
func volumeStatuses(vmi *kubevirtv1.VirtualMachineInstance, wanted []string, pod *corev1.Pod,
	leaving bool) []kubevirtv1.VolumeStatus {
	var out []kubevirtv1.VolumeStatus
	for i, name := range wanted {
		s := kubevirtv1.VolumeStatus{Name: name, HotplugVolume: &kubevirtv1.HotplugVolumeStatus{}}
		switch {
		case pod == nil:
			s.Phase, s.Reason, s.Message = kubevirtv1.VolumePending, reasonNotReady, "PVC is in phase Pending"
		case !podReady(pod):
			s.HotplugVolume.AttachPodName = pod.Name
			s.Phase, s.Reason = kubevirtv1.HotplugVolumeAttachedToNode, reasonPodCreated
			s.Message = fmt.Sprintf("Created hotplug attachment pod %s, for volume %s", pod.Name, name)
		default:
			s.HotplugVolume.AttachPodName, s.HotplugVolume.AttachPodUID = pod.Name, pod.UID
			s.Phase, s.Reason, s.Target = kubevirtv1.VolumeReady, reasonReady, fmt.Sprintf("sd%c", 'a'+i%26)
			s.Message = fmt.Sprintf("Successfully attach hotplugged volume %s to VM", name)
		}
		out = append(out, s)
	}
	for _, s := range vmi.Status.VolumeStatus {
		if leaving && s.HotplugVolume != nil && !slices.Contains(wanted, s.Name) {
			s.Phase = kubevirtv1.HotplugVolumeDetaching
			out = append(out, s)
		}
	}
	return out
}

// attachmentPod returns the pod that mounts the plugged volumes of an instance. The real name is random; this one goes
// by the volumes, which prevents a second pod for them.
func attachmentPod(vmi *kubevirtv1.VirtualMachineInstance, launcher *corev1.Pod, volumes []string) *corev1.Pod {
	sum := sha256.Sum256([]byte(string(launcher.UID) + strings.Join(volumes, ",")))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: vmi.Namespace, Name: fmt.Sprintf("%s%.10x", attachmentPrefix, sum),
			Labels: map[string]string{kubevirtv1.AppLabel: attachmentApp},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(launcher,
				corev1.SchemeGroupVersion.WithKind("Pod"))},
		},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: ptr.To[int64](0), Tolerations: launcher.Spec.Tolerations,
			Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname,
						Operator: corev1.NodeSelectorOpIn, Values: []string{launcher.Spec.NodeName}}}}}}}},
			Containers: []corev1.Container{{Name: attachmentApp, Image: "sandbox.invalid/openshift-cnv/virt-launcher"}},
		},
	}
	for i, claim := range volumes {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: fmt.Sprintf("volume-%d", i),
			VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
				ClaimName: claim}}})
	}
	return pod
}
