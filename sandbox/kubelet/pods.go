// Package kubelet simulates the kubelets of a sandbox: a pod with a node becomes Running and Ready after a moment, one
// that ends by itself succeeds, and a deleted pod goes away. No container runs. KWOK does the same; this package does
// it in the sandbox's own process and memory.
package kubelet

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/program"
)

// HoldAnnotation on a pod keeps it Pending (value "pending") or Running but not Ready (value "unready"), to delay a
// workload. Other values have no effect.
const HoldAnnotation = "sandbox.hcctl.dev/hold"

const (
	// bootDelay is the start time of containers, at speed 1.
	bootDelay = 200 * time.Millisecond
	// runDelay is the run time of a container that ends by itself, at speed 1.
	runDelay = 300 * time.Millisecond
	// programPoll is the time between two looks at a program that runs.
	programPoll = 200 * time.Millisecond
	// stopDelay is the time that a pod with a grace period takes to end, at speed 1.
	stopDelay = 100 * time.Millisecond
)

// Setup adds the kubelet to mgr. live reads without a cache. runner runs the containers of Jobs that have its program.
func Setup(mgr ctrl.Manager, live client.Client, pace operator.Pace, containers Containers,
	runner program.Runner) error {
	k := &kubelet{client: mgr.GetClient(), live: live, pace: pace, addresses: newAddresses(), containers: containers,
		admin: mgr.GetConfig(), programs: programs{runner: runner, runs: map[types.UID]*running{}}}
	return ctrl.NewControllerManagedBy(mgr).Named("kubelet").
		For(&corev1.Pod{}, builder.WithPredicates(predicate.NewPredicateFuncs(bound))).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8, SkipNameValidation: ptr.To(true)}).
		Complete(k)
}

// bound reports whether the pod has a node.
func bound(o client.Object) bool {
	pod, ok := o.(*corev1.Pod)
	return ok && pod.Spec.NodeName != ""
}

// PodFields selects the pods that a cache for Setup needs: those with a node.
func PodFields() fields.Selector { return fields.OneTermNotEqualSelector("spec.nodeName", "") }

type kubelet struct {
	client     client.Client
	live       client.Client
	pace       operator.Pace
	addresses  *addresses
	containers Containers
	admin      *rest.Config
	programs   programs
}

// Reconcile moves a pod to its next state.
func (k *kubelet) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	pod := &corev1.Pod{}
	if err := k.client.Get(ctx, req.NamespacedName, pod); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	k.addresses.reserve(pod.Status.PodIP)
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
	if wait := k.remaining(pod.Status.StartTime.Time, bootDelay); wait > 0 && pod.Status.Phase == corev1.PodPending {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	if pod.Status.Phase == corev1.PodPending {
		if ok, err := k.startable(ctx, pod); err != nil || !ok {
			return k.after(retryDelay), err
		}
		if err := k.containers.Started(ctx, pod); err != nil {
			return reconcile.Result{}, err
		}
	}
	hostIP, err := k.hostIP(ctx, pod.Spec.NodeName)
	if err != nil {
		return reconcile.Result{}, err
	}
	run := func(pod *corev1.Pod) { k.running(pod, hostIP) }
	if !runsToCompletion(pod) {
		return reconcile.Result{}, k.update(ctx, pod, run)
	}
	if pod.Status.Phase != corev1.PodRunning {
		return k.after(runDelay), k.update(ctx, pod, run)
	}
	if wait := k.remaining(pod.Status.StartTime.Time, bootDelay+runDelay); wait > 0 {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	if k.programs.has(pod) {
		how := k.ended(ctx, pod)
		if how == nil {
			return reconcile.Result{RequeueAfter: programPoll}, nil
		}
		return reconcile.Result{}, k.update(ctx, pod, func(pod *corev1.Pod) { endAs(pod, how) })
	}
	entries, err := k.outcomes(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, k.update(ctx, pod, func(pod *corev1.Pod) { end(pod, entries) })
}

// hostIP returns the internal address of a node, or "" if it does not exist.
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

// stop ends a deleted pod. Like a kubelet, it finally deletes the pod with grace period 0.
func (k *kubelet) stop(ctx context.Context, pod *corev1.Pod) (reconcile.Result, error) {
	k.programs.forget(pod.UID)
	if grace := pod.DeletionGracePeriodSeconds; grace != nil && *grace > 0 {
		asked := pod.DeletionTimestamp.Add(-time.Duration(*grace) * time.Second)
		if wait := k.remaining(asked, stopDelay); wait > 0 {
			return reconcile.Result{RequeueAfter: wait}, nil
		}
	}
	err := k.client.Delete(ctx, pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
	if apierrors.IsConflict(err) {
		err = nil // another pod of that name, which has its own event
	}
	if err = client.IgnoreNotFound(err); err != nil {
		return reconcile.Result{}, fmt.Errorf("end pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return reconcile.Result{}, nil
}

// update writes the status that change makes, if it differs. Containers whose status a user has written stay as they
// are; the pod is as ready as they are.
func (k *kubelet) update(ctx context.Context, pod *corev1.Pod, change func(*corev1.Pod)) error {
	base := pod.DeepCopy()
	change(pod)
	if statusEqual(base, pod) {
		return nil
	}
	now := &corev1.Pod{}
	if err := k.live.Get(ctx, client.ObjectKeyFromObject(pod), now); err != nil {
		return client.IgnoreNotFound(err)
	}
	if operator.WrittenByOthers(now, "f:containerStatuses") || operator.WrittenByOthers(now, "f:initContainerStatuses") {
		now.DeepCopyInto(pod)
		base = now
		followContainers(pod)
		if statusEqual(base, pod) {
			return nil
		}
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

// remaining returns how much of d, at this speed, remains since from. API timestamps have whole seconds, so from may be
// up to a second too early; the previous step has waited already.
func (k *kubelet) remaining(from time.Time, d time.Duration) time.Duration {
	return time.Until(from.Add(k.pace.Scale(d)))
}
