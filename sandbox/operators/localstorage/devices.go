package localstorage

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/sandbox/operators/internal/disks"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	ownerKindLabel  = "storage.openshift.com/owner-kind"
	ownerNameLabel  = "storage.openshift.com/owner-name"
	ownerSpaceLabel = "storage.openshift.com/owner-namespace"
)

// deviceFilter has the nodes and devices that a LocalVolumeSet selects.
type deviceFilter struct {
	disks.Placement
	mode      corev1.PersistentVolumeMode
	maxCount  *int64
	inclusion struct {
		DeviceTypes                []string `json:"deviceTypes"`
		DeviceMechanicalProperties []string `json:"deviceMechanicalProperties"`
		MinSize                    string   `json:"minSize"`
		MaxSize                    string   `json:"maxSize"`
		Models                     []string `json:"models"`
		Vendors                    []string `json:"vendors"`
	}
	minSize, maxSize int64
}

func wantedDevices(lvs *unstructured.Unstructured) (deviceFilter, error) {
	w := deviceFilter{mode: corev1.PersistentVolumeFilesystem}
	var err error
	if w.Placement, err = disks.PlacementOf(lvs); err != nil {
		return w, err
	}
	if m := framework.Text(lvs, "spec", "volumeMode"); m != "" {
		w.mode = corev1.PersistentVolumeMode(m)
	}
	if n, ok, _ := unstructured.NestedInt64(lvs.Object, "spec", "maxDeviceCount"); ok {
		w.maxCount = &n
	}
	if _, err := framework.Read(lvs, &w.inclusion, "spec", "deviceInclusionSpec"); err != nil {
		return w, err
	}
	if len(w.inclusion.DeviceTypes) == 0 {
		w.inclusion.DeviceTypes = []string{"disk"}
	}
	if w.minSize, err = sizeOf(w.inclusion.MinSize, 1<<30); err != nil {
		return w, fmt.Errorf("minSize: %w", err)
	}
	if w.maxSize, err = sizeOf(w.inclusion.MaxSize, 0); err != nil {
		return w, fmt.Errorf("maxSize: %w", err)
	}
	return w, nil
}

func sizeOf(quantity string, otherwise int64) (int64, error) {
	if quantity == "" {
		return otherwise, nil
	}
	q, err := resource.ParseQuantity(quantity)
	return q.Value(), err
}

// matches reports whether the set selects this disk.
func (w deviceFilter) matches(d disks.Disk) bool {
	in := w.inclusion
	names := func(patterns []string, name string) bool {
		return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
			return strings.Contains(strings.ToLower(name), strings.ToLower(p))
		})
	}
	return d.State == "Available" && d.FSType == "" && !d.Removable &&
		slices.ContainsFunc(in.DeviceTypes, func(t string) bool { return strings.EqualFold(t, d.Type) }) &&
		(len(in.DeviceMechanicalProperties) == 0 || slices.Contains(in.DeviceMechanicalProperties, d.Property)) &&
		d.Size >= w.minSize && (w.maxSize == 0 || d.Size <= w.maxSize) &&
		names(in.Models, d.Model) && names(in.Vendors, d.Vendor)
}
