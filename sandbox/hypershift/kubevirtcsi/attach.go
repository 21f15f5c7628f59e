package kubevirtcsi

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// attacherFinalizer is external-attacher's, on the attachment and on its volume.
const attacherFinalizer = "external-attacher/csi-kubevirt-io"

// subresourceClient reaches KubeVirt's subresources through the management cluster's API server.
func subresourceClient(config *rest.Config) (rest.Interface, error) {
	c := rest.CopyConfig(config)
	c.APIPath, c.GroupVersion = "/apis", &kubevirtv1.StorageGroupVersion
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	out, err := rest.RESTClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("reach KubeVirt's subresources: %w", err)
	}
	return out, nil
}

// ask asks for a volume of a VM to be plugged in or out.
func (r *round) ask(ctx context.Context, machine, subresource string, options any) error {
	body, err := json.Marshal(options)
	if err != nil {
		return fmt.Errorf("encode a request to KubeVirt: %w", err)
	}
	path := fmt.Sprintf("/apis/subresources.kubevirt.io/%s/namespaces/%s/virtualmachines/%s/%s",
		kubevirtv1.ApiStorageVersion, r.hcp.Namespace, machine, subresource)
	if err := r.subresources.Put().AbsPath(path).Body(body).Do(ctx).Error(); err != nil {
		return fmt.Errorf("%s of VirtualMachine %s: %w", subresource, r.inInfra(machine), err)
	}
	return nil
}

// attachmentName is how Kubernetes' attach/detach controller names an attachment.
func attachmentName(handle, node string) string {
	return fmt.Sprintf("csi-%x", sha256.Sum256([]byte(handle+driverName+node)))
}

// attached reports whether a claim's volume is attached to a node.
func (r *round) attached(claim *corev1.PersistentVolumeClaim, node string) bool {
	pv := r.volumeOf(claim)
	return pv != nil && slices.ContainsFunc(r.attachments, func(a storagev1.VolumeAttachment) bool {
		return a.Name == attachmentName(pv.Spec.CSI.VolumeHandle, node) && a.Status.Attached && a.DeletionTimestamp == nil
	})
}

// attach makes the attachments that pods with a node need, and plugs their volumes into the VMs.
func (r *round) attach(ctx context.Context) error {
	for i := range r.pods {
		pod := &r.pods[i]
		if pod.Spec.NodeName == "" || pod.DeletionTimestamp != nil || !alive(pod) {
			continue
		}
		for _, claim := range r.claimsOf(pod) {
			pv := r.volumeOf(claim)
			if pv == nil {
				continue
			}
			va := &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{
				Name: attachmentName(pv.Spec.CSI.VolumeHandle, pod.Spec.NodeName), Finalizers: []string{attacherFinalizer}}}
			if slices.ContainsFunc(r.attachments, func(a storagev1.VolumeAttachment) bool { return a.Name == va.Name }) {
				continue
			}
			va.Spec = storagev1.VolumeAttachmentSpec{Attacher: driverName, NodeName: pod.Spec.NodeName,
				Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &pv.Name}}
			if err := r.guest.Create(ctx, va); client.IgnoreAlreadyExists(err) != nil {
				return fmt.Errorf("attach a volume in a guest: %w", err)
			}
			r.attachments = append(r.attachments, *va)
		}
	}
	for i := range r.attachments {
		va := &r.attachments[i]
		if va.DeletionTimestamp != nil || va.Status.Attached {
			continue
		}
		plugged, err := r.plug(ctx, va)
		if err != nil {
			return err
		}
		if !plugged {
			continue
		}
		before := va.DeepCopy()
		va.Status.Attached = true
		if err := r.guest.Status().Patch(ctx, va, client.MergeFrom(before)); err != nil {
			return fmt.Errorf("attach a volume in a guest: %w", err)
		}
	}
	return nil
}

