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

// spared is the memory vmNoCapacity leaves on each node: enough for the small pods of control planes, too little for a
// virtual machine.
const spared = 2 << 30

// vmNoCapacity has somebody else's pods use nearly all memory of each node that runs virtual machines.
func (s *injector) vmNoCapacity(ctx context.Context) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "batch"}}
	if err := s.Client.Create(ctx, ns, person); err != nil && !errors.IsAlreadyExists(err) {
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
		if free <= spared {
			continue
		}
		d := hog(nodes.Items[i].Name, *resource.NewQuantity(free-spared, resource.BinarySI))
		if err := s.Client.Create(ctx, d, person); err != nil {
			return fmt.Errorf("create Deployment %s: %w", d.Name, err)
		}
		err := until(ctx, "the memory of "+nodes.Items[i].Name+" to be used", func(ctx context.Context) (bool, error) {
			err := s.Client.Get(ctx, client.ObjectKeyFromObject(d), d)
			return d.Status.AvailableReplicas == 1, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// requested is the memory that pods of a node ask for.
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

// hog is a workload on one node that asks for so much memory.
func hog(node string, memory resource.Quantity) *appsv1.Deployment {
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
