package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Labels and annotations of the Local Storage Operator's PersistentVolumes (4.12 to 4.21).
const (
	localOwnerLabel          = "storage.openshift.com/owner-name"
	localOwnerKindLabel      = "storage.openshift.com/owner-kind"
	localOwnerNamespaceLabel = "storage.openshift.com/owner-namespace"
	localDeviceAnnotation    = "storage.openshift.com/device-name"
	localLinkAnnotation      = "storage.openshift.com/device-id"
)

// localDisk is a PersistentVolume that the Local Storage Operator made of a disk.
type localDisk struct {
	class string
	// files means that the volume has a file system: Ceph needs block devices.
	files bool
	// host is the node's hostname label. device is the kernel's name (sdb). link is the name under /dev/disk/by-id, or "".
	host, device, link string
	// claim is the namespace of the bound claim, or "" if there is none.
	claim string
	// released means that the claim was deleted: the volume cannot be bound again, and may still hold data.
	released bool
}

// free reports whether a claim for a raw disk can bind the volume.
func (v localDisk) free() bool { return !v.files && v.claim == "" && !v.released }

// claimedIn reports whether a claim of the namespace is bound to the volume.
func (v localDisk) claimedIn(namespace string) bool { return v.claim == namespace && !v.released }

func localDisks(ctx context.Context, r kube.Reader) ([]localDisk, error) {
	list := &corev1.PersistentVolumeList{}
	if err := r.List(ctx, list, client.HasLabels{localOwnerLabel}); err != nil {
		return nil, err
	}
	disks := make([]localDisk, 0, len(list.Items))
	for i := range list.Items {
		if pv := &list.Items[i]; pv.DeletionTimestamp == nil {
			disks = append(disks, newLocalDisk(pv))
		}
	}
	return disks, nil
}

func newLocalDisk(pv *corev1.PersistentVolume) localDisk {
	disk := localDisk{
		class: pv.Spec.StorageClassName, host: pv.Labels[corev1.LabelHostname],
		files:  pv.Spec.VolumeMode == nil || *pv.Spec.VolumeMode != corev1.PersistentVolumeBlock,
		device: pv.Annotations[localDeviceAnnotation], link: pv.Annotations[localLinkAnnotation],
		released: pv.Status.Phase == corev1.VolumeReleased || pv.Status.Phase == corev1.VolumeFailed,
	}
	if pv.Spec.ClaimRef != nil {
		disk.claim = pv.Spec.ClaimRef.Namespace
	}
	return disk
}

// disksOf returns the disks of a class: the free ones, and those bound to claims of the namespace.
func disksOf(all []localDisk, class, namespace string) (free, claimed []localDisk) {
	for _, d := range all {
		switch {
		case d.class != class:
		case d.free():
			free = append(free, d)
		case d.claimedIn(namespace):
			claimed = append(claimed, d)
		}
	}
	return free, claimed
}

// deviceSet is the single entry of spec.storageDeviceSets that can grow.
type deviceSet struct {
	class          string
	count, replica int64
}

// growable returns the device set, or false if there is none or more than one: then only a user can decide which one
// grows.
func growable(sc *unstructured.Unstructured) (deviceSet, bool) {
	sets := kube.Maps(sc, "spec", "storageDeviceSets")
	if len(sets) != 1 {
		return deviceSet{}, false
	}
	d := deviceSet{class: deviceClasses(sc)[0], replica: zoneReplicas}
	if kube.Flag(sc, "spec", "flexibleScaling") {
		d.replica = 1
	}
	d.count, _, _ = unstructured.NestedInt64(sets[0], "count")
	if n, ok, _ := unstructured.NestedInt64(sets[0], "replica"); ok {
		d.replica = n
	}
	return d, d.class != ""
}

// devices are the disks that a StorageCluster's device set uses, and the unused ones.
type devices struct {
	cluster *unstructured.Unstructured
	volumes []localDisk
	// zones are the zones of the storage nodes. They are read only for a device set that grows.
	zones nodeZones
	nodes []corev1.Node
	// grow means that the user requested the device set to take every disk, or up to maxCount disks if that is not zero.
	grow     bool
	maxCount int64
}

