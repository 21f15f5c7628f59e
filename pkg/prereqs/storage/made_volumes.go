package storage

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// volumeGrace is how long the Local Storage Operator may take to make a volume of a disk it has found. It looks once a
// minute; a disk that is not a volume by then is one it refuses, such as one without a name under /dev/disk/by-id.
const volumeGrace = 3 * time.Minute

// made is what has become of the disks of the storage nodes.
type made struct {
	set     *unstructured.Unstructured
	volumes []localDisk
	// reports and nodes are empty where it is not known which disks the set is to take.
	reports []diskReport
	nodes   []corev1.Node
	now     time.Time
}

// judge says whether every empty disk is a volume. Some that never become one do not stop what can be built on the
// others.
func (m made) judge() step.Finding {
	object := "LocalVolumeSet " + kube.Name(m.set)
	class := kube.Text(m.set, "spec", "storageClassName")
	hosts := map[string]bool{}
	count := 0
	for _, v := range m.volumes {
		if v.class == class {
			hosts[v.host] = true
			count++
		}
	}
	left, until := m.left()
	remaining := until.Sub(m.now)
	switch {
	case len(left) > 0 && remaining > 0:
		return step.Pending("%d volumes are made, %s not yet", count, strings.Join(left, ", ")).On("%s", object).
			RecheckAfter(remaining)
	case len(hosts) < leastStorageNodes && remaining > 0:
		return step.Pending("%d volumes are made, on %d nodes", count, len(hosts)).On("%s", object).RecheckAfter(remaining)
	case len(hosts) < leastStorageNodes:
		return step.Broken("there are volumes of class %s on %d nodes, OpenShift Data Foundation needs them on %d%s", class,
			len(hosts), leastStorageNodes, refused(left)).On("%s", object).
			WithHint("oc logs -n %s -l app=diskmaker-manager says why a disk is not taken", m.set.GetNamespace())
	}
	return step.OK("%d volumes of class %s%s", count, class, refused(left)).On("%s", object)
}

func refused(left []string) string {
	if len(left) == 0 {
		return ""
	}
	return "; the Local Storage Operator does not take " + strings.Join(left, ", ")
}

// left are the empty disks of storage nodes that are no volumes, as NODE/DISK, and until when they may still become
// some.
func (m made) left() (left []string, until time.Time) {
	until = m.set.GetCreationTimestamp().Add(volumeGrace)
	for _, r := range m.reports {
		i := slices.IndexFunc(m.nodes, func(n corev1.Node) bool { return n.Name == r.node })
		if i < 0 {
			continue
		}
		if _, ok := m.nodes[i].Labels[storageLabel]; !ok {
			continue
		}
		host := m.nodes[i].Labels[corev1.LabelHostname]
		for _, d := range r.empty() {
			if slices.ContainsFunc(m.volumes, func(v localDisk) bool { return v.host == host && v.on(d) }) {
				continue
			}
			left = append(left, r.node+"/"+d.name)
			if at := r.at.Add(volumeGrace); at.After(until) {
				until = at
			}
		}
	}
	return left, until
}

// on tells whether the volume is the disk. The kernel's name may have changed since the volume was made; the other has
// not.
func (v localDisk) on(d foundDisk) bool {
	return v.link != "" && v.link == d.link || v.device == d.name
}
