package capacity

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Used sums what the pods that have not ended request, by node, and counts those without a node. It asks page by page
// and keeps the sums only: a management cluster has many thousands of pods.
func Used(ctx context.Context, r kube.Reader) (used map[string]Resources, homeless int, err error) {
	used = map[string]Resources{}
	pods := &corev1.PodList{}
	err = r.ListPages(ctx, pods, func() {
		for i := range pods.Items {
			if node := pods.Items[i].Spec.NodeName; node != "" {
				used[node] = used[node].Plus(Requests(&pods.Items[i]))
			} else {
				homeless++
			}
		}
	}, client.MatchingFieldsSelector{Selector: notEnded()})
	return used, homeless, err
}

// notEnded selects pods that still hold what they requested.
func notEnded() fields.Selector {
	return fields.AndSelectors(
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)),
	)
}