// judge adds the unused disks to the finding about a Ready StorageCluster. They are not a fault: it grows only on
// request.
func (d devices) judge(ready step.Finding) step.Finding {
	set, ok := growable(d.cluster)
	free, claimed := disksOf(d.volumes, set.class, d.cluster.GetNamespace())
	requested, used := set.count*set.replica, int64(len(claimed))
	spare := used + int64(len(free)) - max(requested, used)
	switch {
	case !ok || len(free) == 0:
		return ready
	case d.grows() && set.count < d.wanted(set):
		return step.Missing("Ready, and its device set (count %d, replica %d) can have count %d with the free volumes of "+
			"class %s", set.count, set.replica, d.wanted(set), set.class).On("%s", ready.Object).
			WithHint("%s raises the count", hint.Run("bootstrap").Flag("grow-storage"))
	case d.grows() && requested > used:
		return step.Pending("it has taken %d of the %d disks it is to use", used, requested).On("%s", ready.Object)
	case spare > 0:
		ready.Message += fmt.Sprintf("; free volumes of class %s that its device set (count %d, replica %d) does not use: %d",
			set.class, set.count, set.replica, spare)
		if ofHcctl(d.cluster) && !d.grow {
			ready.Message += fmt.Sprintf(" (%s adds them)", hint.Run("bootstrap").Flag("grow-storage"))
		}
	}
	return ready
}

// grows reports whether hcctl enlarges the device set: only that of a StorageCluster it created, and only on request.
func (d devices) grows() bool { return d.grow && ofHcctl(d.cluster) }

// wanted returns the count with which the device set takes every disk it can, at most maxCount.
func (d devices) wanted(set deviceSet) int64 {
	free, claimed := disksOf(d.volumes, set.class, d.cluster.GetNamespace())
	usable := slices.Concat(claimed, free)
	wanted := set.count
	switch set.replica {
	case 1:
		wanted = int64(len(usable))
	case zoneReplicas:
		if spread := d.zones.spread(usable); !spread.flexible {
			wanted = spread.count
		}
	}
	if d.maxCount > 0 {
		wanted = min(wanted, d.maxCount)
	}
	return wanted
}

// apply labels the nodes of the additional disks and raises the count of the device set. A merge patch replaces whole
// lists, so it writes the whole list with the resource version that was read; a conflict is retried.
func (d devices) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	set, ok := growable(d.cluster)
	if !ok || !d.grows() || set.count >= d.wanted(set) {
		return step.Unchanged, nil
	}
	added := made{source: diskSource{class: set.class}, volumes: d.volumes, nodes: d.nodes}
	labelled, err := labelStorageNodes(ctx, c, added.unlabelled())
	if err != nil {
		return labelled, err
	}
	sets := kube.Maps(d.cluster, "spec", "storageDeviceSets")
	sets[0]["count"] = d.wanted(set)
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": d.cluster.GetResourceVersion()},
		"spec":     map[string]any{"storageDeviceSets": sets},
	})
	if err != nil {
		return "", fmt.Errorf("StorageCluster %s: %w", kube.Name(d.cluster), err)
	}
	grown, err := prereq.MergePatch(ctx, c, d.cluster, string(patch))
	return step.Join(labelled, grown), err
}

// ofHcctl reports whether hcctl created the object.
func ofHcctl(o client.Object) bool { return o.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner }

// zoneReplicas is the number of replicas of a device set that is spread over zones: its operator's default.
const zoneReplicas = 3

// spread is the distribution of a StorageCluster's disks over failure domains.
type spread struct {
	// flexible means over nodes. It cannot be changed after the StorageCluster is created.
	flexible bool
	// count and replica are those of the device set.
	count, replica int64
}

// nodeZones are the zones of the storage nodes, by the label topology.kubernetes.io/zone.
type nodeZones struct {
	// hosts maps hostname labels to zones, "" for a node without a zone.
	hosts map[string]string
	// storage lists the zones of the nodes with the storage label.
	storage []string
}

func zonesOf(nodes []corev1.Node) nodeZones {
	z := nodeZones{hosts: map[string]string{}}
	for i := range nodes {
		zone := nodes[i].Labels[corev1.LabelTopologyZone]
		z.hosts[nodes[i].Labels[corev1.LabelHostname]] = zone
		if _, ok := nodes[i].Labels[storageLabel]; ok && zone != "" {
			z.storage = append(z.storage, zone)
		}
	}
	return z
}

// spread decides as the console of OpenShift Data Foundation does: over zones if there are three, else over nodes.
// ocs-operator (4.12 to 4.21) takes the same number of disks from each zone and any zone of storage nodes, so every
// zone must have disks.
func (z nodeZones) spread(disks []localDisk) spread {
	perZone := map[string]int64{}
	for _, zone := range z.storage {
		perZone[zone] = 0
	}
	for _, d := range disks {
		if zone := z.hosts[d.host]; zone != "" {
			perZone[zone]++
		}
	}
	minDisks := int64(len(disks))
	for _, n := range perZone {
		minDisks = min(minDisks, n)
	}
	if len(perZone) < zoneReplicas || minDisks == 0 {
		return spread{flexible: true, count: int64(len(disks)), replica: 1}
	}
	return spread{count: minDisks, replica: zoneReplicas}
}
