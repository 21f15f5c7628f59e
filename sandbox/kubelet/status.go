package kubelet

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// creating sets the status of a pod whose containers are being created.
func (k *kubelet) creating(pod *corev1.Pod) {
	pod.Status.Phase = corev1.PodPending
	pod.Status.StartTime = ptr.To(metav1.Now())
	setCondition(pod, corev1.PodInitialized, corev1.ConditionTrue, "")
	setCondition(pod, corev1.PodReady, corev1.ConditionFalse, "ContainersNotReady")
	setCondition(pod, corev1.ContainersReady, corev1.ConditionFalse, "ContainersNotReady")
	waiting := func(c *corev1.Container) corev1.ContainerStatus {
		return corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Started: ptr.To(false),
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}},
		}
	}
	pod.Status.ContainerStatuses = statuses(pod.Spec.Containers, waiting)
	pod.Status.InitContainerStatuses = statuses(pod.Spec.InitContainers, waiting)
}

// running sets the status of a pod whose containers all run. They are ready unless the pod is held.
func (k *kubelet) running(pod *corev1.Pod, hostIP string) {
	now := metav1.Now()
	ready := pod.Annotations[HoldAnnotation] != "unready"
	pod.Status.Phase = corev1.PodRunning
	pod.Status.HostIP = hostIP
	pod.Status.HostIPs = []corev1.HostIP{{IP: hostIP}}
	if pod.Status.PodIP == "" {
		pod.Status.PodIP = hostIP
		if !pod.Spec.HostNetwork {
			pod.Status.PodIP = k.addresses.next()
		}
		pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
	}
	run := func(old []corev1.ContainerStatus, ready bool) func(c *corev1.Container) corev1.ContainerStatus {
		return func(c *corev1.Container) corev1.ContainerStatus {
			started := now
			if i := indexOf(old, c.Name); i >= 0 && old[i].State.Running != nil {
				started = old[i].State.Running.StartedAt
			}
			return corev1.ContainerStatus{
				Name: c.Name, Image: c.Image, ImageID: c.Image, ContainerID: "sandbox://" + string(pod.UID) + "/" + c.Name,
				Ready: ready, Started: ptr.To(true),
				State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}},
			}
		}
	}
	pod.Status.ContainerStatuses = statuses(pod.Spec.Containers, run(pod.Status.ContainerStatuses, ready))
	done := pod.Status.InitContainerStatuses
	sidecar := run(done, true)
	pod.Status.InitContainerStatuses = statuses(pod.Spec.InitContainers, func(c *corev1.Container) corev1.ContainerStatus {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			return sidecar(c)
		}
		if i := indexOf(done, c.Name); i >= 0 && done[i].State.Terminated != nil {
			return done[i]
		}
		return terminated(c, now, true)
	})
	setCondition(pod, corev1.PodReadyToStartContainers, corev1.ConditionTrue, "")
	if ready {
		setCondition(pod, corev1.ContainersReady, corev1.ConditionTrue, "")
	} else {
		setCondition(pod, corev1.ContainersReady, corev1.ConditionFalse, "ContainersNotReady")
	}
	setCondition(pod, corev1.PodReady, conditionOf(pod, corev1.ContainersReady), reasonOf(pod, corev1.ContainersReady))
	if !readinessGatesTrue(pod) {
		setCondition(pod, corev1.PodReady, corev1.ConditionFalse, "ReadinessGatesNotReady")
	}
}

// followContainers sets the conditions of a pod whose containers have the status that a user wrote.
func followContainers(pod *corev1.Pod) {
	var unready []string
	for _, c := range pod.Status.ContainerStatuses {
		if !c.Ready {
			unready = append(unready, c.Name)
		}
	}
	status, reason := corev1.ConditionTrue, ""
	if len(unready) > 0 {
		status, reason = corev1.ConditionFalse, "ContainersNotReady"
	}
	for _, t := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		if !operator.WrittenByOthers(pod, operator.ConditionPath(string(t))...) {
			setCondition(pod, t, status, reason)
			messageOf(pod, t, unready)
		}
	}
}

// messageOf names the containers that are not ready, as a kubelet does.
func messageOf(pod *corev1.Pod, t corev1.PodConditionType, unready []string) {
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type == t && len(unready) > 0 {
			c.Message = fmt.Sprintf("containers with unready status: [%s]", strings.Join(unready, " "))
		} else if c.Type == t {
			c.Message = ""
		}
	}
}

// Succeed sets the status of a pod whose containers have all succeeded.
func Succeed(pod *corev1.Pod) {
	now := metav1.Now()
	pod.Status.Phase = corev1.PodSucceeded
	pod.Status.ContainerStatuses = statuses(pod.Spec.Containers, func(c *corev1.Container) corev1.ContainerStatus {
		return terminated(c, now, false)
	})
	for _, t := range []corev1.PodConditionType{corev1.PodReady, corev1.ContainersReady} {
		setCondition(pod, t, corev1.ConditionFalse, "PodCompleted")
	}
}

func indexOf(list []corev1.ContainerStatus, name string) int {
	return slices.IndexFunc(list, func(s corev1.ContainerStatus) bool { return s.Name == name })
}

// terminated returns the status of a container that has succeeded. The API calls such an init container ready.
func terminated(c *corev1.Container, now metav1.Time, ready bool) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		Name: c.Name, Image: c.Image, ImageID: c.Image, Ready: ready, Started: ptr.To(false),
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: now,
			FinishedAt: now}},
	}
}

func statuses(containers []corev1.Container,
	of func(*corev1.Container) corev1.ContainerStatus) []corev1.ContainerStatus {
	var out []corev1.ContainerStatus
	for i := range containers {
		out = append(out, of(&containers[i]))
	}
	return out
}

// readinessGatesTrue reports whether every readiness gate of the pod has its condition True.
func readinessGatesTrue(pod *corev1.Pod) bool {
	for _, gate := range pod.Spec.ReadinessGates {
		if conditionOf(pod, gate.ConditionType) != corev1.ConditionTrue {
			return false
		}
	}
	return true
}

func setCondition(pod *corev1.Pod, t corev1.PodConditionType, status corev1.ConditionStatus, reason string) {
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type == t {
			if c.Status != status {
				c.LastTransitionTime = metav1.Now()
			}
			c.Status, c.Reason = status, reason
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
		Type: t, Status: status, Reason: reason, LastTransitionTime: metav1.Now(),
	})
}

func conditionOf(pod *corev1.Pod, t corev1.PodConditionType) corev1.ConditionStatus {
	for _, c := range pod.Status.Conditions {
		if c.Type == t {
			return c.Status
		}
	}
	return corev1.ConditionFalse
}

func reasonOf(pod *corev1.Pod, t corev1.PodConditionType) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == t {
			return c.Reason
		}
	}
	return ""
}

func statusEqual(a, b *corev1.Pod) bool { return equality.Semantic.DeepEqual(a.Status, b.Status) }
