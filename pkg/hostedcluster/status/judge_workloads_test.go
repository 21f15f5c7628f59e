package status

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func deployment(name string, wanted, ready int32) appsv1.Deployment {
	return appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: long},
		Spec: appsv1.DeploymentSpec{Replicas: &wanted}, Status: appsv1.DeploymentStatus{Replicas: wanted,
			UpdatedReplicas: wanted, ReadyReplicas: ready, AvailableReplicas: ready}}
}

func statefulSet(name string, wanted, ready int32) appsv1.StatefulSet {
	return appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: long},
		Spec: appsv1.StatefulSetSpec{Replicas: &wanted}, Status: appsv1.StatefulSetStatus{Replicas: wanted,
			UpdatedReplicas: wanted, ReadyReplicas: ready, AvailableReplicas: ready}}
}

// A control plane is compared with what is wanted, not with the pods that happen to exist.
func TestWorkloadsAreJudged(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*snapshot)
		want   string
		counts string
	}{
		"all there": {func(*snapshot) {}, "", "2/2"},
		"etcd scaled to 0": {func(v *snapshot) {
			v.statefulSets.items[0], v.pods.items = statefulSet("etcd", 0, 0), v.pods.items[1:]
		}, "failing StatefulSet etcd: scaled to 0, SingleReplica wants 1", "1/2"},
		"2 of 3 that the policy wants": {func(v *snapshot) {
			v.hc.Spec.ControllerAvailabilityPolicy = hyperv1.HighlyAvailable
			v.statefulSets.items[0], v.deployments.items[0] = statefulSet("etcd", 3, 2), deployment("kube-apiserver", 3, 3)
		}, "failing StatefulSet etcd: 2 of 3 pods are ready, 2 missing", "5/6"},
		"scaled to 2 where the policy wants 3": {func(v *snapshot) {
			v.hc.Spec.ControllerAvailabilityPolicy = ""
			v.statefulSets.items[0], v.deployments.items[0] = statefulSet("etcd", 2, 2), deployment("kube-apiserver", 3, 3)
		}, "failing StatefulSet etcd: scaled to 2, HighlyAvailable wants 3", "5/6"},
		"the OAuth server scaled to 0": {func(v *snapshot) {
			v.deployments.items = append(v.deployments.items, deployment("oauth-openshift", 0, 0))
		}, "failing Deployment oauth-openshift: scaled to 0, SingleReplica wants 1", "2/3"},
		"scaled to 0 to debug it": {func(v *snapshot) {
			v.hc.Annotations = map[string]string{debugDeployments: "olm-operator,oauth-openshift"}
			v.deployments.items = append(v.deployments.items, deployment("oauth-openshift", 0, 0))
		}, "warning Deployment oauth-openshift: scaled to 0, as annotation " + debugDeployments +
			" of the HostedCluster asks", "2/2"},
		"an autoscaler that nobody needs": {func(v *snapshot) {
			v.deployments.items = append(v.deployments.items, deployment("cluster-autoscaler", 0, 0))
		}, "", "2/2"},
		"no pods of it": {func(v *snapshot) {
			v.deployments.items = append(v.deployments.items, deployment("dns-operator", 2, 0))
		}, "failing Deployment dns-operator: 0 of 2 pods are ready, 2 missing", "2/4"},
		"its pods say why": {func(v *snapshot) {
			v.deployments.items = append(v.deployments.items, deployment("dns-operator", 1, 0))
			v.pods.items = append(v.pods.items, pod("dns-operator-5d-1", corev1.PodPending, corev1.ConditionFalse))
		}, "failing Deployment dns-operator: 0 of 1 pods are ready", "2/3"},
		"no etcd": {func(v *snapshot) {
			v.statefulSets.items, v.pods.items = nil, v.pods.items[1:]
		}, "failing StatefulSet etcd: does not exist, SingleReplica wants 1 pod of it", "1/2"},
		"an etcd of somebody else's": {func(v *snapshot) {
			v.statefulSets.items, v.pods.items = nil, v.pods.items[1:]
			v.hc.Spec.Etcd.ManagementType = hyperv1.Unmanaged
		}, "", "1/1"},
		"may not be read": {func(v *snapshot) { v.deployments = result[appsv1.Deployment]{err: errors.New("no")} },
			"unknown Deployments : Deployments cannot be read: no", "2/2"},
	} {
		v := healthy(t)
		c.change(v)
		got := v.controlPlane(Ready)
		var lines []string
		for _, p := range got.Parts {
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", p.Health, p.Kind, p.Name, p.Message))
		}
		if said := strings.Join(lines, "\n"); said != c.want {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
		if counts := fmt.Sprintf("%d/%d", *got.Ready, *got.Total); counts != c.counts {
			t.Errorf("%s: %s, want %s", name, counts, c.counts)
		}
	}
}

// The message of a failing cluster is its root cause, not what follows from it.
func TestTheRootCauseComesFirst(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*snapshot)
		want   string
	}{
		"a pod behind conditions": {func(v *snapshot) {
			v.conditions(t, long, "EtcdAvailable False EtcdWaitingForQuorum Waiting for etcd to reach quorum")
			bad := pod("etcd-0", corev1.PodPending, corev1.ConditionFalse)
			bad.Status.Reason = "Unschedulable"
			v.pods.items[0] = bad
		}, "Pod etcd-0: it is Pending and not ready: Unschedulable"},
		"a condition that is a cause": {func(v *snapshot) {
			v.conditions(t, long, "InfrastructureReady False WaitingOnInfrastructureReady no address",
				"EtcdAvailable False EtcdWaitingForQuorum Waiting for etcd to reach quorum")
			v.pods.items[0] = pod("etcd-0", corev1.PodPending, corev1.ConditionFalse)
		}, "InfrastructureReady False (WaitingOnInfrastructureReady): no address"},
		"nothing but a symptom": {func(v *snapshot) {
			v.conditions(t, long, "EtcdAvailable False EtcdWaitingForQuorum Waiting for etcd to reach quorum")
		}, "EtcdAvailable False (EtcdWaitingForQuorum): Waiting for etcd to reach quorum"},
	} {
		v := healthy(t)
		c.change(v)
		if r := v.whole(); r.Message != c.want {
			t.Errorf("%s: %q, want %q", name, r.Message, c.want)
		}
	}
}
