package cause

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// ControlPlane explains an unhealthy Deployment, StatefulSet or Pod of the control plane. A workload is explained by
// its unhealthy pods, or by the Event of its controller if that cannot create pods.
func (w *Walker) ControlPlane(ctx context.Context, kind, name string) []Symptom {
	pods, err := w.pods(ctx)
	if err != nil {
		return nil
	}
	var out []Symptom
	for i := range pods {
		if kind == "Pod" && pods[i].Name == name || Owns(kind, name, &pods[i]) {
			if s := w.Pod(ctx, &pods[i]); !s.OK() {
				out = append(out, s)
			}
		}
	}
	slices.SortStableFunc(out, byTrouble)
	controllerKind, is := kind, func(of string) bool { return of == name }
	if kind == "Deployment" {
		controllerKind, is = "ReplicaSet", func(of string) bool { return deploymentOf(of) == name }
	}
	// A pod that cannot be created explains more than one that is starting.
	if e, found := w.warningIn(ctx, w.management, w.namespace(), controllerKind, is); found && e.Reason == failedCreate {
		out = append([]Symptom{w.eventSymptom(nameOf(e), e)}, out...)
	}
	return limitBelow(out)
}

// Refused returns the workloads whose controllers may not create a pod because of a quota or of admission.
func (w *Walker) Refused(ctx context.Context) []Symptom {
	var out []Symptom
	for _, kind := range []string{"StatefulSet", "ReplicaSet"} {
		e, found := w.warningIn(ctx, w.management, w.namespace(), kind, func(string) bool { return true })
		if found && e.Reason == failedCreate {
			out = append(out, w.eventSymptom(nameOf(e), e))
		}
	}
	return out
}

// failedCreate is an Event reason of Kubernetes' controllers (pkg/controller/controller_utils.go,
// FailedCreatePodReason; statefulset/stateful_pod_control.go).
const failedCreate = "FailedCreate"

// Owns reports whether a pod belongs to a Deployment, StatefulSet or ReplicaSet.
func Owns(kind, name string, pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	switch {
	case owner == nil:
		return false
	case owner.Kind == "ReplicaSet" && kind == "Deployment":
		return deploymentOf(owner.Name) == name
	}
	return owner.Kind == kind && owner.Name == name
}

// deploymentOf returns the name of a ReplicaSet's Deployment: it cuts off the hash.
func deploymentOf(replicaSet string) string {
	return replicaSet[:max(0, strings.LastIndex(replicaSet, "-"))]
}

func (w *Walker) pods(ctx context.Context) ([]corev1.Pod, error) {
	return once(w, podsKey, func() ([]corev1.Pod, error) {
		return kube.ListAll(ctx, w.management, &corev1.PodList{}, func(l *corev1.PodList) []corev1.Pod { return l.Items },
			w.inNamespace())
	})
}

func (w *Walker) claims(ctx context.Context) []corev1.PersistentVolumeClaim {
	all, _ := once(w, claimsKey, func() ([]corev1.PersistentVolumeClaim, error) {
		return kube.ListAll(ctx, w.management, &corev1.PersistentVolumeClaimList{},
			func(l *corev1.PersistentVolumeClaimList) []corev1.PersistentVolumeClaim { return l.Items }, w.inNamespace())
	})
	return all
}

// Pod judges a pod in the control plane namespace, and explains it if it is unhealthy.
func (w *Walker) Pod(ctx context.Context, pod *corev1.Pod) Symptom {
	s := Symptom{Verdict: health.Of(pod, w.now())}
	if s.OK() {
		return s
	}
	e, found := w.warning(ctx, "Pod", pod.Name)
	s = w.withEvent(s, e, found)
	if s.Reason == corev1.PodReasonUnschedulable {
		s.Below = w.unschedulableNodes(ctx, pod, s.Message)
	}
	if _, wrong := health.TroubleOf(pod); !wrong && pod.Spec.NodeName != "" {
		s.Below = w.notReadyNode(ctx, pod.Spec.NodeName)
	}
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			s.Below = append(s.Below, w.claim(ctx, v.PersistentVolumeClaim.ClaimName)...)
		}
	}
	return s
}

// claim explains a volume claim that is not bound. A claim that only waits for its first pod is healthy.
func (w *Walker) claim(ctx context.Context, name string) []Symptom {
	all := w.claims(ctx)
	i := slices.IndexFunc(all, func(c corev1.PersistentVolumeClaim) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	s := Symptom{Verdict: health.Of(&all[i], w.now())}
	e, found := w.warning(ctx, "PersistentVolumeClaim", name)
	if s.OK() || !s.Trouble && !found {
		return nil
	}
	return []Symptom{w.withEvent(s, e, found)}
}
