package storage

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Labels and annotations of the Local Storage Operator's PersistentVolumes.
const (
	localOwnerLabel       = "storage.openshift.com/owner-name"
	localDeviceAnnotation = "storage.openshift.com/device-name"
	localLinkAnnotation   = "storage.openshift.com/device-id"
)

// localDisk is a PersistentVolume the Local Storage Operator has made of a disk.
type localDisk struct {
	class string
	// host is the node's hostname label; device the kernel's name (sdb), link the name under /dev/disk/by-id.
	host, device, link string
	// claim is the namespace of the claim that has it, or had it; "" means it is free.
	claim string
}

func localDisks(ctx context.Context, r kube.Reader) ([]localDisk, error) {
	list := &corev1.PersistentVolumeList{}
	if err := r.List(ctx, list, client.HasLabels{localOwnerLabel}); err != nil {
		return nil, err
	}
	disks := make([]localDisk, 0, len(list.Items))
	for i := range list.Items {
		pv := &list.Items[i]
		if pv.DeletionTimestamp != nil {
			continue
		}
		disk := localDisk{
			class: pv.Spec.StorageClassName, host: pv.Labels[corev1.LabelHostname],
			device: pv.Annotations[localDeviceAnnotation], link: pv.Annotations[localLinkAnnotation],
		}
		if pv.Spec.ClaimRef != nil {
			disk.claim = pv.Spec.ClaimRef.Namespace
		}
		disks = append(disks, disk)
	}
	return disks, nil
}

// disksOf counts those of a class: the free ones, and those that claims of the namespace have.
func disksOf(all []localDisk, class, namespace string) (free, claimed int64) {
	for _, d := range all {
		switch {
		case d.class != class:
		case d.claim == "":
			free++
		case d.claim == namespace:
			claimed++
		}
	}
	return free, claimed
}

// deviceSet is the one entry of spec.storageDeviceSets that can be made larger, disk by disk.
type deviceSet struct {
	class          string
	count, replica int64
}

// growable returns it, or false where there is none or more than one: then only a person knows which is to grow.
func growable(sc *unstructured.Unstructured) (deviceSet, bool) {
	sets := kube.Maps(sc, "spec", "storageDeviceSets")
	if len(sets) != 1 {
		return deviceSet{}, false
	}
	d := deviceSet{class: deviceClasses(sc)[0], replica: 3} // 3 is its operator's default
	d.count, _, _ = unstructured.NestedInt64(sets[0], "count")
	if n, ok, _ := unstructured.NestedInt64(sets[0], "replica"); ok {
		d.replica = n
	}
	return d, d.class != ""
}

// judgeDevices says whether there are disks that a Ready StorageCluster does not use. hcctl adds them to one that it
// created; for any other it only reports them.
func judgeDevices(sc *unstructured.Unstructured, volumes []localDisk, ready step.Finding) step.Finding {
	set, ok := growable(sc)
	free, claimed := disksOf(volumes, set.class, sc.GetNamespace())
	asked := set.count * set.replica
	switch {
	case !ok || free == 0:
		return ready
	case sc.GetLabels()[kube.ManagedByLabel] != kube.FieldOwner || set.replica != 1:
		ready.Message += fmt.Sprintf("; free volumes of class %s that its device set (count %d, replica %d) does not use: %d",
			set.class, set.count, set.replica, free)
		return ready
	case asked < claimed+free:
		return step.Missing("Ready, and uses %d of the %d disks that are volumes of class %s", asked, claimed+free,
			set.class).On("%s", ready.Object).
			WithHint("hcctl bootstrap raises the count of its device set")
	}
	return step.Pending("it has taken %d of the %d disks it is to use", claimed, asked).On("%s", ready.Object)
}

// grow raises the count of the device set to all disks there are. A merge patch replaces lists as a whole, so the whole
// list is written, and only if nobody has changed the StorageCluster since it was read: a lost race is a conflict,
// which is tried again.
func (s storageCluster) grow(ctx context.Context, c *kube.Client, sc *unstructured.Unstructured,
	volumes []localDisk) (step.Change,
	error) {
	set, ok := growable(sc)
	free, claimed := disksOf(volumes, set.class, sc.GetNamespace())
	if !ok || set.count >= claimed+free {
		return step.Unchanged, nil
	}
	sets := kube.Maps(sc, "spec", "storageDeviceSets")
	sets[0]["count"] = claimed + free
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": sc.GetResourceVersion()},
		"spec":     map[string]any{"storageDeviceSets": sets},
	})
	if err != nil {
		return "", fmt.Errorf("StorageCluster %s: %w", kube.Name(sc), err)
	}
	return prereq.MergePatch(ctx, c, sc, string(patch))
}
