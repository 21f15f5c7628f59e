package virtualization

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/hcctl/hcctl/sandbox/kubelet"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// importerPod is the pod of CDI that fills a claim from a registry. Only the faults make it: an import that works takes
// a moment here, without a pod. The real one works on a claim of its own, which the name is of.
func importerPod(dv *cdiv1.DataVolume, claim *corev1.PersistentVolumeClaim) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: dv.Namespace, Name: "importer-prime-" + string(claim.UID),
			Labels: map[string]string{"app": "containerized-data-importer", "cdi.kubevirt.io": "importer",
				"app.kubernetes.io/managed-by": "cdi-controller"},
			Annotations: map[string]string{kubelet.HoldAnnotation: "pending"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(claim,
				corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"))},
		},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyOnFailure,
			Containers: []corev1.Container{{Name: "importer",
				Image: "sandbox.invalid/openshift-cnv/virt-cdi-importer"}, {Name: "server", Image: imageOf(dv)}},
		},
	}
}

func imageOf(dv *cdiv1.DataVolume) string {
	if dv.Spec.Source == nil || dv.Spec.Source.Registry == nil {
		return "sandbox.invalid/image"
	}
	return strings.TrimPrefix(ptr.Deref(dv.Spec.Source.Registry.URL, ""), "docker://")
}

// importer keeps the importer pod of a DataVolume, which no node takes, or whose image cannot be pulled.
func (v *virtualization) importer(ctx context.Context, dv *cdiv1.DataVolume, claim *corev1.PersistentVolumeClaim,
	tooLarge bool) error {
	pod := importerPod(dv, claim)
	if tooLarge {
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Ti")}
	}
	if err := framework.Create(ctx, v.Client, pod); err != nil {
		return err
	}
	if found, err := framework.Exists(ctx, v.Live, pod); err != nil || !found {
		return err
	}
	if _, large := pod.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory]; large != tooLarge {
		return framework.Remove(ctx, v.Client, pod)
	}
	if tooLarge || pod.Spec.NodeName == "" {
		return nil
	}
	image := imageOf(dv)
	if err := framework.WriteStatus(ctx, v.Live, pod, func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodPending
		p.Status.ContainerStatuses = []corev1.ContainerStatus{
			{Name: "importer", Image: p.Spec.Containers[0].Image, State: corev1.ContainerState{
				Waiting: &corev1.ContainerStateWaiting{Reason: "PodInitializing"}}},
			{Name: "server", Image: image, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{
				Reason: "ImagePullBackOff", Message: fmt.Sprintf("Back-off pulling image %q", image)}}},
		}
	}); err != nil {
		return err
	}
	return operator.Warn(ctx, v.Live, pod, "kubelet", "Failed",
		fmt.Sprintf("Failed to pull image %q: manifest unknown", image))
}
