package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// finishedLabel keeps an object out of the simulated operators' caches (docs/dev/sandbox.md), in sandboxes with
// --clusters.
const finishedLabel = "sandbox.hcctl.dev/finished"

// freeze makes the operators ignore a hosted cluster and its node pool, so that only the bench changes their status.
// The API server and the control plane keep running.
func (w *testbed) freeze(ctx context.Context, name string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:"true"}}}`, finishedLabel)
	for _, kind := range []schema.GroupVersionResource{nodePools, hostedClusters} {
		if _, err := w.client.Resource(kind).Namespace(namespace).
			Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	w.frozen = true
	return nil
}
