package maintenance

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// osdApp is the value of label app of the pods of Ceph's OSDs.
const osdApp = "rook-ceph-osd"

// isOSD reports whether the pod is an OSD, which serves a disk of the node to Ceph.
func isOSD(pod *corev1.Pod) bool { return pod.Labels["app"] == osdApp }

// outTime is how many minutes Rook keeps Ceph from copying a drained node's data, by default
// (disruptionManagement.osdMaintenanceTimeout of the CephCluster).
const outTime = 30

// judgeStorage reports whether Ceph can work without the node's disks. Rook sets noout for a drained node by itself;
// the data is safe only if Ceph is healthy before.
func (w *snapshot) judgeStorage() []step.Finding {
	namespaces := map[string]int{}
	for _, pod := range w.here {
		if isOSD(pod) {
			namespaces[pod.Namespace]++
		}
	}
	var out []step.Finding
	for _, namespace := range w.namespaces() {
		if n := namespaces[namespace]; n > 0 {
			out = append(out, w.judgeCeph(namespace, n))
		}
	}
	return out
}

func (w *snapshot) judgeCeph(namespace string, osds int) step.Finding {
	object := "CephClusters in " + namespace
	if w.ceph.Err != nil {
		return management.Unread(object, w.ceph.Err)
	}
	var ceph *unstructured.Unstructured
	for i := range w.ceph.Items {
		if w.ceph.Items[i].GetNamespace() == namespace {
			ceph = &w.ceph.Items[i]
		}
	}
	if ceph == nil {
		return step.Unknown("%s on the node, and no CephCluster reports how Ceph is", disks(osds)).On("%s", object)
	}
	object = "CephCluster " + kube.Name(ceph)
	look := "oc describe cephcluster " + ceph.GetName() + " -n " + namespace
	down := 0
	for i := range w.elsewhere {
		if p := &w.elsewhere[i]; p.namespace == namespace && p.labels["app"] == osdApp && !p.ready {
			down++
		}
	}
	minutes := kube.Number(ceph, "spec", "disruptionManagement", "osdMaintenanceTimeout")
	if minutes <= 0 {
		minutes = outTime
	}
	switch v := health.Judge(ceph, w.now); {
	case down > 0:
		return step.Failing("%s on the node, and %d on other nodes are not ready: data may have no copy left",
			disks(osds), down).On("%s", object).WithHint("%s", look)
	case v.State == step.StateOK:
		return step.OK("%s on the node, unavailable while it is; %s, and begins to copy their data elsewhere after %d "+
			"minutes", disks(osds), v.Message, minutes).On("%s", object)
	case v.State == step.StateBroken, v.State == step.StateWarning:
		return step.Failing("%s on the node, and already %s: data may have too few copies left", disks(osds), v.Message).
			On("%s", object).WithHint("%s", look)
	default:
		return step.Unknown("%s on the node, and %s", disks(osds), v.Message).On("%s", object).WithHint("%s", look)
	}
}
