package prereqs

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Hosts tells whether control planes and workers of hosted clusters may run on the node: a worker that is ready and takes pods.
func Hosts(n *corev1.Node) bool { return isWorker(n) && takesPods(n) && nodeReady(n) }

// Ready is the node's condition of that name.
func Ready(n *corev1.Node) bool { return nodeReady(n) }

// MostClusters is how many hosted clusters the hypershift addon counts this management cluster full at.
func MostClusters(ctx context.Context, c *kube.Client) (int64, error) { return mostClusters(ctx, c) }
