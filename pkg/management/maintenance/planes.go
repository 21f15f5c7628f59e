package maintenance

import (
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// apiServerName names the Deployment of a hosted cluster's API server, and is the value of label app of its pods.
const apiServerName = "kube-apiserver"

// judgePlane reports whether etcd and the API server of a hosted cluster keep working without the node.
func (w *snapshot) judgePlane(namespace string, hc *hyperv1.HostedCluster) ([]step.Finding, *Etcd) {
	out := []step.Finding{}
	f, e := w.judgeEtcd(namespace, hc)
	if f != nil {
		out = append(out, *f)
	}
	here, elsewhere := w.count(namespace, apiServerName)
	if here > 0 && elsewhere == 0 {
		text := "no other node has a ready pod of its API server, which is unavailable while this one moves"
		if management.SingleReplica(hc) {
			text += ": its control plane has a single replica of everything"
		}
		out = append(out, step.Failing("%s", text).On("HostedCluster %s", kube.Name(hc)).
			WithHint("agree on a time with its users"))
	}
	return out, e
}

// judgeEtcd reports whether etcd keeps its quorum without the members on the node. It returns nil if none is on it.
func (w *snapshot) judgeEtcd(namespace string, hc *hyperv1.HostedCluster) (*step.Finding, *Etcd) {
	here, elsewhere := w.count(namespace, etcdName)
	if here == 0 {
		return nil, nil
	}
	object := "StatefulSet " + namespace + "/" + etcdName
	if w.etcds.Err != nil {
		f := management.Unread(object, w.etcds.Err)
		return &f, nil
	}
	members := 0
	for i := range w.etcds.Items {
		if s := &w.etcds.Items[i]; s.Namespace == namespace && s.Spec.Replicas != nil {
			members = int(*s.Spec.Replicas)
		}
	}
	if members == 0 {
		f := step.Unknown("how many members etcd of hosted cluster %s has is not known", kube.Name(hc)).On("%s", object)
		return &f, nil
	}
	e := &Etcd{Members: members, Here: here, ReadyElsewhere: elsewhere, Quorum: members/2 + 1}
	var f step.Finding
	switch {
	case members == 1:
		f = step.Failing("the only member of etcd of hosted cluster %s is here: its API server answers nothing "+
			"while it moves", kube.Name(hc)).On("%s", object).WithHint("agree on a time with its users")
	case elsewhere < e.Quorum:
		f = step.Failing("etcd of hosted cluster %s has %d ready members elsewhere and needs %d of %d: without "+
			"this node its API server answers nothing", kube.Name(hc), elsewhere, e.Quorum, members).On("%s", object).
			WithHint("wait until its other members are ready: oc get pods -n %s -l app=%s", namespace, etcdName)
	default:
		f = step.OK("etcd keeps its quorum: %d of %d members are ready elsewhere, %d are needed", elsewhere,
			members, e.Quorum).On("%s", object)
	}
	return &f, e
}

// count returns the number of a control plane component's pods on the node, and the number of ready ones elsewhere.
func (w *snapshot) count(namespace, app string) (here, elsewhere int) {
	for _, pod := range w.here {
		if pod.Namespace == namespace && pod.Labels["app"] == app {
			here++
		}
	}
	for i := range w.elsewhere {
		if p := &w.elsewhere[i]; p.namespace == namespace && p.labels["app"] == app && p.ready {
			elsewhere++
		}
	}
	return here, elsewhere
}

// judgeNode judges the node itself, and what the cluster loses without it.
func (w *snapshot) judgeNode() []step.Finding {
	object := "Node " + w.node.Name
	out := []step.Finding{}
	if !health.NodeReady(w.node) {
		out = append(out, step.Unknown("it is not Ready: what is said of it may be out of date").On("%s", object))
	}
	if w.node.Spec.Unschedulable {
		out = append(out, step.OK("it is cordoned already").On("%s", object))
	}
	if w.hosted.Err != nil {
		out = append(out, management.Unread("HostedClusters", w.hosted.Err))
	}
	if prereq.IsControlPlane(w.node) {
		out = append(out, w.judgeManagement(object))
	}
	return out
}

// judgeManagement judges a control plane node of the management cluster, whose etcd needs a quorum of them.
func (w *snapshot) judgeManagement(object string) step.Finding {
	all, ready := 1, 0
	for i := range w.others {
		if n := &w.others[i]; prereq.IsControlPlane(n) {
			all++
			if health.NodeReady(n) {
				ready++
			}
		}
	}
	quorum := all/2 + 1
	switch {
	case all == 1:
		return step.Failing("it is the only control plane node: the whole cluster is unavailable while it is").
			On("%s", object)
	case ready < quorum:
		return step.Failing("it is a control plane node, of which %d others are Ready and %d of %d are needed: "+
			"without it the API server answers nothing", ready, quorum, all).On("%s", object).WithHint("oc get nodes")
	}
	return step.OK("the management cluster keeps its quorum: %d of %d control plane nodes are Ready "+
		"elsewhere, %d are needed", ready, all, quorum).On("%s", object)
}

// disks describes a number of OSDs of Ceph.
func disks(n int) string {
	if n == 1 {
		return "1 OSD of Ceph is"
	}
	return fmt.Sprintf("%d OSDs of Ceph are", n)
}
