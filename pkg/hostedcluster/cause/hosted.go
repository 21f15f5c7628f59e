package cause

import (
	"context"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// HostedPods returns the unhealthy pods in the hosted cluster's openshift-* and kube-* namespaces. It reads all pods
// page by page and keeps only those.
func HostedPods(ctx context.Context, hosted kube.Reader) ([]corev1.Pod, error) {
	var bad []corev1.Pod
	page := &corev1.PodList{}
	err := hosted.ListPages(ctx, page, func() {
		for i := range page.Items {
			pod := &page.Items[i]
			if IsPlatform(pod.Namespace) && health.Of(pod, hosted.Now()).State != step.StateOK {
				bad = append(bad, *pod)
			}
		}
	})
	return bad, err
}

// IsPlatform reports whether a namespace is OpenShift's or Kubernetes' own.
func IsPlatform(namespace string) bool {
	return strings.HasPrefix(namespace, "openshift-") || strings.HasPrefix(namespace, "kube-")
}

// HostedPod judges a pod of the hosted cluster and adds its Events. An unschedulable pod is also explained by the
// Events of its volume claims.
func (w *Walker) HostedPod(ctx context.Context, pod *corev1.Pod) Symptom {
	s := Symptom{Verdict: health.Of(pod, w.now()), Hosted: true}
	e, found := w.warningIn(ctx, w.hosted, pod.Namespace, "Pod", func(of string) bool { return of == pod.Name })
	s = w.withEvent(s, e, found)
	for _, v := range pod.Spec.Volumes {
		if s.Reason != corev1.PodReasonUnschedulable || v.PersistentVolumeClaim == nil {
			continue
		}
		is := func(of string) bool { return of == v.PersistentVolumeClaim.ClaimName }
		if e, found := w.warningIn(ctx, w.hosted, pod.Namespace, "PersistentVolumeClaim", is); found {
			claim := w.eventSymptom(nameOf(e), e)
			claim.Hosted = true
			s.Below = append(s.Below, claim)
		}
	}
	return s
}

// Network explains a node of the hosted cluster without a network by the unhealthy pods of the network plugin on it.
func (w *Walker) Network(ctx context.Context, node string, pods []corev1.Pod) []Symptom {
	return w.hostedPods(ctx, pods, func(pod *corev1.Pod) bool {
		return pod.Spec.NodeName == node && slices.Contains(networkNamespaces, pod.Namespace)
	})
}

// networkNamespaces are the namespaces of the network plugin's pods on the nodes (OpenShift's network operator, 4.12
// and later).
var networkNamespaces = []string{"openshift-ovn-kubernetes", "openshift-multus", "openshift-sdn"}

// Agents explains a broken connection to the nodes by the unhealthy konnectivity agents.
func (w *Walker) Agents(ctx context.Context, pods []corev1.Pod) []Symptom {
	return w.hostedPods(ctx, pods, func(pod *corev1.Pod) bool {
		return pod.Namespace == "kube-system" && strings.HasPrefix(pod.Name, "konnectivity-agent")
	})
}

func (w *Walker) hostedPods(ctx context.Context, pods []corev1.Pod, is func(*corev1.Pod) bool) []Symptom {
	var out []Symptom
	for i := range pods {
		if is(&pods[i]) {
			out = append(out, w.HostedPod(ctx, &pods[i]))
		}
	}
	return limitBelow(out)
}

// OwnsNamespace reports whether a namespace belongs to a ClusterOperator of the hosted cluster.
func OwnsNamespace(o *configv1.ClusterOperator, namespace string) bool {
	return namespace == "openshift-"+o.Name ||
		slices.ContainsFunc(o.Status.RelatedObjects, func(r configv1.ObjectReference) bool {
			return r.Group == "" && r.Resource == "namespaces" && r.Name == namespace
		})
}

// Requests returns the CertificateSigningRequests of the hosted cluster that are neither approved nor denied.
func Requests(ctx context.Context, hosted kube.Reader) ([]Symptom, error) {
	var out []Symptom
	page := kube.CertificateSigningRequest.NewList()
	err := hosted.ListPages(ctx, page, func() {
		for i := range page.Items {
			if s := (Symptom{Verdict: health.Judge(&page.Items[i], hosted.Now())}); !s.OK() {
				out = append(out, s)
			}
		}
	})
	return out, err
}
