package status

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// controlPlane judges the control plane's pods. Those of VMs and their images stand in the same namespace and are not
// meant.
func (v *snapshot) controlPlane(phase Phase) Part {
	if v.pods.err != nil {
		return unread(podsKind, kube.Explain(v.pods.err))
	}
	p := Part{Kind: podsKind, Health: OK}
	ready, total := 0, 0
	for i := range v.pods.items {
		pod := &v.pods.items[i]
		if ofMachine(pod) || pod.Status.Phase == corev1.PodSucceeded {
			continue
		}
		if pod.Status.Phase == corev1.PodFailed {
			// What follows it, a pod of the same Deployment or Job, is judged for itself.
			p.add(Part{Kind: "Pod", Name: pod.Name, Health: Warning, Message: podReason(pod)})
			continue
		}
		total++
		if health.PodReady(pod) {
			ready++
			continue
		}
		p.add(Part{Kind: "Pod", Name: pod.Name, Health: v.podHealth(pod, phase), Message: podReason(pod)})
	}
	// Operators before 4.18 have no components, and a role may be too small to read them: the pods are what counts.
	for _, e := range follow.ComponentErrors(v.components.items) {
		p.add(Part{Kind: "ControlPlaneComponent", Name: e.Name, Health: v.underWay(v.hc.CreationTimestamp.Time),
			Message: e.Message})
	}
	total += v.addWorkloads(&p, phase)
	p.worstFirst()
	if total == 0 && phase != Deleting {
		// A count of none of no pods would read as if all were there.
		p.Health, p.Message = Worse(p.Health, v.underWay(v.hc.CreationTimestamp.Time)), "no pod yet"
		return p
	}
	p.count(ready, total)
	return p
}

// ofMachine reports whether a VM runs in the pod, or the pod imports its disk image.
func ofMachine(pod *corev1.Pod) bool {
	_, vm := pod.Labels[kubevirtv1.AppLabel]
	_, image := pod.Labels["cdi.kubevirt.io"]
	return vm || image
}

// podHealth is Failing for a pod that reports an error; a new or deleted pod is under way.
func (v *snapshot) podHealth(pod *corev1.Pod, phase Phase) Health {
	if pod.DeletionTimestamp != nil {
		return v.underWay(pod.DeletionTimestamp.Time)
	}
	_, wrong := podTrouble(pod)
	if wrong || phase == Ready || phase.workerless() || phase == Paused {
		return Failing
	}
	return v.underWay(pod.CreationTimestamp.Time)
}

// podTrouble is what kubelet or the scheduler says is wrong with a pod.
func podTrouble(pod *corev1.Pod) (string, bool) {
	trouble, wrong := health.TroubleOf(pod)
	message := trouble.Describe()
	if t := trouble.Ended; t != nil {
		message += fmt.Sprintf(" (ended with %d: %s)", t.ExitCode, t.Reason)
	}
	if trouble.Container != "" {
		message = fmt.Sprintf("container %s: %s", trouble.Container, message)
	}
	return message, wrong
}

func podReason(pod *corev1.Pod) string {
	if pod.DeletionTimestamp != nil {
		return "Terminating"
	}
	state := string(pod.Status.Phase)
	if trouble, wrong := podTrouble(pod); wrong {
		return oneLine(state, trouble)
	}
	if pod.Status.Reason != "" {
		return oneLine(state, oneLine(pod.Status.Reason, pod.Status.Message))
	}
	return oneLine(state, cmp.Or(health.PodCondition(pod, corev1.PodReady).Message, "not ready"))
}

// guestNodes judges the hosted cluster's own nodes.
func (v *snapshot) guestNodes(phase Phase) Part {
	if p, failed := v.unreachable(nodesKind, v.nodes.err, phase); failed {
		return p
	}
	p := Part{Kind: nodesKind, Health: OK}
	if lacking, is := v.noPlugIn(phase); is {
		p.add(lacking)
	}
	ready := 0
	for i := range v.nodes.items {
		node := &v.nodes.items[i]
		is, why := nodeReady(node)
		switch {
		case !is:
			p.add(Part{Kind: "Node", Name: node.Name, Health: v.nodeHealth(node, phase), Message: why})
		case node.Spec.Unschedulable:
			ready++
			p.add(Part{Kind: "Node", Name: node.Name, Health: Warning, Message: "takes no new pods (SchedulingDisabled)"})
		default:
			ready++
			if host := v.movedFrom(node); host != "" {
				p.add(Part{Kind: "Node", Name: node.Name, Health: Warning, Message: "its labels say host " + host +
					", but its VM has moved", Hint: hint.New("%s with its file labels it anew", hint.Run("apply"))})
			}
		}
	}
	switch {
	case len(v.nodes.items) == 0 && phase.workerless():
		return Part{Kind: nodesKind, Health: OK, Message: "none are wanted"}
	case len(v.nodes.items) == 0:
		return Part{Kind: nodesKind, Health: v.underWay(v.hc.CreationTimestamp.Time), Message: "none has joined yet"}
	}
	p.worstFirst()
	p.count(ready, len(v.nodes.items))
	return p
}

