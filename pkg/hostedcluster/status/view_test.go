package status

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// now is when every view of a test is seen, and long before it what has been there for a day.
var (
	now   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	long  = metav1.NewTime(now.Add(-24 * time.Hour))
	fresh = metav1.NewTime(now.Add(-time.Minute))
)

// as reads the JSON of an object into its type.
func as[T any](t *testing.T, o any) T {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// healthy is a cluster of two workers that has been up for a day.
func healthy(t *testing.T) *snapshot {
	t.Helper()
	hc := as[hyperv1.HostedCluster](t, cluster("clusters", "kv-00", "1", object{
		"controlPlaneEndpoint": object{"host": "192.168.216.40", "port": 6443},
		"version": object{"desired": object{"version": "4.20.3", "image": "x"},
			"history": []any{object{"state": "Completed", "version": "4.20.3", "image": "x", "startedTime": long}}},
		"conditions": said("Available True AsExpected", "Degraded False AsExpected", "EtcdAvailable True QuorumAvailable",
			"Progressing False AsExpected",
			"ClusterVersionAvailable True FromClusterVersion", "ClusterVersionProgressing False FromClusterVersion",
			"ReconciliationActive True AsExpected"),
	}))
	np := as[hyperv1.NodePool](t, nodePool("kv-00", "kv-00", object{"replicas": 2},
		object{"replicas": 2, "version": "4.20.3",
			"conditions": said("Ready True AsExpected", "AllMachinesReady True AsExpected", "UpdatingVersion False AsExpected",
				"AutoscalingEnabled False AsExpected")}))
	v := &snapshot{hc: &hc, now: now, pools: result[hyperv1.NodePool]{items: []hyperv1.NodePool{np}}}
	v.hc.CreationTimestamp, v.pools.items[0].CreationTimestamp = long, long
	v.hc.Spec.ControllerAvailabilityPolicy = hyperv1.SingleReplica
	v.pods.items = []corev1.Pod{pod("etcd-0", corev1.PodRunning, corev1.ConditionTrue),
		pod("kube-apiserver-5d-1", corev1.PodRunning, corev1.ConditionTrue)}
	v.deployments.items = []appsv1.Deployment{deployment("kube-apiserver", 1, 1)}
	v.statefulSets.items = []appsv1.StatefulSet{statefulSet("etcd", 1, 1)}
	v.operator = health.Verdict{Finding: step.OK("available")}
	for _, name := range []string{"kv-00-a", "kv-00-b"} {
		v.vms.items = append(v.vms.items, machine(name, true, kubevirtv1.VirtualMachineStatusRunning))
		v.nodes.items = append(v.nodes.items, node(name, corev1.ConditionTrue))
	}
	v.operators.items = []configv1.ClusterOperator{operator("console", "True", "False", "False"),
		operator("dns", "True", "False", "False")}
	return v
}

// pod is one of the StatefulSet etcd, or of the Deployment before the two last parts of its name; of none without.
func pod(name string, phase corev1.PodPhase, ready corev1.ConditionStatus) corev1.Pod {
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: long},
		Status:     corev1.PodStatus{Phase: phase, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}},
	}
	owner, _, _ := strings.Cut(name, "-")
	switch parts := strings.Split(name, "-"); {
	case owner == "etcd":
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "StatefulSet", Name: "etcd", Controller: ptr.To(true)}}
	case len(parts) > 2:
		p.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: strings.Join(parts[:len(parts)-1], "-"),
			Controller: ptr.To(true)}}
	}
	return p
}

func machine(name string, ready bool, status kubevirtv1.VirtualMachinePrintableStatus) kubevirtv1.VirtualMachine {
	return kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: fresh},
		Status:     kubevirtv1.VirtualMachineStatus{Ready: ready, PrintableStatus: status},
	}
}

func node(name string, ready corev1.ConditionStatus) corev1.Node {
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: long},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready,
			Reason: "Kubelet", Message: "kubelet says so"}}},
	}
}

func operator(name string, available, degraded, progressing configv1.ConditionStatus) configv1.ClusterOperator {
	return configv1.ClusterOperator{
		ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: long},
		Status: configv1.ClusterOperatorStatus{Conditions: []configv1.ClusterOperatorStatusCondition{
			{Type: configv1.OperatorAvailable, Status: available, Reason: "R", Message: "its\nwords"},
			{Type: configv1.OperatorDegraded, Status: degraded, Reason: "R", Message: "its\nwords"},
			{Type: configv1.OperatorProgressing, Status: progressing, Reason: "R", Message: "its\nwords"},
		}},
	}
}

// conditions replaces those of the HostedCluster that are named, and gives them a time.
func (v *snapshot) conditions(t *testing.T, since metav1.Time, rows ...string) {
	t.Helper()
	for _, c := range as[[]metav1.Condition](t, said(rows...)) {
		c.LastTransitionTime = since
		v.hc.Status.Conditions = append(slices.DeleteFunc(v.hc.Status.Conditions, func(old metav1.Condition) bool {
			return old.Type == c.Type
		}), c)
	}
}

func (v *snapshot) poolConditions(t *testing.T, since metav1.Time, rows ...string) {
	t.Helper()
	np := &v.pools.items[0]
	np.Status.Conditions = as[[]hyperv1.NodePoolCondition](t, said(rows...))
	for i := range np.Status.Conditions {
		np.Status.Conditions[i].LastTransitionTime = since
	}
}

// outline is a report in few words: the whole, then each part that is not ok.
func outline(r *Report) string {
	lines := []string{strings.TrimSuffix(fmt.Sprintf("%s, %s: %s", r.Health, r.Phase, r.Message), ": ")}
	var visit func(string, Part)
	visit = func(indent string, p Part) {
		if p.Kind == "" || p.Health == OK {
			return
		}
		count := ""
		if p.Ready != nil {
			count = fmt.Sprintf(" %d/%d", *p.Ready, *p.Total)
		}
		lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%s%s %s%s: %s", indent, p.Health,
			strings.TrimSpace(p.Kind+" "+p.Name), count, p.Message), ": "))
		for _, sub := range p.Parts {
			visit(indent+"  ", sub)
		}
	}
	for _, p := range r.parts() {
		visit("  ", *p)
	}
	return strings.Join(lines, "\n")
}
