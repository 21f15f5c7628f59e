package main_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// highly makes a cluster highly available.
func highly(hc *hyperv1.HostedCluster) {
	hc.Spec.ControllerAvailabilityPolicy = hyperv1.HighlyAvailable
}

// A quota keeps a pod away, a node does not take it, a container crashes: Kubernetes' own controllers tell of it, and
// the control plane follows.
func TestTroubleInAControlPlane(t *testing.T) {
	t.Parallel()
	r := launch(t, t.TempDir(), "--profile", "ready", "--speed", "20", "--lean", "--guests", "0")
	h := hostOf(t, r.dir)
	hc := h.cluster("kv", "4.19.9", highly)
	const in = "clusters-kv"
	etcd := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: "etcd"}}
	kas := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: "kube-apiserver"}}
	awaits(h, hc, 2*time.Minute, func(hc *hyperv1.HostedCluster) string {
		return says(hc, hyperv1.HostedClusterAvailable, "True AsExpected")
	})
	h.must(h.Get(t.Context(), client.ObjectKeyFromObject(kas), kas))
	members := func(want int32) func(*appsv1.StatefulSet) string {
		return func(s *appsv1.StatefulSet) string {
			if ptr.Deref(s.Spec.Replicas, 0) != 3 || s.Status.ReadyReplicas != want {
				return fmt.Sprintf("%d of %d ready, want %d of 3", s.Status.ReadyReplicas, ptr.Deref(s.Spec.Replicas, 0), want)
			}
			return ""
		}
	}
	awaits(h, etcd, time.Minute, members(3))
	if ptr.Deref(kas.Spec.Replicas, 0) != 3 {
		t.Errorf("kube-apiserver has %d pods", ptr.Deref(kas.Spec.Replicas, 0))
	}

	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: "small"},
		Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("5")}}}
	t.Run("quota", func(t *testing.T) {
		h.must(h.Create(t.Context(), quota))
		awaits(h, quota, 30*time.Second, func(q *corev1.ResourceQuota) string {
			if used := q.Status.Used[corev1.ResourcePods]; used.Value() < 7 {
				return "used " + used.String()
			}
			return ""
		})
		h.must(h.Delete(t.Context(), podOf(t, h, in, "etcd-2")))
		awaits(h, etcd, 30*time.Second, members(2))
		told(t, h, "StatefulSet", in, "etcd", "FailedCreate", "exceeded quota: small")
		h.must(h.DeleteAllOf(t.Context(), &corev1.Pod{}, client.InNamespace(in),
			client.MatchingLabels{"app": "kube-apiserver"}))
		eventually(t, 30*time.Second, func() error {
			h.must(h.Get(t.Context(), client.ObjectKeyFromObject(kas), kas))
			if !slices.ContainsFunc(kas.Status.Conditions, func(c appsv1.DeploymentCondition) bool {
				return c.Type == appsv1.DeploymentReplicaFailure && strings.Contains(c.Message, "exceeded quota: small")
			}) {
				return fmt.Errorf("kube-apiserver: %+v", kas.Status)
			}
			return nil
		})
		awaits(h, hc, 30*time.Second, func(hc *hyperv1.HostedCluster) string {
			if c := meta.FindStatusCondition(hc.Status.Conditions, "Degraded"); c == nil || c.Status != "True" ||
				strings.Contains(c.Message, "etcd") {
				return fmt.Sprintf("Degraded %+v", c) // it counts Deployments only
			}
			return says(hc, hyperv1.EtcdAvailable, "True QuorumAvailable")
		})
		h.must(h.Delete(t.Context(), quota))
		awaits(h, etcd, time.Minute, members(3))
	})
	t.Run("crash", func(t *testing.T) {
		pod := podOf(t, h, in, "etcd-1")
		writeStatus(t, h.Client, pod, func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0] = corev1.ContainerStatus{Name: "etcd", RestartCount: 9,
				State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff",
					Message: "back-off 5m0s restarting failed container=etcd"}},
				LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2,
					Reason: "Error", Message: "starting etcd\npanic: raft log corrupted"}}}
		})
		awaits(h, etcd, 30*time.Second, members(2))
		awaits(h, pod, 5*time.Second, func(p *corev1.Pod) string {
			if s := p.Status.ContainerStatuses[0]; s.State.Waiting == nil || s.LastTerminationState.Terminated == nil {
				return fmt.Sprintf("%+v", s)
			}
			return ""
		})
	})
	t.Run("restarts", func(t *testing.T) {
		pod := podOf(t, h, in, "etcd-0")
		writeStatus(t, h.Client, pod, func(p *corev1.Pod) {
			s := &p.Status.ContainerStatuses[0]
			s.RestartCount = 57
			s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled",
				FinishedAt: metav1.Now()}
		})
		// A change that would have the kubelet write its status.
		h.must(h.Patch(t.Context(), pod, client.RawPatch(types.MergePatchType,
			[]byte(`{"metadata":{"annotations":{"sandbox.hcctl.dev/hold":"unready"}}}`))))
		h.must(h.Delete(t.Context(), podOf(t, h, in, "etcd-1"))) // its successor is well
		awaits(h, etcd, 30*time.Second, members(3))
		awaits(h, pod, 5*time.Second, func(p *corev1.Pod) string {
			if s := p.Status.ContainerStatuses[0]; s.RestartCount != 57 || !s.Ready {
				return fmt.Sprintf("%+v", s)
			}
			return ""
		})
	})
	t.Run("no node", func(t *testing.T) {
		nodes := &corev1.NodeList{}
		h.must(h.List(t.Context(), nodes, client.HasLabels{"node-role.kubernetes.io/worker"}))
		for i := range nodes.Items {
			h.must(h.Patch(t.Context(), &nodes.Items[i], client.RawPatch(types.MergePatchType,
				[]byte(`{"spec":{"unschedulable":true}}`))))
		}
		h.must(h.Delete(t.Context(), podOf(t, h, in, "etcd-1")))
		awaits(h, etcd, 30*time.Second, members(2))
		told(t, h, "Pod", in, "etcd-1", "FailedScheduling", "node(s) were unschedulable")
		for i := range nodes.Items {
			h.must(h.Patch(t.Context(), &nodes.Items[i], client.RawPatch(types.MergePatchType,
				[]byte(`{"spec":{"unschedulable":null}}`))))
		}
		awaits(h, etcd, 30*time.Second, members(3))
	})
	t.Run("operator that hangs, and is away", func(t *testing.T) {
		change(h, hc, func(hc *hyperv1.HostedCluster) {
			hc.SetAnnotations(map[string]string{fault.Annotation: "hypershift-hangs"})
		})
		change(h, hc, func(hc *hyperv1.HostedCluster) { hc.Spec.Release = releaseOf("4.19.3") })
		operator := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "hypershift", Name: "operator"}}
		change(h, operator, func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To[int32](0) })
		awaits(h, operator, 30*time.Second, func(d *appsv1.Deployment) string {
			return is0(d.Status.Replicas)
		})
		writeStatus(t, h.Client, hc, func(hc *hyperv1.HostedCluster) {
			meta.SetStatusCondition(&hc.Status.Conditions, metav1.Condition{Type: "Degraded", Status: "True",
				Reason: "UnavailableReplicas", Message: "old"})
		})
		awaits(h, operator, 5*time.Second, func(d *appsv1.Deployment) string { return is0(ptr.Deref(d.Spec.Replicas, 1)) })
		h.must(h.Get(t.Context(), client.ObjectKeyFromObject(hc), hc))
		c := meta.FindStatusCondition(hc.Status.Conditions, "Degraded")
		if a := meta.FindStatusCondition(hc.Status.Conditions, "Available"); c.Message != "old" ||
			a.ObservedGeneration >= hc.Generation {
			t.Errorf("somebody reconciles: %+v, generation %d, %+v", c, hc.Generation, a)
		}
	})
}

func is0(n int32) string {
	if n != 0 {
		return fmt.Sprintf("%d pods", n)
	}
	return ""
}

func podOf(t *testing.T, h *host, in, name string) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: in, Name: name}}
	h.must(h.Get(t.Context(), client.ObjectKeyFromObject(pod), pod))
	return pod
}

// told waits for a Warning event about an object.
func told(t *testing.T, h *host, kind, in, name, reason, message string) {
	t.Helper()
	eventually(t, 30*time.Second, func() error {
		list := &corev1.EventList{}
		err := h.List(t.Context(), list, client.InNamespace(in), client.MatchingFields{"involvedObject.kind": kind})
		if err != nil {
			return err
		}
		var said []string
		for _, e := range list.Items {
			if strings.HasPrefix(e.InvolvedObject.Name, name) && e.Type == corev1.EventTypeWarning {
				said = append(said, e.Reason+": "+e.Message)
			}
		}
		if !slices.ContainsFunc(said, func(s string) bool {
			return strings.HasPrefix(s, reason+": ") && strings.Contains(s, message)
		}) {
			return fmt.Errorf("events of %s %s: %q", kind, name, said)
		}
		return nil
	})
}
