package disk

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Claim is an object with which an operator takes disks: a LocalVolumeSet, a LocalVolume or an LVMCluster. A disk that
// it selects is not free, even if the operator has not taken it yet.
type Claim struct {
	// Object is the name in messages.
	Object string
	// Class is the StorageClass of a LocalVolumeSet. Max is the maximum number of disks it takes from a node; nil means
	// all.
	Class string
	Max   *int64

	nodes *corev1.NodeSelector
	takes func(Disk) bool
}

// Claims reads the claims of objects of these kinds. A selection that cannot be parsed selects everything.
func Claims(objects []unstructured.Unstructured) []Claim {
	var out []Claim
	for i := range objects {
		o := &objects[i]
		switch o.GetKind() {
		case kube.LocalVolumeSet.Kind:
			out = append(out, setClaim(o))
		case kube.LocalVolume.Kind:
			for _, class := range kube.Maps(o, "spec", "storageClassDevices") {
				out = append(out, newClaim(o, SelectorIn(o.Object, "spec", "nodeSelector"), named(class, "devicePaths")))
			}
		case kube.LVMCluster.Kind:
			for _, class := range kube.Maps(o, "spec", "storage", "deviceClasses") {
				takes := unusedDisks(o, class)
				if selector, chosen, _ := unstructured.NestedMap(class, "deviceSelector"); chosen {
					takes = named(selector, "paths", "optionalPaths")
				}
				out = append(out, newClaim(o, SelectorIn(class, "nodeSelector"), takes))
			}
		}
	}
	return out
}

func newClaim(o *unstructured.Unstructured, nodes *corev1.NodeSelector, takes func(Disk) bool) Claim {
	return Claim{Object: o.GetKind() + " " + kube.Name(o), nodes: nodes, takes: takes}
}

// unusedDisks returns the selection of a device class without a deviceSelector: all free disks. With policy Static
// (4.22 and later; the default is Dynamic) it takes none on a node whose volume group exists.
func unusedDisks(lvm *unstructured.Unstructured, class map[string]any) func(Disk) bool {
	if class["deviceDiscoveryPolicy"] != "Static" {
		return Disk.free
	}
	made := map[any]bool{}
	for _, status := range kube.Maps(lvm, "status", "deviceClassStatuses") {
		nodes, _, _ := unstructured.NestedSlice(status, "nodeStatus")
		for _, n := range nodes {
			node, _ := n.(map[string]any)
			devices, _, _ := unstructured.NestedSlice(node, "devices")
			made[node["node"]] = made[node["node"]] || status["name"] == class["name"] && len(devices) > 0
		}
	}
	return func(d Disk) bool { return d.free() && !made[d.Node] }
}

// free reports whether the disk is unused, whatever its type.
func (d Disk) free() bool { return d.Used() == "" }

// setClaim reads the selection of a LocalVolumeSet by the rules of the Local Storage Operator (4.12 to 4.21,
// pkg/diskmaker/controllers/lvset). By default it takes whole disks of at least 1 GiB; models and vendors match
// partially and in any case.
func setClaim(o *unstructured.Unstructured) Claim {
	spec, _, _ := unstructured.NestedMap(o.Object, "spec", "deviceInclusionSpec")
	texts := func(key string) []string {
		list, _, _ := unstructured.NestedStringSlice(spec, key)
		return list
	}
	types, properties := texts("deviceTypes"), texts("deviceMechanicalProperties")
	models, vendors := texts("models"), texts("vendors")
	if len(types) == 0 {
		types = []string{"disk"}
	}
	minSize, maxSize := bytesOf(spec, "minSize", MinSize), bytesOf(spec, "maxSize", 0)
	c := newClaim(o, SelectorIn(o.Object, "spec", "nodeSelector"), func(d Disk) bool {
		return d.free() && slices.ContainsFunc(types, func(t string) bool { return strings.EqualFold(t, d.Type) }) &&
			(len(properties) == 0 || d.Media == "" || slices.Contains(properties, d.Media.property())) &&
			d.Size >= minSize && (maxSize == 0 || d.Size <= maxSize) && partOf(models, d.Model) && partOf(vendors, d.Vendor)
	})
	c.Class = kube.Text(o, "spec", "storageClassName")
	c.Max = MaxOfSet(o)
	return c
}

// MaxOfSet returns the maximum number of disks that a LocalVolumeSet takes from each node, from spec.maxDeviceCount,
// which may be zero. Nil means all.
func MaxOfSet(set *unstructured.Unstructured) *int64 {
	count, limited, _ := unstructured.NestedInt64(set.Object, "spec", "maxDeviceCount")
	if !limited {
		return nil
	}
	return &count
}

// property returns the media in the terms of a LocalVolumeSet.
func (m Media) property() string {
	if m == HDD {
		return "Rotational"
	}
	return "NonRotational"
}

// bytesOf returns a quantity in bytes. It may also be written as a number.
func bytesOf(spec map[string]any, key string, otherwise int64) int64 {
	switch value := spec[key].(type) {
	case int64:
		return value
	case string:
		if q, err := resource.ParseQuantity(value); err == nil {
			return q.Value()
		}
	}
	return otherwise
}

func partOf(wanted []string, text string) bool {
	return len(wanted) == 0 || slices.ContainsFunc(wanted, func(w string) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(w))
	})
}

// named returns the selection of the disks whose paths are in these lists of a map, whatever is on them.
func named(in map[string]any, keys ...string) func(Disk) bool {
	var paths []string
	for _, key := range keys {
		list, _, _ := unstructured.NestedStringSlice(in, key)
		paths = append(paths, list...)
	}
	return func(d Disk) bool {
		return slices.Contains(paths, d.Device) || d.ByID != "" && slices.Contains(paths, d.ByID)
	}
}

// SelectorIn returns a NodeSelector, or nil, which means every node, if there is none or it cannot be parsed.
func SelectorIn(object map[string]any, path ...string) *corev1.NodeSelector {
	found, exists, err := unstructured.NestedMap(object, path...)
	if err != nil || !exists {
		return nil
	}
	selector := &corev1.NodeSelector{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(found, selector) != nil {
		return nil
	}
	return selector
}

// claim sets the foreign object that takes each disk without a volume.
func (p Plan) claim(nodes []corev1.Node, claims []Claim) {
	for i := range p.Rows {
		at := slices.IndexFunc(nodes, func(n corev1.Node) bool { return n.Name == p.Rows[i].Node })
		if at >= 0 && p.Rows[i].Class == "" {
			p.Rows[i].claimedBy = p.claimant(&p.Rows[i], &nodes[at], claims)
		}
	}
}

func (p Plan) claimant(r *Row, node *corev1.Node, claims []Claim) string {
	for _, c := range claims {
		if !kube.SelectsNode(c.nodes, node) || !c.takes(r.Disk) {
			continue
		}
		var has int64
		for i := range p.Rows {
			if p.Rows[i].Node == r.Node && c.Class != "" && p.Rows[i].Class == c.Class {
				has++
			}
		}
		if c.Max == nil || has < *c.Max {
			return c.Object
		}
	}
	return ""
}
