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

// Workload says what an operator deploys: nothing runs in these pods, the sandbox's kubelet makes them ready.
type Workload struct {
	types.NamespacedName
	Labels   map[string]string
	Replicas int32
	// Pod changes the pod's spec beyond the one container it has.
	Pod func(*corev1.PodSpec)
	// Owner is what a new DaemonSet goes with; nil for nothing.
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

// Deployed makes sure the Deployment exists and tells whether it is Available in full.
func (l *Run) Deployed(ctx context.Context, w Workload) (bool, error) {
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

// AllAvailable tells whether all pods of a Deployment are available.
func AllAvailable(d *appsv1.Deployment) bool {
	return d.Status.ObservedGeneration >= d.Generation && d.Status.AvailableReplicas >= ptr.Deref(d.Spec.Replicas, 1)
}

// OnNodes makes sure the DaemonSet exists and has the placement of w, and tells how many of its pods there should be
// and how many are ready. desired is -1 as long as the DaemonSet controller has not looked.
func (l *Run) OnNodes(ctx context.Context, w Workload) (desired, ready int32, err error) {
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
		!equality.Semantic.DeepEqual(d.Spec.Template.Spec.Tolerations, want.Tolerations) {
		return -1, 0, Change(ctx, l.Client, d, func(d *appsv1.DaemonSet) {
			d.Spec.Template.Spec.Affinity = want.Affinity
			d.Spec.Template.Spec.Tolerations = want.Tolerations
		})
	}
	if d.Status.ObservedGeneration < d.Generation {
		return -1, 0, nil
	}
	return d.Status.DesiredNumberScheduled, d.Status.NumberReady, nil
}

// RunningVersion is what an operator's Deployment tells its containers that their version is, in the environment
// variable name; "" if there is no such Deployment or variable. It changes when OLM upgrades the operator.
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