// plug asks for a volume to be plugged into the VM of the attachment's node, and reports whether the VM has it
// (ControllerPublishVolume).
func (r *round) plug(ctx context.Context, va *storagev1.VolumeAttachment) (bool, error) {
	at := slices.IndexFunc(r.volumes, func(v corev1.PersistentVolume) bool {
		return v.Name == ptr.Deref(va.Spec.Source.PersistentVolumeName, "")
	})
	if at < 0 {
		return false, nil
	}
	csi := r.volumes[at].Spec.CSI
	inSpec, phase, err := r.plugged(ctx, va.Spec.NodeName, csi.VolumeHandle)
	if err != nil || inSpec {
		return inSpec && phase == kubevirtv1.VolumeReady, err
	}
	return false, r.ask(ctx, va.Spec.NodeName, "addvolume", &kubevirtv1.AddVolumeOptions{
		Name: csi.VolumeHandle,
		Disk: &kubevirtv1.Disk{Serial: csi.VolumeAttributes[serialParameter], DiskDevice: kubevirtv1.DiskDevice{
			Disk: &kubevirtv1.DiskTarget{Bus: kubevirtv1.DiskBus(csi.VolumeAttributes[busParameter])}}},
		VolumeSource: &kubevirtv1.HotplugVolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: csi.VolumeHandle}},
	})
}

// plugged reports whether a VM is to have a volume, and the phase of that volume in the running VM, "" if it has none.
func (r *round) plugged(ctx context.Context, machine, volume string) (bool, kubevirtv1.VolumePhase, error) {
	vm, vmi := &kubevirtv1.VirtualMachine{}, &kubevirtv1.VirtualMachineInstance{}
	err := r.Live.Get(ctx, r.inInfra(machine), vm)
	if client.IgnoreNotFound(err) != nil {
		return false, "", fmt.Errorf("read VirtualMachine %s: %w", r.inInfra(machine), err)
	}
	inSpec := vm.Spec.Template != nil && slices.ContainsFunc(vm.Spec.Template.Spec.Volumes,
		func(v kubevirtv1.Volume) bool { return v.Name == volume })
	err = r.Live.Get(ctx, r.inInfra(machine), vmi)
	if client.IgnoreNotFound(err) != nil {
		return false, "", fmt.Errorf("read VirtualMachineInstance %s: %w", r.inInfra(machine), err)
	}
	for _, s := range vmi.Status.VolumeStatus {
		if s.Name == volume {
			return inSpec, s.Phase, nil
		}
	}
	return inSpec, "", nil
}

// detach ends the attachments that no pod needs, and plugs their volumes out.
func (r *round) detach(ctx context.Context) error {
	for i := range r.attachments {
		va := &r.attachments[i]
		if va.DeletionTimestamp == nil {
			if r.needed(va) {
				continue
			}
			if err := r.guest.Delete(ctx, va); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("detach a volume in a guest: %w", err)
			}
		}
		out, err := r.unplug(ctx, va)
		if err != nil {
			return err
		}
		if !out {
			continue
		}
		if err := r.without(ctx, va, attacherFinalizer); err != nil {
			return err
		}
	}
	return nil
}

// needed reports whether a pod uses the volume of an attachment on its node.
func (r *round) needed(va *storagev1.VolumeAttachment) bool {
	for i := range r.pods {
		pod := &r.pods[i]
		if pod.Spec.NodeName != va.Spec.NodeName || !alive(pod) {
			continue
		}
		for _, claim := range r.claimsOf(pod) {
			if pv := r.volumeOf(claim); pv != nil && pv.Name == ptr.Deref(va.Spec.Source.PersistentVolumeName, "") {
				return true
			}
		}
	}
	return false
}

// unplug asks for a volume to be taken out of its VM, and reports whether the VM has lost it
// (ControllerUnpublishVolume).
func (r *round) unplug(ctx context.Context, va *storagev1.VolumeAttachment) (bool, error) {
	volume := ptr.Deref(va.Spec.Source.PersistentVolumeName, "") // the driver names both alike
	inSpec, phase, err := r.plugged(ctx, va.Spec.NodeName, volume)
	if err != nil || !inSpec {
		return !inSpec && phase == "", err
	}
	err = r.ask(ctx, va.Spec.NodeName, "removevolume", &kubevirtv1.RemoveVolumeOptions{Name: volume})
	if apierrors.IsNotFound(err) {
		err = nil
	}
	return false, err
}
