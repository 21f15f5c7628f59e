package storage

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// volumeGrace is how long the Local Storage Operator may take to make a volume of a discovered disk. It looks once a
// minute; a disk that is no volume by then is refused.
const volumeGrace = 3 * time.Minute

// made compares the disks of the storage nodes with the volumes that exist.
type made struct {
	source  diskSource
	volumes []localDisk
	// reports is empty if the intended disks of the source are unknown.
	reports []disk.Report
	// held lists the disks of a LocalVolume of hcctl. A LocalVolumeSet takes every empty disk.
	held  disk.Held
	nodes []corev1.Node
	// built means that a StorageCluster uses the volumes, so no further volume is waited for.
	built bool
	now   time.Time
}

// judge checks whether every empty disk has become a volume. Refused disks are no problem if there are enough others.
func (m made) judge() step.Finding {
	object := m.source.object.GetKind() + " " + kube.Name(m.source.object)
	hosts := map[string]bool{}
	count := 0
	for _, v := range m.volumes {
		if v.class == m.source.class && !v.files && !v.released {
			hosts[v.host] = true
			count++
		}
	}
	left, until := m.left()
	remaining := until.Sub(m.now)
	switch one, other := m.twice(); {
	case one.link != "":
		return step.Broken("two volumes of class %s are one disk, %s: on %s and on %s, and Ceph would write on it twice",
			m.source.class, one.link, one.host, other.host).On("%s", object).
			WithHint("make the disk visible to one of the nodes only, then delete the other's volume: oc get pv -l %s=%s",
				corev1.LabelHostname, other.host)
	case m.built:
		return step.OK("%s of class %s", plural.Count(count, "volume"), m.source.class).On("%s", object)
	case len(hosts) < minStorageNodes && len(m.selected()) < minStorageNodes:
		return step.Broken("its nodeSelector selects %s (%s), and OpenShift Data Foundation needs volumes on %d",
			plural.Count(len(m.selected()), "node"), prereq.Listed(m.selected()), minStorageNodes).On("%s", object).
			WithHint("oc get %s %s -n %s -o yaml; oc get nodes --show-labels", strings.ToLower(m.source.object.GetKind()),
				m.source.object.GetName(), m.source.object.GetNamespace())
	case len(hosts) < minStorageNodes && m.source.takesNone():
		return step.Broken("its spec.maxDeviceCount is %d, so that it takes no disk of any node", *disk.MaxOfSet(
			m.source.object)).On("%s", object).WithHint(`oc patch localvolumeset %s -n %s --type=json -p `+
			`'[{"op":"remove","path":"/spec/maxDeviceCount"}]'`, m.source.object.GetName(), m.source.object.GetNamespace())
	case len(left) > 0 && remaining > 0:
		return step.Pending("%s made, %s not yet", plural.Count(count, "volume"), fewOf(left)).On("%s", object).
			RecheckAfter(remaining)
	case len(hosts) < minStorageNodes && remaining > 0:
		return step.Pending("%s made, on %s", plural.Count(count, "volume"), plural.Count(len(hosts), "node")).
			On("%s", object).RecheckAfter(remaining)
	case len(hosts) < minStorageNodes:
		return step.Broken("there are volumes of class %s on %d nodes, OpenShift Data Foundation needs them on %d%s",
			m.source.class, len(hosts), minStorageNodes, refused(left)).On("%s", object).
			WithHint("oc logs -n %s -l app=diskmaker-manager says why a disk is not taken", m.source.object.GetNamespace())
	}
	if names := m.unlabelled(); len(names) > 0 && !ofHcctl(m.source.object) {
		return step.Missing("its volumes are on nodes that OpenShift Data Foundation does not store on: %s (label %s)",
			fewOf(names), storageLabel).On("%s", object)
	}
	return step.OK("%s of class %s%s", plural.Count(count, "volume"), m.source.class, refused(left)).On("%s", object)
}

// twice returns two volumes of the source that are the same disk. A LocalVolume lists a path once for all its nodes,
// and a LUN may have become visible to a second node since.
func (m made) twice() (one, other localDisk) {
	seen := map[string]localDisk{}
	for _, v := range m.volumes {
		if v.class != m.source.class || !disk.Worldwide(v.link) {
			continue
		}
		if first, known := seen[v.link]; known && first.host != v.host {
			return first, v
		}
		seen[v.link] = v
	}
	return one, other
}

// selected returns the names of the nodes that the source selects.
func (m made) selected() []string {
	selector := disk.SelectorIn(m.source.object.Object, "spec", "nodeSelector")
	var names []string
	for i := range m.nodes {
		if kube.SelectsNode(selector, &m.nodes[i]) {
			names = append(names, m.nodes[i].Name)
		}
	}
	return names
}

// unlabelled returns the nodes with free volumes of the source that lack the storage label.
func (m made) unlabelled() []string {
	var names []string
	for i := range m.nodes {
		if _, ok := m.nodes[i].Labels[storageLabel]; ok {
			continue
		}
		host := m.nodes[i].Labels[corev1.LabelHostname]
		if slices.ContainsFunc(m.volumes, func(v localDisk) bool {
			return v.host == host && v.class == m.source.class && v.free()
		}) {
			names = append(names, m.nodes[i].Name)
		}
	}
	return names
}

func refused(left []string) string {
	if len(left) == 0 {
		return ""
	}
	return "; the Local Storage Operator does not take " + fewOf(left)
}

// left returns the empty disks of storage nodes that are no volumes, as NODE/DISK, and until when they may still become
// volumes.
func (m made) left() (left []string, until time.Time) {
	until = m.source.object.GetCreationTimestamp().Add(volumeGrace)
	for _, r := range m.reports {
		i := slices.IndexFunc(m.nodes, func(n corev1.Node) bool { return n.Name == r.Node })
		if i < 0 {
			continue
		}
		if _, ok := m.nodes[i].Labels[storageLabel]; !ok {
			continue
		}
		host := m.nodes[i].Labels[corev1.LabelHostname]
		for _, d := range r.Disks {
			if !m.wants(host, d) ||
				slices.ContainsFunc(m.volumes, func(v localDisk) bool { return v.host == host && v.on(d) }) {
				continue
			}
			left = append(left, r.Node+"/"+d.Name())
			if at := r.At.Add(volumeGrace); at.After(until) {
				until = at
			}
		}
	}
	return left, until
}

// wants reports whether the source makes a volume of the disk.
func (m made) wants(host string, d disk.Disk) bool {
	if m.source.isSet() {
		return d.Empty()
	}
	return m.held.Holds(host, d)
}

// on reports whether the volume is on the disk. The kernel's name may have changed since the volume was made; the link
// has not.
func (v localDisk) on(d disk.Disk) bool {
	return v.link != "" && v.link == d.Link() || v.device == d.Name()
}
