package inject

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// freeMemory is the memory that vmNoCapacity leaves free on each node. The small pods of control planes fit, a virtual
// machine does not.
const freeMemory = 2 << 30

// vmNoCapacity fills the memory of each node that runs virtual machines with other pods.
func (s *injector) vmNoCapacity(ctx context.Context) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "batch"}}
	if err := s.Client.Create(ctx, ns, fieldManager); err != nil && !errors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace %s: %w", ns.Name, err)
	}
	nodes := &corev1.NodeList{}
	if err := s.Client.List(ctx, nodes, client.MatchingLabels{"kubevirt.io/schedulable": "true"}); err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	pods := &corev1.PodList{}
	if err := s.Client.List(ctx, pods); err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	for i := range nodes.Items {
		free := nodes.Items[i].Status.Allocatable.Memory().Value() - requested(pods.Items, nodes.Items[i].Name)
		if free <= freeMemory {
			continue
		}
		d := memoryHog(nodes.Items[i].Name, *resource.NewQuantity(free-freeMemory, resource.BinarySI))
		if err := s.Client.Create(ctx, d, fieldManager); err != nil {
			return fmt.Errorf("create Deployment %s: %w", d.Name, err)
		}
		err := waitFor(ctx, "the memory of "+nodes.Items[i].Name+" to be used", func(ctx context.Context) (bool, error) {
			err := s.Client.Get(ctx, client.ObjectKeyFromObject(d), d)
			return d.Status.AvailableReplicas == 1, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// requested returns the memory requests of a node's pods.
func requested(pods []corev1.Pod, node string) int64 {
	var sum int64
	for i := range pods {
		if pods[i].Spec.NodeName != node || pods[i].Status.Phase == corev1.PodSucceeded ||
			pods[i].Status.Phase == corev1.PodFailed {
			continue
		}
		for _, c := range pods[i].Spec.Containers {
			sum += c.Resources.Requests.Memory().Value()
		}
	}
	return sum
}

// memoryHog is a Deployment on one node with this memory request.
func memoryHog(node string, memory resource.Quantity) *appsv1.Deployment {
	labels := map[string]string{"app": "batch-" + node}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "batch", Name: "batch-" + node},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					NodeSelector: map[string]string{corev1.LabelHostname: node},
					Containers: []corev1.Container{{
						Name: "batch", Image: "registry.example.com/batch:1",
						Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceMemory: memory}},
					}},
				},
			},
		},
	}
}
