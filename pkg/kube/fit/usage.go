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

// Usage is the sum of the requests of all pods in a cluster that have not ended.
type Usage struct {
	// Nodes has the sums by node. Namespaces has the sums by namespace, including pods without a node.
	Nodes, Namespaces map[string]Resources
	// Waiting has the pods without a node.
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

// usageKey is the prefix of the key by which Readers share ReadUsage.
const usageKey = "what pods request but in "

// ReadUsage sums the requests of all pods, except those of the namespace but. It reads page by page and keeps only the
// sums, because a management cluster has many thousands of pods. Caching Readers share the result.
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

// notEnded selects pods whose requests are still reserved.
func notEnded() fields.Selector {
	return fields.AndSelectors(fields.OneTermNotEqualSelector("status.phase", string(corev1.PodSucceeded)),
		fields.OneTermNotEqualSelector("status.phase", string(corev1.PodFailed)))
}

// Free returns the nodes with the resources that no pod on them requests.
func (u *Usage) Free(nodes []corev1.Node) []Node {
	out := make([]Node, len(nodes))
	for i := range nodes {
		out[i] = Node{&nodes[i], Allocatable(&nodes[i]).Minus(u.Nodes[nodes[i].Name])}
	}
	return out
}