func nodeReady(node *corev1.Node) (bool, string) {
	c := health.NodeReadyCondition(node)
	if c == nil {
		return false, "NotReady: its kubelet has not reported yet"
	}
	return health.NodeReady(node), "NotReady: " + oneLine(c.Reason, c.Message)
}

// nodeHealth is Progressing for a node that has just joined, and Failing for an older one.
func (v *snapshot) nodeHealth(node *corev1.Node, phase Phase) Health {
	const joining = 10 // minutes, beyond which a new node has not merely joined
	if node.DeletionTimestamp != nil || phase == Creating || v.now.Sub(node.CreationTimestamp.Time).Minutes() < joining {
		return v.underWay(node.CreationTimestamp.Time)
	}
	return Failing
}

// guestOperators judges the hosted cluster's own operators.
func (v *snapshot) guestOperators(phase Phase) Part {
	if v.operators.err == nil && len(v.operators.items) == 0 {
		return Part{Kind: operatorsKind, Health: v.underWay(v.hc.CreationTimestamp.Time), Message: "none has reported yet"}
	}
	if kube.IsKindMissing(v.operators.err) {
		p := Part{Kind: operatorsKind, Health: Warning, Message: "the hosted cluster does not know ClusterOperators"}
		if phase == Creating {
			p.Health, p.Message = Progressing, "none has reported yet"
		}
		return p
	}
	if p, failed := v.unreachable(operatorsKind, v.operators.err, phase); failed {
		return p
	}
	p := Part{Kind: operatorsKind, Health: OK}
	good := 0
	for i := range v.operators.items {
		o := &v.operators.items[i]
		health, why := operatorHealth(o)
		if health == OK {
			good++
			continue
		}
		if health == Failing && phase == Creating {
			health = v.underWay(o.CreationTimestamp.Time)
		}
		if phase.workerless() {
			health, why = Warning, why+" (there are no workers)"
		}
		p.add(Part{Kind: "ClusterOperator", Name: o.Name, Health: health, Message: why})
	}
	p.worstFirst()
	p.count(good, len(v.operators.items))
	return p
}

// operatorHealth is what an operator says of itself, the gravest first.
func operatorHealth(o *configv1.ClusterOperator) (Health, string) {
	said := map[configv1.ClusterStatusConditionType]configv1.ClusterOperatorStatusCondition{}
	for _, c := range o.Status.Conditions {
		said[c.Type] = c
	}
	for _, bad := range []struct {
		condition configv1.ClusterStatusConditionType
		status    configv1.ConditionStatus
		health    Health
	}{
		{configv1.OperatorAvailable, configv1.ConditionFalse, Failing},
		{configv1.OperatorDegraded, configv1.ConditionTrue, Failing},
		{configv1.OperatorProgressing, configv1.ConditionTrue, Progressing},
	} {
		if c := said[bad.condition]; c.Status == bad.status {
			condition := kube.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason,
				Message: oneLine("", c.Message)}
			return bad.health, condition.Describe()
		}
	}
	if said[configv1.OperatorAvailable].Status == "" {
		return Progressing, "has not reported yet"
	}
	return OK, ""
}

// unreachable is the part for objects of the hosted API server, if that could not be read.
func (v *snapshot) unreachable(kind string, err error, phase Phase) (Part, bool) {
	switch {
	case err == nil:
		return Part{}, false
	case phase == Deleting:
		return Part{Kind: kind, Health: Progressing, Message: "no longer asked: the cluster is being deleted"}, true
	case errors.Is(err, guest.ErrNoKubeconfig):
		health := Unknown
		if phase == Creating {
			health = v.underWay(v.hc.CreationTimestamp.Time)
		}
		return Part{Kind: kind, Health: health, Message: "the hosted API server cannot be asked: " +
			guest.ErrNoKubeconfig.Error()}, true
	}
	if refused, is := guest.RefusedFinding(err); is {
		why := fmt.Sprintf("the hosted API server is not asked: %s, %s", refused.Object, refused.Message)
		return Part{Kind: kind, Health: Broken, Message: why, Hint: refused.Hint}, true
	}
	p := unread(kind, "the hosted API server could not be asked: "+kube.Explain(err))
	p.Hint = guest.Remedy(err, v.hc)
	switch {
	case kube.KindOf(err) == kube.Unauthorized:
		p.Message = "the hosted API server answers 401: it does not accept its administrator's kubeconfig"
	case apierrors.IsServiceUnavailable(err):
		p.Message = "the hosted API server, or what is in front of it, answers 503: it is reached and not ready"
	}
	return p, true
}

// oneLine is "reason: message" on one line, of as much as there is.
func oneLine(reason, message string) string {
	message = strings.Join(strings.Fields(message), " ")
	switch {
	case message == "":
		return reason
	case reason == "":
		return message
	}
	return reason + ": " + message
}
