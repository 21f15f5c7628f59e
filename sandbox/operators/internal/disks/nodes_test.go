package disks

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestPlacement(t *testing.T) {
	const storageNode = "cluster.ocs.openshift.io/openshift-storage"
	set := &unstructured.Unstructured{Object: map[string]any{}}
	set.Object["spec"] = map[string]any{"nodeSelector": map[string]any{"nodeSelectorTerms": []any{map[string]any{
		"matchExpressions": []any{map[string]any{"key": storageNode, "operator": "Exists"}},
	}}}}
	p, err := PlacementOf(set)
	if err != nil {
		t.Fatal(err)
	}
	for want, labels := range map[bool]map[string]string{true: {storageNode: ""}, false: {"other": ""}} {
		got, err := p.Matches(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: labels}})
		if err != nil || got != want {
			t.Errorf("node with %v: %v, %v; want %v", labels, got, err, want)
		}
	}
}

// One program serves several objects, whichever of them it is made for.
func TestPlacementOnTheNodesOfEither(t *testing.T) {
	on := func(host string) Placement {
		return Placement{Selector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "h", Operator: "In", Values: []string{host}}}}}},
			tolerations: []corev1.Toleration{{Key: host}}}
	}
	a, b := on("a").Or(on("b")), on("b").Or(on("a")).Or(on("a"))
	if !reflect.DeepEqual(a, b) || len(a.Selector.NodeSelectorTerms) != 2 || len(a.tolerations) != 2 {
		t.Errorf("%+v and %+v", a, b)
	}
	if every := on("a").Or(Placement{}); every.Selector != nil {
		t.Errorf("with one for every node: %+v", every)
	}
}

func TestDisksOfNode(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w",
		Annotations: map[string]string{DisksAnnotation: `[{"path":"/dev/sdb","size":42}]`}}}
	disks, err := Of(node)
	if err != nil || len(disks) != 1 || disks[0].Size != 42 || disks[0].Path != "/dev/sdb" {
		t.Errorf("disks %+v, %v", disks, err)
	}
	node.Annotations[DisksAnnotation] = "{"
	if _, err := Of(node); err == nil {
		t.Error("a broken annotation must be an error")
	}
}

func TestADiskWithPartitionsIsNotSeen(t *testing.T) {
	got := WithoutChildren([]Disk{{Path: "/dev/sda", Type: "disk"}, {Path: "/dev/sda1", Type: "part"},
		{Path: "/dev/nvme0n1", Type: "disk"}, {Path: "/dev/nvme0n1p1", Type: "part"}, {Path: "/dev/sdb", Type: "disk"}})
	var paths []string
	for _, d := range got {
		paths = append(paths, d.Path)
	}
	if want := "/dev/sda1 /dev/nvme0n1p1 /dev/sdb"; strings.Join(paths, " ") != want {
		t.Errorf("%v, want %s", paths, want)
	}
}
