package maintenance

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/management"
)

// podKind and machineKind are the values of Item.Kind.
const (
	podKind     = "Pod"
	machineKind = "VirtualMachineInstance"
)

// isLauncher reports whether the pod runs a VM.
func isLauncher(pod *corev1.Pod) bool { return pod.Labels[kubevirtv1.AppLabel] == "virt-launcher" }

// stays reports whether a drain leaves the pod alone: static pods of the kubelet, and pods of DaemonSets.
func stays(pod *corev1.Pod) bool {
	if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
		return true
	}
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}

// item returns the outcome for a pod, or for the VM that it runs.
func (w *snapshot) item(pod *corev1.Pod) Item {
	i := Item{Kind: podKind, Namespace: pod.Namespace, Name: pod.Name}
	switch {
	case stays(pod):
		i.Outcome, i.Message = Stays, "a drain leaves it alone; it is unavailable while the node is"
	case isLauncher(pod):
		i = w.machineItem(pod)
	case isOSD(pod):
		if i.Outcome, i.Message, i.Hint = w.budgeted(pod); i.Outcome == Moves {
			i.Outcome, i.Message = Stays, "its disk is on the node: it is unavailable while the node is"
		}
	default:
		i.Outcome, i.Message, i.Hint = w.evict(pod)
	}
	i.Verdict = management.Verdict(i.Outcome.state())
	return i
}

// evict returns the outcome for an ordinary pod.
func (w *snapshot) evict(pod *corev1.Pod) (o Outcome, message string, next hint.Text) {
	if metav1.GetControllerOf(pod) == nil {
		return Lost, "no controller creates it again; oc adm drain refuses to delete it without --force",
			hint.New("ask its owner to move it")
	}
	if o, message, next = w.budgeted(pod); o != Moves {
		return o, message, next
	}
	return w.settle(pod, Moves, message)
}

// settle returns the given outcome, unless the pod cannot run on another node.
func (w *snapshot) settle(pod *corev1.Pod, o Outcome, message string) (outcome Outcome, text string, next hint.Text) {
	switch volume, unknown := w.bound(pod); {
	case unknown != "":
		return Untold, unknown, hint.Text{}
	case volume != "":
		return Lost, "its data is on this node alone: " + volume,
			hint.New("it is unavailable until the node is back; without the " +
				"disk it is lost")
	}
	if why := w.unplaceable[pod]; why != "" {
		return Lost, why, hint.New("it stays Pending until the node is back; make room, or add a node")
	}
	return o, message, hint.Text{}
}

// budgeted checks the PodDisruptionBudgets of the pod, as the API server does for an eviction.
func (w *snapshot) budgeted(pod *corev1.Pod) (o Outcome, message string, next hint.Text) {
	if w.budgets.Err != nil {
		return Untold, "PodDisruptionBudgets are not read: " + kube.Explain(w.budgets.Err), hint.Text{}
	}
	var own []*management.Budget
	for i := range w.budgets.Items {
		if b := &w.budgets.Items[i]; b.Selects(pod.Namespace, pod.Labels) {
			own = append(own, b)
		}
	}
	switch {
	case len(own) == 0:
		return Moves, "", hint.Text{}
	case len(own) > 1:
		return Waits, "two PodDisruptionBudgets select it, " + own[0].Metadata.Name + " and " + own[1].Metadata.Name +
			", with which no pod is evicted", hint.New("leave it to one of them")
	case !own[0].Current():
		return Untold, "the status of PodDisruptionBudget " + own[0].Metadata.Name + " is not that of its latest change",
			hint.Text{}
	case !health.PodReady(pod) && own[0].Spec.UnhealthyPodEvictionPolicy != nil &&
		*own[0].Spec.UnhealthyPodEvictionPolicy == policyv1.AlwaysAllow:
		return Moves, "", hint.Text{}
	}
	if b := own[0]; b.Status.DisruptionsAllowed == 0 {
		next = hint.New("oc describe poddisruptionbudget %s -n %s", b.Metadata.Name, b.Metadata.Namespace)
		if hc := w.planes[pod.Namespace]; hc != nil && management.SingleReplica(hc) {
			next = hint.New("its hosted cluster has one replica of everything: agree on a time with its users, and delete " +
				"the pod then")
		}
		return Waits, "PodDisruptionBudget " + b.Metadata.Name + ": " + b.Says(), next
	}
	w.evicted[own[0]]++
	if n := w.evicted[own[0]]; n > int(own[0].Status.DisruptionsAllowed) {
		return Moves, "after the ones before it are ready elsewhere (PodDisruptionBudget " + own[0].Metadata.Name + ")",
			hint.Text{}
	}
	return Moves, "", hint.Text{}
}
