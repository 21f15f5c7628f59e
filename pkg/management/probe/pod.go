package probe

import (
	"cmp"
	"context"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// OpenShift's DNS operator runs the release's client image on each node (cluster-dns-operator,
// controller_dns_node_resolver_daemonset.go). So each node already has it, and it is not pulled.
const (
	dnsNamespace      = "openshift-dns"
	resolverDaemonSet = "node-resolver"
	resolverContainer = "dns-node-resolver"
)

const (
	// containerName names the container of each pod.
	containerName = "probe"
	// podDeadline ends a pod whose hcctl was killed, after this number of seconds.
	podDeadline = 900
	// maxMessage is the maximum length of a termination message in bytes. A kubelet keeps at most 4096.
	maxMessage = 4096
)

// image returns the image of the probes' pods.
func (s *session) image(ctx context.Context) (string, *step.Finding) {
	if s.options.Image != "" {
		return s.options.Image, nil
	}
	set := &appsv1.DaemonSet{}
	const object = "DaemonSet " + dnsNamespace + "/" + resolverDaemonSet
	err := s.client.Get(ctx, types.NamespacedName{Namespace: dnsNamespace, Name: resolverDaemonSet}, set)
	if err != nil && !apierrors.IsNotFound(err) {
		f := failure(err).On(object)
		return "", &f
	}
	for i := range set.Spec.Template.Spec.Containers {
		if c := &set.Spec.Template.Spec.Containers[i]; c.Name == resolverContainer {
			return c.Image, nil
		}
	}
	f := unknown("it does not name the release's client image, which the pods of probes run").On(object).
		WithHint("name an image that the nodes can pull: %s IMAGE (%s#image)", hint.Flag("probe-image"), docs)
	return "", &f
}

// pod returns a pod that runs a script to its end. It meets the restricted PodSecurity standard, and has no token.
func (s *session) pod(name, image, script string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name, Labels: map[string]string{"probe": name}},
		Spec: corev1.PodSpec{
			RestartPolicy:                 corev1.RestartPolicyNever,
			ActiveDeadlineSeconds:         ptr.To[int64](podDeadline),
			TerminationGracePeriodSeconds: ptr.To[int64](1),
			AutomountServiceAccountToken:  ptr.To(false),
			EnableServiceLinks:            ptr.To(false),
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{
				Name: containerName, Image: image, ImagePullPolicy: corev1.PullIfNotPresent,
				Command:                  []string{"/bin/sh", "-c", script},
				TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: ptr.To(false),
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("20m"), corev1.ResourceMemory: resource.MustParse("64Mi")}},
			}},
		},
	}
}

// mount adds a volume to a pod's container.
func mount(pod *corev1.Pod, name, path string, source corev1.VolumeSource) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
	c := &pod.Spec.Containers[0]
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: path})
}

// create writes an object of the probe.
func (s *session) create(ctx context.Context, o client.Object) error {
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[kube.ManagedByLabel] = kube.FieldOwner
	o.SetLabels(labels)
	// A new namespace gets its service account, which pods need, and its user ID range a moment later.
	return retried(ctx, func() error {
		err := s.client.Create(ctx, o, client.FieldOwner(kube.FieldOwner))
		if apierrors.IsAlreadyExists(err) {
			return nil // an earlier attempt succeeded and its response was lost
		}
		return err
	})
}

// runPod creates a pod and waits until it has ended. message is the container's termination message.
func (s *session) runPod(ctx context.Context, pod *corev1.Pod) (message string, f step.Finding) {
	if err := s.create(ctx, pod); err != nil {
		return "", failure(err).On("Pod %s", kube.Name(pod))
	}
	f = s.await(ctx, func(ctx context.Context, r kube.Reader) step.Finding {
		now := &corev1.Pod{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(pod), now); err != nil {
			return kube.Unknown(err).On("Pod %s", kube.Name(pod))
		}
		message = terminationMessage(now)
		return judgePod(now).On("Pod %s", kube.Name(pod))
	})
	return message, f
}

// terminationMessage returns the termination message of an ended pod's container.
func terminationMessage(pod *corev1.Pod) string {
	for i := range pod.Status.ContainerStatuses {
		if t := pod.Status.ContainerStatuses[i].State.Terminated; t != nil {
			return t.Message[:min(len(t.Message), maxMessage)]
		}
	}
	return ""
}

// judgePod reports the progress of a pod that runs to its end.
func judgePod(pod *corev1.Pod) step.Finding {
	switch pod.Status.Phase {
	case corev1.PodSucceeded:
		return step.OK("it has succeeded")
	case corev1.PodFailed:
		return step.Broken("it has failed: %s", reasonOf(pod))
	case corev1.PodPending, corev1.PodRunning, corev1.PodUnknown:
	}
	return waitsFor(pod)
}

// waitsFor reports what a pod that has not ended waits for.
func waitsFor(pod *corev1.Pod) step.Finding {
	switch trouble, wrong := health.TroubleOf(pod); {
	case trouble.Reason == "ImagePullBackOff" || trouble.Reason == "InvalidImageName":
		return step.Broken("its image cannot be pulled: %s: %s", trouble.Reason, short(trouble.Message)).
			WithHint("name an image that the nodes can pull: %s IMAGE (%s#image)", hint.Flag("probe-image"), docs)
	case trouble.Reason == "CreateContainerConfigError" || trouble.Reason == "CreateContainerError":
		return step.Broken("its container cannot start: %s: %s", trouble.Reason, short(trouble.Message))
	case wrong && trouble.Container == "":
		return step.Pending("its pod fits on no node: %s", short(trouble.Message))
	}
	return step.Pending("its pod is %s", strings.ToLower(string(pod.Status.Phase)))
}

// reasonOf returns why a pod has ended: preferably its own message.
func reasonOf(pod *corev1.Pod) string {
	return cmp.Or(short(terminationMessage(pod)),
		strings.TrimPrefix(short(health.Of(pod, time.Time{}).Message), "it has failed: "), "no reason given")
}

// short reduces the text of a container or controller to one line of limited length.
func short(text string) string {
	const maxLength = 400
	line := sanitize.Value(strings.Join(strings.Fields(text), " "))
	if len(line) > maxLength {
		return strings.ToValidUTF8(line[:maxLength], "") + "…"
	}
	return line
}
