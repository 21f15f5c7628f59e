package operators

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

// workload says what an operator deploys: nothing runs in these pods, the sandbox's kubelet makes them ready.
type workload struct {
	types.NamespacedName
	labels   map[string]string
	replicas int32
	// pod changes the pod's spec beyond the one container it has.
	pod func(*corev1.PodSpec)
	// owner is what a new DaemonSet goes with; nil for nothing.
	owner *unstructured.Unstructured
}

func (w workload) podLabels() map[string]string {
	if w.labels != nil {
		return w.labels
	}
	return map[string]string{"app": w.Name}
}

func (w workload) template() corev1.PodTemplateSpec {
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
	if w.pod != nil {
		w.pod(&t.Spec)
	}
	return t
}

// deployed makes sure the Deployment exists and tells whether it is Available in full.
func (l *life) deployed(ctx context.Context, w workload) (bool, error) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name}}
	found, err := exists(ctx, l.Client, d)
	if err != nil {
		return false, err
	}
	if !found {
		d.Labels = w.podLabels()
		d.Spec = appsv1.DeploymentSpec{
			Replicas: ptr.To(max(1, w.replicas)),
			Selector: &metav1.LabelSelector{MatchLabels: w.podLabels()},
			Template: w.template(),
		}
		return false, create(ctx, l.Client, d)
	}
	return allAvailable(d), nil
}

func allAvailable(d *appsv1.Deployment) bool {
	return d.Status.ObservedGeneration >= d.Generation && d.Status.AvailableReplicas >= ptr.Deref(d.Spec.Replicas, 1)
}

// onNodes makes sure the DaemonSet exists and has the placement of w, and tells how many of its pods there should be
// and how many are ready. desired is -1 as long as the DaemonSet controller has not looked.
func (l *life) onNodes(ctx context.Context, w workload) (desired, ready int32, err error) {
	d := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name}}
	found, err := exists(ctx, l.Client, d)
	if err != nil {
		return -1, 0, err
	}
	if !found {
		d.Labels = w.podLabels()
		if w.owner != nil {
			d.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(w.owner, w.owner.GroupVersionKind())}
		}
		d.Spec = appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: w.podLabels()},
			Template: w.template(),
		}
		return -1, 0, create(ctx, l.Client, d)
	}
	want := w.template().Spec
	if !equality.Semantic.DeepEqual(d.Spec.Template.Spec.Affinity, want.Affinity) ||
		!equality.Semantic.DeepEqual(d.Spec.Template.Spec.Tolerations, want.Tolerations) {
		return -1, 0, change(ctx, l.Client, d, func(d *appsv1.DaemonSet) {
			d.Spec.Template.Spec.Affinity = want.Affinity
			d.Spec.Template.Spec.Tolerations = want.Tolerations
		})
	}
	if d.Status.ObservedGeneration < d.Generation {
		return -1, 0, nil
	}
	return d.Status.DesiredNumberScheduled, d.Status.NumberReady, nil
}

// runningVersion is what an operator's Deployment tells its containers that their version is, in the environment variable
// name; "" if there is no such Deployment or variable. It changes when OLM upgrades the operator.
func (l *life) runningVersion(ctx context.Context, key types.NamespacedName, name string) (string, error) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	if found, err := exists(ctx, l.Client, d); err != nil || !found {
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
