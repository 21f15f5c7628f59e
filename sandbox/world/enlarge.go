package world

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Enlarge multiplies every node's resources by ten, so that a hundred hosted clusters fit, and adds a second address
// range to the load balancer's pool if there is one. A real fleet has more nodes of the usual size instead.
func Enlarge(ctx context.Context, c client.Client, n Net) error {
	nodes := &corev1.NodeList{}
	if err := c.List(ctx, nodes); err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		before := node.DeepCopy()
		for _, list := range []corev1.ResourceList{node.Status.Capacity, node.Status.Allocatable} {
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods} {
				q := list[name]
				q.Mul(10)
				list[name] = q
			}
		}
		if err := c.Status().Patch(ctx, node, client.MergeFrom(before)); err != nil {
			return fmt.Errorf("enlarge node %s: %w", node.Name, err)
		}
	}
	return moreAddresses(ctx, c, n)
}

func moreAddresses(ctx context.Context, c client.Client, n Net) error {
	pool := &unstructured.Unstructured{}
	pool.SetGroupVersionKind(schema.GroupVersionKind{Group: "metallb.io", Version: "v1beta1", Kind: "IPAddressPool"})
	err := c.Get(ctx, client.ObjectKey{Namespace: "metallb-system", Name: "metallb"}, pool)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("get the load balancer's pool: %w", err)
	}
	before := pool.DeepCopy()
	ranges, _, err := unstructured.NestedStringSlice(pool.Object, "spec", "addresses")
	if err == nil {
		err = unstructured.SetNestedStringSlice(pool.Object, append(ranges, n.fleet()), "spec", "addresses")
	}
	if err != nil {
		return fmt.Errorf("addresses of the load balancer's pool: %w", err)
	}
	if err := c.Patch(ctx, pool, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("enlarge the load balancer's pool: %w", err)
	}
	return nil
}
