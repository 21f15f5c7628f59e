package fit

import (
	"context"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Usage is what the pods of a cluster that have not ended request.
type Usage struct {
	// Nodes are the sums by node, and Namespaces those by namespace, with pods that have no node.
	Nodes, Namespaces map[string]Resources
	// Waiting are the pods without a node.
	Waiting []Waiting
	// Launchers counts the pods of worker VMs, by namespace and NodePool.
	Launchers map[types.NamespacedName]int
}

// Waiting is a pod without a node.
type Waiting struct {
	Namespace string
	Created   time.Time
	Pod
}

// usageKey is what ReadUsage is shared by.
const usageKey = "what pods request but in "

// ReadUsage sums what pods request. It asks page by page and keeps the sums only: a management cluster has many
// thousands of pods. Those of the namespace but are left out. Readers that read once share the answer.
func ReadUsage(ctx context.Context, r kube.Reader, but string) (*Usage, error) {
	return kube.Once(ctx, r, usageKey+but, func(ctx context.Context) (*Usage, error) {
		u := &Usage{Nodes: map[string]Resources{}, Namespaces: map[string]Resources{},
			Launchers: map[types.NamespacedName]int{}}
		pods := &corev1.PodList{}
		err := r.ListPages(ctx, pods, func() {
			for i := range pods.Items {
				if pods.Items[i].Namespace != but {
					u.add(&pods.Items[i])
				}
			}
		}, client.MatchingFieldsSelector{Selector: notEnded()})
		return u, err
	})
}

func (u *Usage) add(pod *corev1.Pod) {
	p := PodOf(pod)
	sum := func(by map[string]Resources, key string) {
		if by[key] == nil {
			by[key] = Resources{}
		}
		by[key].Add(p.Requests, 1)
	}
	sum(u.Namespaces, pod.Namespace)
	if pool, has := pod.Labels[hyperv1.NodePoolNameLabel]; has {
		u.Launchers[types.NamespacedName{Namespace: pod.Namespace, Name: pool}]++
	}
	if pod.Spec.NodeName == "" {
		u.Waiting = append(u.Waiting, Waiting{pod.Namespace, pod.CreationTimestamp.Time, p})
		return
	}
	sum(u.Nodes, pod.Spec.NodeName)
}

// notEnded selects pods that still hold what they requested.
func notEnded() fields.Selector {
	return fields.AndSelectors(fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)))
}

// Free are the nodes with what nothing on them requests.
func (u *Usage) Free(nodes []corev1.Node) []Node {
	out := make([]Node, len(nodes))
	for i := range nodes {
		out[i] = Node{&nodes[i], Allocatable(&nodes[i]).Minus(u.Nodes[nodes[i].Name])}
	}
	return out
}
