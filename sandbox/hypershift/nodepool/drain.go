package nodepool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
)

// drainRetry is the time between two attempts to evict pods.
const drainRetry = 20 * time.Second

// drained evicts the pods of a node through the guest's API server, which asks their disruption budgets, and plays the
// kubelet that then ends them. It returns Cluster API's lines about pods that stay, none if the node is empty.
func (p *pool) drained(ctx context.Context, node *corev1.Node) ([]string, error) {
	if node == nil || p.guest.Phase != guest.Running || p.guest.InMemory() {
		return nil, nil
	}
	if err := guest.PlayBudgets(ctx, p.guest.Client); err != nil {
		return nil, err
	}
	pods := &corev1.PodList{}
	if err := p.guest.Client.List(ctx, pods, client.MatchingFields{"spec.nodeName": node.Name}); err != nil {
		return nil, fmt.Errorf("failed to get Pods for eviction: %w", err)
	}
	failed := map[string][]string{}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !evictable(pod) {
			continue
		}
		err := p.guest.Client.SubResource("eviction").Create(ctx, pod, &policyv1.Eviction{})
		if apierrors.IsTooManyRequests(err) {
			why := evictionRefusal(err)
			failed[why] = append(failed[why], pod.Namespace+"/"+pod.Name)
			continue
		}
		if err == nil {
			err = p.guest.Client.Delete(ctx, pod, client.GracePeriodSeconds(0))
		}
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("evict pod %s/%s of the guest in %s: %w", pod.Namespace, pod.Name, p.namespace, err)
		}
	}
	var lines []string
	for _, why := range slices.Sorted(maps.Keys(failed)) {
		lines = append(lines, msgNotEvicted(failed[why], why))
	}
	return lines, nil
}

// evictable reports whether a drain evicts a pod: not those of DaemonSets, static ones and those that a label excludes.
func evictable(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return (owner == nil || owner.Kind != "DaemonSet") && pod.Annotations[corev1.MirrorPodAnnotationKey] == "" &&
		pod.Labels["cluster.x-k8s.io/drain"] != "skip"
}

// evictionRefusal is the API server's message with its causes, which name the budget.
func evictionRefusal(err error) string {
	var refused *apierrors.StatusError
	if !errors.As(err, &refused) {
		return err.Error()
	}
	message := refused.Status().Message
	if d := refused.Status().Details; d != nil {
		var causes []string
		for _, c := range d.Causes {
			causes = append(causes, c.Message)
		}
		message += " " + strings.Join(causes, ",")
	}
	return message
}

// drain drains the node of a machine that is being deleted. It reports when to look again while pods stay; nothing, if
// the node is empty or the time limit of the pool is over.
func (p *pool) drain(ctx context.Context, m *machine) (time.Duration, error) {
	key := p.key() + "drain/" + m.vm.Name
	if limit := p.np.Spec.NodeDrainTimeout; limit != nil && limit.Duration > 0 &&
		p.Stages.Remaining(key+"/limit", limit.Duration) == 0 {
		return 0, nil
	}
	// A node that does not answer cannot end its pods: Cluster API does not wait for them.
	if !m.ready() || m.keepsPods {
		return 0, nil
	}
	lines, err := p.drained(ctx, m.node)
	if err != nil || len(lines) == 0 {
		return 0, err
	}
	state := p.drainOf(m)
	if state == nil {
		state = &drainState{began: metav1.Now()}
	}
	state = &drainState{began: state.began, message: msgDraining(state.began, lines)}
	p.draining.Store(p.namespace+"/"+m.vm.Name, state)
	m.reason, m.message = reasonDraining, state.message
	return p.Pace.Scale(drainRetry), p.ClusterAPI.ReportDraining(ctx, p.namespace, m.state(), state.began)
}

// drainState is a drain that waits for pods.
type drainState struct {
	began   metav1.Time
	message string
}

// drainOf returns the drain of a machine's node that waits for pods, or nil.
func (p *pool) drainOf(m *machine) *drainState {
	found, _ := p.draining.Load(p.namespace + "/" + m.vm.Name)
	state, _ := found.(*drainState)
	return state
}

// excludesDrain is the annotation of Machines whose nodes are not drained.
const excludesDrain = "machine.cluster.x-k8s.io/exclude-node-draining"

// nodeTrouble is Cluster API's summary of a node's conditions: its message, and whether one is semantically false.
func nodeTrouble(node *corev1.Node) (message string, failed bool) {
	var lines []string
	unknown := 0
	for _, c := range node.Status.Conditions {
		good := corev1.ConditionFalse
		switch c.Type {
		case corev1.NodeReady:
			good = corev1.ConditionTrue
		case corev1.NodeMemoryPressure, corev1.NodeDiskPressure, corev1.NodePIDPressure:
		default:
			continue
		}
		if c.Status == good {
			continue
		}
		lines = append(lines, fmt.Sprintf("Node condition %s is %s", c.Type, c.Status))
		if c.Status == corev1.ConditionUnknown {
			unknown++
		} else {
			failed = true
		}
	}
	return strings.Join(lines, ". "), failed || unknown > 3
}
