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

// Claim is an object by which an operator takes disks: a LocalVolumeSet, a LocalVolume, an LVMCluster.
// A disk that it selects is not free, also if the operator has not come to it yet.
type Claim struct {
	// Object names it for a user.
	Object string
	// Class is the StorageClass of a LocalVolumeSet, and Most how many disks it takes of a node; nil means all.
	Class string
	Most  *int64

	nodes *corev1.NodeSelector
	takes func(Disk) bool
}

// Claims reads the claims of objects of these kinds. What cannot be read selects more, not less.
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
				takes := laterThan(o, class)
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

// laterThan takes the disks that nobody uses. By the policy Static (4.22 and later; absent is Dynamic) a node whose
// volume group is made takes no more.
func laterThan(lvm *unstructured.Unstructured, class map[string]any) func(Disk) bool {
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

// free reports whether nobody uses the disk, whatever its type.
func (d Disk) free() bool { return d.Used() == "" }

// setClaim reads the selection of a LocalVolumeSet, by the rules of the Local Storage Operator (4.12 to 4.21,
// pkg/diskmaker/controllers/lvset): whole disks of 1 GiB or more unless it says otherwise, models and vendors in part
// and in any case.
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
	least, most := bytesOf(spec, "minSize", Least), bytesOf(spec, "maxSize", 0)
	c := newClaim(o, SelectorIn(o.Object, "spec", "nodeSelector"), func(d Disk) bool {
		return d.free() && slices.ContainsFunc(types, func(t string) bool { return strings.EqualFold(t, d.Type) }) &&
			(len(properties) == 0 || d.Media == "" || slices.Contains(properties, d.Media.property())) &&
			d.Size >= least && (most == 0 || d.Size <= most) && partOf(models, d.Model) && partOf(vendors, d.Vendor)
	})
	c.Class = kube.Text(o, "spec", "storageClassName")
	c.Most = MostOfSet(o)
	return c
}

// MostOfSet is how many disks a LocalVolumeSet takes of each node, by its spec.maxDeviceCount, which may be zero; nil
// means all.
func MostOfSet(set *unstructured.Unstructured) *int64 {
	most, limited, _ := unstructured.NestedInt64(set.Object, "spec", "maxDeviceCount")
	if !limited {
		return nil
	}
	return &most
}

// property is the media in the words of a LocalVolumeSet.
func (m Media) property() string {
	if m == HDD {
		return "Rotational"
	}
	return "NonRotational"
}

// bytesOf is a quantity, which may be written as a number.
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

// named takes the disks whose paths stand in a map's lists, whatever is on them.
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

// SelectorIn reads a NodeSelector; nil, which means every node, where there is none that can be read.
func SelectorIn(object map[string]any, path ...string) *corev1.NodeSelector {
	found, there, err := unstructured.NestedMap(object, path...)
	if err != nil || !there {
		return nil
	}
	selector := &corev1.NodeSelector{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(found, selector) != nil {
		return nil
	}
	return selector
}

// claim says of the disks that nobody has which object of somebody else takes them.
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
		if c.Most == nil || has < *c.Most {
			return c.Object
		}
	}
	return ""
}
