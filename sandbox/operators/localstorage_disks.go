package operators

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

const (
	// DisksAnnotation holds the disks of a sandbox node: a JSON list of Disk. There is no real counterpart; the real
	// disk maker reads lsblk.
	DisksAnnotation = "sandbox.hcctl.dev/disks"

	deviceAnnotation = "storage.openshift.com/device-name"
)

// Disk is one block device of a sandbox node.
type Disk struct {
	Path     string `json:"path"`
	DeviceID string `json:"deviceID"`
	// Size in bytes.
	Size int64 `json:"size"`
	// Type is disk, part, lvm or mpath.
	Type string `json:"type"`
	// Property is Rotational or NonRotational.
	Property string `json:"property"`
	// State is Available, NotAvailable or Unknown.
	State  string `json:"state"`
	FSType string `json:"fstype,omitempty"`
	Model  string `json:"model,omitempty"`
	Vendor string `json:"vendor,omitempty"`
	Serial string `json:"serial,omitempty"`
	// VolumeGroup is that of LVM Storage the disk is in.
	VolumeGroup string `json:"volumeGroup,omitempty"`
}

func disksOf(node *corev1.Node) ([]Disk, error) {
	raw := node.Annotations[DisksAnnotation]
	if raw == "" {
		return nil, nil
	}
	var disks []Disk
	if err := json.Unmarshal([]byte(raw), &disks); err != nil {
		return nil, fmt.Errorf("node %s: annotation %s: %w", node.Name, DisksAnnotation, err)
	}
	return disks, nil
}

// placement is the nodeSelector and tolerations the kinds of this operator share.
type placement struct {
	selector    *corev1.NodeSelector
	tolerations []corev1.Toleration
}

func placementOf(obj *unstructured.Unstructured) (placement, error) {
	p := placement{}
	selector := &corev1.NodeSelector{}
	found, err := read(obj, selector, "spec", "nodeSelector")
	if err != nil {
		return p, err
	}
	if found {
		p.selector = selector
	}
	_, err = read(obj, &p.tolerations, "spec", "tolerations")
	return p, err
}

func (p placement) apply(spec *corev1.PodSpec) {
	spec.Tolerations = p.tolerations
	if p.selector != nil {
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: p.selector,
		}}
	}
}

func (p placement) matches(node *corev1.Node) (bool, error) {
	if p.selector == nil {
		return true, nil
	}
	selector, err := nodeaffinity.NewNodeSelector(p.selector)
	if err != nil {
		return false, fmt.Errorf("nodeSelector: %w", err)
	}
	return selector.Match(node), nil
}
