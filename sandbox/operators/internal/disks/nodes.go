// Package disks has the disks of a sandbox's nodes, which the storage operators share.
package disks

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	// DisksAnnotation on a sandbox node is a JSON list of its disks (see Disk). Real operators read lsblk instead.
	DisksAnnotation = "sandbox.hcctl.dev/disks"

	// DeviceAnnotation on a volume names its device.
	DeviceAnnotation = "storage.openshift.com/device-name"
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
	// Removable is the kernel's flag, which only LocalVolumeSets look at.
	Removable bool `json:"removable,omitempty"`
	// VolumeGroup is the LVM Storage volume group of the disk.
	VolumeGroup string `json:"volumeGroup,omitempty"`
}

// Mounted reports whether the disk is in use by the node itself, rather than written on.
func (d Disk) Mounted() bool { return d.State == "NotAvailable" && d.FSType == "" }

// Of returns the disks of a node.
func Of(node *corev1.Node) ([]Disk, error) {
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

// WithoutChildren leaves out the disks that have partitions, as the Local Storage Operator's discovery and its
// LocalVolumeSets do: of such a disk they see the partitions alone.
func WithoutChildren(all []Disk) []Disk {
	return slices.DeleteFunc(slices.Clone(all), func(d Disk) bool {
		return slices.ContainsFunc(all, func(child Disk) bool {
			rest, ok := strings.CutPrefix(child.Path, d.Path)
			return ok && rest != "" && child.Type == "part"
		})
	})
}

// Placement is the nodeSelector and tolerations that the kinds of this operator share.
type Placement struct {
	Selector    *corev1.NodeSelector
	tolerations []corev1.Toleration
}

// PlacementOf reads the nodeSelector and the tolerations of an object.
func PlacementOf(obj *unstructured.Unstructured) (Placement, error) {
	p := Placement{}
	selector := &corev1.NodeSelector{}
	found, err := framework.Read(obj, selector, "spec", "nodeSelector")
	if err != nil {
		return p, err
	}
	if found {
		p.Selector = selector
	}
	_, err = framework.Read(obj, &p.tolerations, "spec", "tolerations")
	return p, err
}

// Or is the placement on the nodes of either.
func (p Placement) Or(other Placement) Placement {
	out := Placement{}
	if p.Selector != nil && other.Selector != nil {
		terms := slices.Clone(p.Selector.NodeSelectorTerms)
		for _, term := range other.Selector.NodeSelectorTerms {
			if !slices.ContainsFunc(terms, func(t corev1.NodeSelectorTerm) bool { return reflect.DeepEqual(t, term) }) {
				terms = append(terms, term)
			}
		}
		slices.SortFunc(terms, func(a, b corev1.NodeSelectorTerm) int { return strings.Compare(a.String(), b.String()) })
		out.Selector = &corev1.NodeSelector{NodeSelectorTerms: terms}
	}
	for _, toleration := range slices.Concat(p.tolerations, other.tolerations) {
		if !slices.Contains(out.tolerations, toleration) {
			out.tolerations = append(out.tolerations, toleration)
		}
	}
	slices.SortFunc(out.tolerations, func(a, b corev1.Toleration) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// Apply sets the placement in a pod spec.
func (p Placement) Apply(spec *corev1.PodSpec) {
	spec.Tolerations = p.tolerations
	if p.Selector != nil {
		spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: p.Selector,
		}}
	}
}

// Matches reports whether the placement includes a node.
func (p Placement) Matches(node *corev1.Node) (bool, error) {
	if p.Selector == nil {
		return true, nil
	}
	selector, err := nodeaffinity.NewNodeSelector(p.Selector)
	if err != nil {
		return false, fmt.Errorf("nodeSelector: %w", err)
	}
	return selector.Match(node), nil
}
