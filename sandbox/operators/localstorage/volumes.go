package localstorage

import (
	"context"
	"fmt"
	"hash/fnv"
	"path"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operators/internal/disks"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// volumesOf returns the volumes of a LocalVolumeSet or LocalVolume.
func (s *localStorage) volumesOf(ctx context.Context,
	lvs *unstructured.Unstructured) ([]corev1.PersistentVolume, error) {
	list := &corev1.PersistentVolumeList{}
	err := s.Client.List(ctx, list, client.MatchingLabels{ownerKindLabel: lvs.GetKind(),
		ownerNameLabel: lvs.GetName(), ownerSpaceLabel: lvs.GetNamespace()})
	return list.Items, err
}

// volumes creates the volumes of a set and returns their number. It deletes a released volume, whose disk becomes a new
// volume at the next reconcile.
func (s *localStorage) volumes(ctx context.Context, lvs *unstructured.Unstructured, class string,
	want deviceFilter) (int64, error) {
	if err := s.clean(ctx, lvs); err != nil {
		return 0, err
	}
	all := &corev1.PersistentVolumeList{}
	if err := s.Client.List(ctx, all); err != nil {
		return 0, err
	}
	taken := map[string]bool{}
	perNode := map[string]int64{}
	var count int64
	for i := range all.Items {
		pv := &all.Items[i]
		if pv.Annotations[disks.DeviceAnnotation] == "" {
			continue
		}
		mine := pv.Labels[ownerNameLabel] == lvs.GetName() && pv.Labels[ownerSpaceLabel] == lvs.GetNamespace()
		node := pv.Labels[corev1.LabelHostname]
		taken[node+"/"+pv.Annotations[disks.DeviceAnnotation]] = true
		if mine {
			count++
			perNode[node]++
		}
	}
	nodes := &corev1.NodeList{}
	if err := s.Client.List(ctx, nodes); err != nil {
		return 0, err
	}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		if ok, err := want.Matches(node); err != nil || !ok {
			if err != nil {
				return 0, err
			}
			continue
		}
		devices, err := disks.Of(node)
		if err != nil {
			return 0, err
		}
		for _, d := range disks.WithoutChildren(devices) {
			full := want.maxCount != nil && perNode[node.Name] >= *want.maxCount
			if full || taken[node.Name+"/"+path.Base(d.Path)] || !want.matches(d) {
				continue
			}
			if err := framework.Create(ctx, s.Client, s.localVolume(lvs, class, want.mode, node.Name, d)); err != nil {
				return 0, err
			}
			perNode[node.Name]++
			count++
		}
	}
	return count, nil
}

// localVolume is the volume of a disk, for a LocalVolumeSet or a LocalVolume. Only a disk with a link under
// /dev/disk/by-id has the annotation that names it.
func (s *localStorage) localVolume(owner *unstructured.Unstructured, class string, mode corev1.PersistentVolumeMode,
	node string, d disks.Disk) *corev1.PersistentVolume {
	device := path.Base(d.Path)
	id := fnv.New32a()
	_, _ = id.Write([]byte(device + node + class))
	link := path.Base(d.DeviceID)
	if d.DeviceID == "" {
		link = device
	}
	pv := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("local-pv-%x", id.Sum32()),
			Labels: map[string]string{
				corev1.LabelHostname: node, ownerKindLabel: owner.GetKind(),
				ownerNameLabel: owner.GetName(), ownerSpaceLabel: owner.GetNamespace(),
			},
			Annotations: map[string]string{
				"pv.kubernetes.io/provisioned-by": "local-volume-provisioner-" + node,
				disks.DeviceAnnotation:            device,
			},
		},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity(d.Size,
				resource.BinarySI)},
			AccessModes:                   []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
			StorageClassName:              class,
			VolumeMode:                    ptr.To(mode),
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				Local: &corev1.LocalVolumeSource{Path: path.Join("/mnt/local-storage", class, link)},
			},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
					}},
				}}}},
		},
	}
	if framework.AtLeast(s.Profile.Minor(), "4.18") {
		pv.Finalizers = []string{linkFinalizer}
	}
	if d.DeviceID != "" {
		pv.Annotations["storage.openshift.com/device-id"] = link
	}
	return pv
}

// results writes one LocalVolumeDiscoveryResult per selected node. The disk maker reads only the discovery with its
// fixed name, so any other has no results.
func (s *localStorage) results(ctx context.Context, lvd *unstructured.Unstructured, where disks.Placement) error {
	if lvd.GetName() != localDiscoveryName {
		return nil
	}
	volumes := &corev1.PersistentVolumeList{}
	if err := s.Client.List(ctx, volumes); err != nil {
		return err
	}
	used := map[string]bool{}
	for _, pv := range volumes.Items {
		if pv.Status.Phase == corev1.VolumeBound {
			used[pv.Labels[corev1.LabelHostname]+"/"+pv.Annotations[disks.DeviceAnnotation]] = true
		}
	}
	nodes := &corev1.NodeList{}
	if err := s.Client.List(ctx, nodes); err != nil {
		return err
	}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		if ok, err := where.Matches(node); err != nil || !ok {
			if err != nil {
				return err
			}
			continue
		}
		devices, err := disks.Of(node)
		if err != nil {
			return err
		}
		devices = disks.WithoutChildren(devices)
		for i := range devices {
			// The real lsblk shows the signature of a storage cluster's disk, here always bluestore.
			if used[node.Name+"/"+path.Base(devices[i].Path)] {
				devices[i].State, devices[i].FSType = "NotAvailable", "ceph_bluestore"
			}
		}
		if err := s.result(ctx, lvd, node.Name, devices); err != nil {
			return err
		}
	}
	return nil
}

func (s *localStorage) result(ctx context.Context, lvd *unstructured.Unstructured, node string,
	found []disks.Disk) error {
	r := framework.Unstructured(localStorageKind("LocalVolumeDiscoveryResult"))
	r.SetNamespace(lvd.GetNamespace())
	r.SetName("discovery-result-" + node)
	err := framework.Ensure(ctx, s.Client, r, func(o *unstructured.Unstructured) {
		o.SetLabels(map[string]string{"discovery-result-node": node})
		o.SetOwnerReferences([]metav1.OwnerReference{{
			APIVersion: lvd.GetAPIVersion(), Kind: lvd.GetKind(), Name: lvd.GetName(), UID: lvd.GetUID(),
		}})
		framework.Set(o, node, "spec", "nodeName")
	})
	if err != nil {
		return err
	}
	devices := make([]any, 0, len(found))
	for _, d := range found {
		devices = append(devices, map[string]any{
			"path": d.Path, "deviceID": d.DeviceID, "size": d.Size, "type": d.Type, "property": d.Property,
			"fstype": d.FSType, "model": d.Model, "vendor": d.Vendor, "serial": d.Serial,
			"status": map[string]any{"state": d.State},
		})
	}
	return framework.WriteStatus(ctx, s.Client, r, func(o *unstructured.Unstructured) {
		old, _, _ := unstructured.NestedSlice(o.Object, "status", "discoveredDevices")
		if fmt.Sprint(old) == fmt.Sprint(devices) && len(old) == len(devices) {
			return
		}
		framework.Set(o, devices, "status", "discoveredDevices")
		framework.Set(o, time.Now().UTC().Format(time.RFC3339), "status", "discoveredTimeStamp")
	})
}
