package framework

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Workload is a Deployment or DaemonSet of an operator. Nothing runs in its pods; the sandbox's kubelet makes them
// ready.
type Workload struct {
	types.NamespacedName
	Labels   map[string]string
	Replicas int32
	// Pod changes the pod spec, which has one container.
	Pod func(*corev1.PodSpec)
	// Owner is the owner of a new DaemonSet, or nil.
	Owner *unstructured.Unstructured
}

func (w Workload) podLabels() map[string]string {
	if w.Labels != nil {
		return w.Labels
	}
	return map[string]string{"app": w.Name}
}

func (w Workload) template() corev1.PodTemplateSpec {
	t := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: w.podLabels()},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name:  w.Name,
			Image: "sandbox.invalid/" + w.Namespace + "/" + w.Name,
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU:    resource.MustParse("10m"),
				corev1.ResourceMemory: resource.MustParse("32Mi"),
			}},
		}}},
	}
	if w.Pod != nil {
		w.Pod(&t.Spec)
	}
	return t
}

// EnsureDeployment creates or updates the Deployment and reports whether all its pods are available.
func (l *Run) EnsureDeployment(ctx context.Context, w Workload) (bool, error) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name}}
	found, err := Exists(ctx, l.Client, d)
	if err != nil {
		return false, err
	}
	if !found {
		d.Labels = w.podLabels()
		d.Spec = appsv1.DeploymentSpec{
			Replicas: ptr.To(max(1, w.Replicas)),
			Selector: &metav1.LabelSelector{MatchLabels: w.podLabels()},
			Template: w.template(),
		}
		return false, Create(ctx, l.Client, d)
	}
	return AllAvailable(d), nil
}

// AllAvailable reports whether all pods of a Deployment are available.
func AllAvailable(d *appsv1.Deployment) bool {
	return d.Status.ObservedGeneration >= d.Generation && d.Status.AvailableReplicas >= ptr.Deref(d.Spec.Replicas, 1)
}

// EnsureDaemonSet creates or updates the DaemonSet with the placement of w, and returns the desired and ready numbers
// of its pods. desired is -1 until the DaemonSet controller has reconciled it.
func (l *Run) EnsureDaemonSet(ctx context.Context, w Workload) (desired, ready int32, err error) {
	d := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name}}
	found, err := Exists(ctx, l.Client, d)
	if err != nil {
		return -1, 0, err
	}
	if !found {
		d.Labels = w.podLabels()
		if w.Owner != nil {
			d.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(w.Owner, w.Owner.GroupVersionKind())}
		}
		d.Spec = appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: w.podLabels()},
			Template: w.template(),
		}
		return -1, 0, Create(ctx, l.Client, d)
	}
	want := w.template().Spec
	if !equality.Semantic.DeepEqual(d.Spec.Template.Spec.Affinity, want.Affinity) ||
		!equality.Semantic.DeepEqual(d.Spec.Template.Spec.NodeSelector, want.NodeSelector) ||
		!equality.Semantic.DeepEqual(d.Spec.Template.Spec.Tolerations, want.Tolerations) {
		return -1, 0, Change(ctx, l.Client, d, func(d *appsv1.DaemonSet) {
			d.Spec.Template.Spec.Affinity = want.Affinity
			d.Spec.Template.Spec.NodeSelector = want.NodeSelector
			d.Spec.Template.Spec.Tolerations = want.Tolerations
		})
	}
	if d.Status.ObservedGeneration < d.Generation {
		return -1, 0, nil
	}
	return d.Status.DesiredNumberScheduled, d.Status.NumberReady, nil
}

// RunningVersion returns an operator's version from the environment variable name in its Deployment, or "". The version
// changes when OLM upgrades the operator.
func (l *Run) RunningVersion(ctx context.Context, key types.NamespacedName, name string) (string, error) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	if found, err := Exists(ctx, l.Client, d); err != nil || !found {
		return "", err
	}
	for _, c := range d.Spec.Template.Spec.Containers {
		for _, e := range c.Env {
			if e.Name == name {
				return e.Value, nil
			}
		}
	}
	return "", nil
}
