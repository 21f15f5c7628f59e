package kubevirtcsi

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/kubelet"
)

// alive reports whether a pod still needs its volumes.
func alive(pod *corev1.Pod) bool {
	return pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

// mounts reports whether a pod has a claim among its volumes.
func mounts(pod *corev1.Pod, claim *corev1.PersistentVolumeClaim) bool {
	return pod.Namespace == claim.Namespace && slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim.Name
	})
}

// claimsOf are the claims of the driver that a pod mounts.
func (r *round) claimsOf(pod *corev1.Pod) []*corev1.PersistentVolumeClaim {
	var out []*corev1.PersistentVolumeClaim
	for i := range r.claims {
		if mounts(pod, &r.claims[i]) {
			out = append(out, &r.claims[i])
		}
	}
	return out
}

// register names the driver in the CSINode of each ready node, with its VM, as its DaemonSet does.
func (r *round) register(ctx context.Context) error {
	for i := range r.nodes {
		node := &r.nodes[i]
		if !guest.NodeReady(node) {
			continue
		}
		csi := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}}}
		csi.Spec.Drivers = []storagev1.CSINodeDriver{{Name: driverName, NodeID: r.inInfra(node.Name).String()}}
		if err := r.guest.Create(ctx, csi); client.IgnoreAlreadyExists(err) != nil {
			return fmt.Errorf("register the driver on node %s of a guest: %w", node.Name, err)
		}
	}
	return nil
}

// schedule gives each pod that waits, and whose claims are bound, the first ready node that takes pods.
func (r *round) schedule(ctx context.Context) error {
	at := slices.IndexFunc(r.nodes, func(n corev1.Node) bool { return guest.NodeReady(&n) && !n.Spec.Unschedulable })
	for i := range r.pods {
		pod := &r.pods[i]
		claims := r.claimsOf(pod)
		if len(claims) == 0 || pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil {
			continue
		}
		why := ""
		switch {
		case slices.ContainsFunc(claims, func(c *corev1.PersistentVolumeClaim) bool { return c.Spec.VolumeName == "" }):
			why = "pod has unbound immediate PersistentVolumeClaims. not found"
		case at < 0:
			why = "no nodes available to schedule pods"
		}
		if why != "" {
			if err := r.podStatus(ctx, pod, func(s *corev1.PodStatus) {
				setCondition(s, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
					Reason: corev1.PodReasonUnschedulable, Message: why})
			}); err != nil {
				return err
			}
			continue
		}
		binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: r.nodes[at].Name}}
		if err := r.guest.SubResource("binding").Create(ctx, pod, binding); err != nil {
			return fmt.Errorf("schedule pod %s of a guest: %w", client.ObjectKeyFromObject(pod), err)
		}
		pod.Spec.NodeName = r.nodes[at].Name
	}
	return nil
}

// run plays the kubelet for pods with volumes of the driver: they run once all are attached, and those that end by
// themselves succeed a round later. Deleted pods of a node go away.
func (r *round) run(ctx context.Context) error {
	for i := range r.pods {
		pod := &r.pods[i]
		claims := r.claimsOf(pod)
		switch {
		case len(claims) == 0 || pod.Spec.NodeName == "":
		case pod.DeletionTimestamp != nil:
			err := r.guest.Delete(ctx, pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
			if client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("end pod %s of a guest: %w", client.ObjectKeyFromObject(pod), err)
			}
			pod.Status.Phase = corev1.PodFailed // it needs its volumes no more
		case !alive(pod):
		case pod.Status.Phase == corev1.PodRunning:
			if pod.Spec.RestartPolicy != corev1.RestartPolicyNever {
				continue
			}
			if err := r.podStatus(ctx, pod, func(*corev1.PodStatus) { kubelet.Succeed(pod) }); err != nil {
				return err
			}
		case r.allAttached(claims, pod.Spec.NodeName):
			if err := r.podStatus(ctx, pod, func(s *corev1.PodStatus) {
				s.Phase, s.StartTime = corev1.PodRunning, ptr.To(metav1.Now())
				setCondition(s, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *round) allAttached(claims []*corev1.PersistentVolumeClaim, node string) bool {
	return !slices.ContainsFunc(claims, func(c *corev1.PersistentVolumeClaim) bool { return !r.attached(c, node) })
}

func (r *round) podStatus(ctx context.Context, pod *corev1.Pod, mutate func(*corev1.PodStatus)) error {
	before := pod.DeepCopy()
	mutate(&pod.Status)
	if err := r.guest.Status().Patch(ctx, pod, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("write the status of pod %s of a guest: %w", client.ObjectKeyFromObject(pod), err)
	}
	return nil
}

func setCondition(s *corev1.PodStatus, c corev1.PodCondition) {
	at := slices.IndexFunc(s.Conditions, func(o corev1.PodCondition) bool { return o.Type == c.Type })
	if at >= 0 && s.Conditions[at].Status == c.Status && s.Conditions[at].Message == c.Message {
		return
	}
	c.LastTransitionTime = metav1.Now()
	if at >= 0 {
		s.Conditions[at] = c
		return
	}
	s.Conditions = append(s.Conditions, c)
}
