// Package kubelet plays the kubelets of a sandbox: a pod that has a node becomes Running and Ready after a moment, a
// Job's pod succeeds, a pod that is being deleted goes away. No container ever runs. It does what KWOK does for the
// same purpose, in the sandbox's own process and memory.
package kubelet

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// HoldAnnotation on a pod keeps it Pending (value "pending") or Running but not Ready (value "unready") for as long as
// it is there: how a simulated operator, or a test, makes a workload late. Any other value is ignored.
const HoldAnnotation = "sandbox.hcctl.dev/hold"

const (
	// bootDelay is how long containers take to start, at speed 1.
	bootDelay = 200 * time.Millisecond
	// runDelay is how long the container of a Job's pod runs, at speed 1.
	runDelay = 300 * time.Millisecond
	// stopDelay is how long a pod takes to end when it may take its time, at speed 1.
	stopDelay = 100 * time.Millisecond
)

// Setup adds the kubelet to mgr.
func Setup(mgr ctrl.Manager, pace operator.Pace) error {
	k := &kubelet{client: mgr.GetClient(), pace: pace, addresses: newAddresses()}
	return ctrl.NewControllerManagedBy(mgr).Named("kubelet").
		For(&corev1.Pod{}, builder.WithPredicates(predicate.NewPredicateFuncs(bound))).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8, SkipNameValidation: ptr.To(true)}).
		Complete(k)
}

// bound says whether the pod has a node, and so a kubelet.
func bound(o client.Object) bool {
	pod, ok := o.(*corev1.Pod)
	return ok && pod.Spec.NodeName != ""
}

// PodFields is what a cache for Setup needs of pods: those with a node.
func PodFields() fields.Selector { return fields.OneTermNotEqualSelector("spec.nodeName", "") }

type kubelet struct {
	client    client.Client
	pace      operator.Pace
	addresses *addresses
}

// Reconcile takes a pod one step further in its life.
func (k *kubelet) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	pod := &corev1.Pod{}
	if err := k.client.Get(ctx, req.NamespacedName, pod); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	k.addresses.seen(pod.Status.PodIP)
	if pod.DeletionTimestamp != nil {
		return k.stop(ctx, pod)
	}
	switch {
	case pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
		return reconcile.Result{}, nil
	case pod.Annotations[HoldAnnotation] == "pending":
		return reconcile.Result{}, nil
	case pod.Status.StartTime == nil:
		return k.after(bootDelay), k.update(ctx, pod, k.creating)
	}
	if wait := k.left(pod.Status.StartTime.Time, bootDelay); wait > 0 && pod.Status.Phase == corev1.PodPending {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	hostIP, err := k.hostIP(ctx, pod.Spec.NodeName)
	if err != nil {
		return reconcile.Result{}, err
	}
	run := func(pod *corev1.Pod) { k.running(pod, hostIP) }
	if !finishes(pod) {
		return reconcile.Result{}, k.update(ctx, pod, run)
	}
	if pod.Status.Phase != corev1.PodRunning {
		return k.after(runDelay), k.update(ctx, pod, run)
	}
	if wait := k.left(pod.Status.StartTime.Time, bootDelay+runDelay); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	return reconcile.Result{}, k.update(ctx, pod, succeeded)
}

// hostIP is the internal address of a node; of one that is gone, none.
func (k *kubelet) hostIP(ctx context.Context, name string) (string, error) {
	node := &corev1.Node{}
	if err := k.client.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	for _, a := range node.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			return a.Address, nil
		}
	}
	return "", nil
}

// stop ends a pod that is being deleted: what a kubelet does last is to delete it with no grace left.
func (k *kubelet) stop(ctx context.Context, pod *corev1.Pod) (reconcile.Result, error) {
	if grace := pod.DeletionGracePeriodSeconds; grace != nil && *grace > 0 {
		asked := pod.DeletionTimestamp.Add(-time.Duration(*grace) * time.Second)
		if wait := k.left(asked, stopDelay); wait > 0 {
			return reconcile.Result{RequeueAfter: wait}, nil
		}
	}
	err := k.client.Delete(ctx, pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
	if apierrors.IsConflict(err) {
		err = nil // another pod of that name: it has its own event
	}
	if err = client.IgnoreNotFound(err); err != nil {
		return reconcile.Result{}, fmt.Errorf("end pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return reconcile.Result{}, nil
}

// update writes the status that change makes, if it differs.
func (k *kubelet) update(ctx context.Context, pod *corev1.Pod, change func(*corev1.Pod)) error {
	base := pod.DeepCopy()
	change(pod)
	if statusEqual(base, pod) {
		return nil
	}
	err := k.client.Status().Patch(ctx, pod, client.MergeFrom(base))
	if err = client.IgnoreNotFound(err); err != nil {
		return fmt.Errorf("update pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return nil
}

func (k *kubelet) after(d time.Duration) reconcile.Result {
	return reconcile.Result{RequeueAfter: k.pace.Scale(d)}
}

// left is how much of d, at this pace, is not over yet since from. Times in the API have whole seconds, so a pod's
// start may lie up to a second before it really was; the step before has waited already.
func (k *kubelet) left(from time.Time, d time.Duration) time.Duration {
	return time.Until(from.Add(k.pace.Scale(d)))
}

// finishes says whether the pod's containers run to an end: those of Jobs. Other pods with restartPolicy Never, such as
// the launcher of a virtual machine, run until they are deleted.
func finishes(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "Job"
}
