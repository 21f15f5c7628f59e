package status

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// controlPlane judges the control plane by its workloads and their pods. The pods of VMs and of disk imports in the
// same namespace are left out.
func (v *snapshot) controlPlane(phase Phase) Part {
	if v.pods.err != nil {
		return unread(podsKind, kube.Explain(v.pods.err))
	}
	p := Part{Kind: podsKind, Health: OK}
	workloads, ready, total := v.addWorkloads(&p, phase)
	for i := range v.pods.items {
		pod := &v.pods.items[i]
		if ofMachine(pod) || pod.Status.Phase == corev1.PodSucceeded {
			continue
		}
		owned := slices.ContainsFunc(workloads, func(w workload) bool { return cause.Owns(w.kind, w.name, pod) })
		if pod.Status.Phase != corev1.PodFailed && !owned {
			total++
			if health.PodReady(pod) {
				ready++
			}
		}
		if short := slices.ContainsFunc(p.Parts, func(w Part) bool { return cause.Owns(w.Kind, w.Name, pod) }); !short {
			v.addPod(&p, pod, phase)
		}
	}
	// Operators before 4.18 have no components, and a role may not allow to read them: the pods decide.
	for _, e := range cause.ComponentErrors(v.components.items) {
		p.add(Part{Kind: componentKind, Name: e.Name, Health: v.underWay(v.hc.CreationTimestamp.Time),
			Message: e.Message})
	}
	p.worstFirst()
	if total == 0 && phase != Deleting {
		// A count of 0 of 0 would look as if all pods were ready.
		p.Health, p.Message = Worse(p.Health, v.underWay(v.hc.CreationTimestamp.Time)), "no pod yet"
		return p
	}
	p.count(ready, total)
	return p
}

// componentKind is the kind of the objects from which the control plane's operator creates its workloads (4.18 and
// later).
const componentKind = "ControlPlaneComponent"

// addPod adds a pod of the control plane that is not healthy.
func (v *snapshot) addPod(p *Part, pod *corev1.Pod, phase Phase) {
	verdict := health.Of(pod, v.now)
	sub := Part{Kind: "Pod", Name: pod.Name, Health: Warning, Message: verdict.Message, Reason: verdict.Reason}
	switch {
	case pod.Status.Phase == corev1.PodFailed:
		// Its replacement, a pod of the same Deployment or Job, is judged by itself.
	case verdict.State == step.StateWarning:
		sub.Hint = verdict.Hint
	case verdict.OK():
		return
	default:
		sub.Health, sub.Since = v.podHealth(pod, verdict, phase), verdict.Since
	}
	p.add(sub)
}

// ofMachine reports whether the pod runs a VM or imports its disk image.
func ofMachine(pod *corev1.Pod) bool {
	_, vm := pod.Labels[kubevirtv1.AppLabel]
	_, image := pod.Labels["cdi.kubevirt.io"]
	return vm || image
}

// podHealth returns Failing for a pod that reports an error. A new or deleted pod is progressing for some time.
func (v *snapshot) podHealth(pod *corev1.Pod, verdict health.Verdict, phase Phase) Health {
	if pod.DeletionTimestamp != nil {
		return v.underWay(pod.DeletionTimestamp.Time)
	}
	if verdict.Trouble || phase == Ready || phase.workerless() || phase == Paused {
		return Failing
	}
	return v.underWay(pod.CreationTimestamp.Time)
}

// guestNodes judges the hosted cluster's nodes and pending certificate signing requests.
func (v *snapshot) guestNodes(phase Phase) Part {
	if p, failed := v.unreachable(nodesKind, v.nodes.err, phase); failed {
		return p
	}
	p := Part{Kind: nodesKind, Health: OK}
	if missing, is := v.noPlugIn(phase); is {
		p.add(missing)
	}
	ready := 0
	for i := range v.nodes.items {
		node := &v.nodes.items[i]
		verdict := health.Of(node, v.now)
		sub := objectPart("Node", node.Name, Warning, verdict)
		if v.lacksVM(node) {
			sub.Message = "its VM is gone, and Cluster API has not removed the node yet: " + sub.Message
		}
		switch {
		case !health.NodeReady(node):
			sub.Health = v.nodeHealth(node, phase)
			p.add(sub)
			continue
		case verdict.Trouble: // its pods have no network
			sub.Health = Failing
			p.add(sub)
		case verdict.State != step.StateOK:
			p.add(sub)
		default:
			if host := v.movedFrom(node); host != "" {
				p.add(Part{Kind: "Node", Name: node.Name, Health: Warning, Message: "its labels say host " + host +
					", but its VM has moved", Hint: hint.New("%s labels it anew", hint.Run("apply").Flag("f", "FILE"))})
			}
		}
		ready++
	}
	v.addRequests(&p)
	switch {
	case len(v.nodes.items) == 0 && phase.workerless():
		return Part{Kind: nodesKind, Health: OK, Message: "none are wanted"}
	case len(v.nodes.items) == 0:
		p.Health, p.Message = Worse(p.Health, v.underWay(v.hc.CreationTimestamp.Time)), "none has joined yet"
		return p
	}
	p.worstFirst()
	p.count(ready, len(v.nodes.items))
	if missing := v.wanted() - len(v.nodes.items); missing > 0 {
		p.count(ready, v.wanted())
		p.Health, p.Message = Worse(p.Health, Progressing), fmt.Sprintf("%d not joined", missing)
	}
	return p
}

// lacksVM reports whether a node is drained and its VM no longer exists: its Machine is being removed, and the node
// goes last (Cluster API, internal/controllers/machine, reconcileDelete).
func (v *snapshot) lacksVM(node *corev1.Node) bool {
	return node.Spec.Unschedulable && v.vms.err == nil && v.platform().HasVMs() &&
		!slices.ContainsFunc(v.vms.items, func(vm kubevirtv1.VirtualMachine) bool { return vm.Name == node.Name })
}

// requestKind is the kind of the part about pending certificate signing requests.
const requestKind = "CertificateSigningRequests"

// addRequests adds the certificate signing requests that are neither approved nor denied. The control plane's
// machine-approver approves those of nodes within seconds.
func (v *snapshot) addRequests(p *Part) {
	if kube.IsKindMissing(v.requests.err) || len(v.requests.items) == 0 && v.requests.err == nil {
		return
	}
	if err := v.requests.err; err != nil {
		p.add(unread(requestKind, kube.Explain(err)))
		return
	}
	oldest := v.requests.items[0]
	for _, r := range v.requests.items[1:] {
		if r.Since.Before(oldest.Since) {
			oldest = r
		}
	}
	sub := Part{Kind: requestKind, Health: Progressing, Reason: oldest.Reason, Since: oldest.Since,
		Message: fmt.Sprintf("%s in the hosted cluster not approved; the oldest: %s",
			plural.Count(len(v.requests.items), "certificate signing request"), oldest.Describe()),
		Hint: hint.New("look at each, then: %s", hint.Run("exec", hostedcluster.Argument(v.hc.Namespace, v.hc.Name),
			"--", "oc", "adm", "certificate", "approve", oldest.Name()))}
	if v.now.Sub(oldest.Since) > requestGrace {
		sub.Health = Failing
	}
	p.add(sub)
}

// requestGrace is how long the approval of a certificate signing request may take.
const requestGrace = 5 * time.Minute

// nodeHealth returns Progressing for a node that has just joined, and Failing for an older one.
func (v *snapshot) nodeHealth(node *corev1.Node, phase Phase) Health {
	const joining = 10 // minutes after which a new node counts as failing
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
		verdict := health.Of(o, v.now)
		if verdict.State == step.StateOK {
			good++
			continue
		}
		sub := objectPart("ClusterOperator", o.Name, operatorHealth(verdict), verdict)
		if o.Name == "network" && strings.Contains(sub.Message, frr) {
			sub.Hint = hint.Run("docs", "troubleshooting").Text()
		}
		switch {
		case sub.Health == Warning:
			good++
		case sub.Health == Failing && phase == Creating:
			sub.Health = v.underWay(o.CreationTimestamp.Time)
		case sub.Health == Failing && phase == Deleting: // its nodes are deleted first
			sub.Health = v.underWay(v.hc.DeletionTimestamp.Time)
		case phase.workerless():
			sub.Health, sub.Message = Warning, sub.Message+" (there are no workers)"
		}
		p.add(sub)
	}
	v.addHostedPods(&p, phase)
	slices.SortStableFunc(p.Parts, func(a, b Part) int {
		return cmp.Compare(cause.OperatorOrder(a.Name), cause.OperatorOrder(b.Name))
	})
	p.worstFirst()
	p.count(good, len(v.operators.items))
	return p
}

// frr is part of the names of the objects that the network operator creates once MetalLB runs in the hosted cluster
// (OpenShift 4.18 and later). Some releases cannot start them (CNTRLPLANE-1109).
const frr = "frr-k8s"

// operatorHealth returns the health of an operator that is not OK.
func operatorHealth(v health.Verdict) Health {
	switch {
	case v.State == step.StateWarning:
		return Warning
	case v.Trouble:
		return Failing
	}
	return Progressing
}

// addHostedPods adds the unhealthy pods in the hosted cluster's own namespaces: below the operator that names their
// namespace, if that is at least as unhealthy, or by themselves.
func (v *snapshot) addHostedPods(p *Part, phase Phase) {
	if err := v.hostedPods.err; err != nil {
		p.add(unread("Pods", "its pods cannot be read: "+kube.Explain(err)))
		return
	}
	if phase.workerless() || phase == Deleting {
		return // without nodes all pods are pending
	}
	for i := range v.hostedPods.items {
		pod := &v.hostedPods.items[i]
		verdict := health.Of(pod, v.now)
		sub := Part{Kind: "Pod", Name: kube.Name(pod), Health: Warning, Message: verdict.Message, Reason: verdict.Reason,
			Since: verdict.Since}
		switch {
		case verdict.State == step.StateWarning, pod.Status.Phase == corev1.PodFailed:
			// The replacement of a failed pod is judged by itself.
		case verdict.Trouble && phase != Creating, v.now.Sub(pod.CreationTimestamp.Time) > progressTimeout:
			sub.Health = Failing
		case verdict.Trouble || v.now.Sub(pod.CreationTimestamp.Time) > podStart:
			sub.Health = v.underWay(pod.CreationTimestamp.Time)
		default:
			continue // the pod has just been created
		}
		of := slices.IndexFunc(v.operators.items, func(o configv1.ClusterOperator) bool {
			return cause.OwnsNamespace(&o, pod.Namespace) &&
				slices.ContainsFunc(p.Parts, func(bad Part) bool { return bad.Name == o.Name && bad.Health >= sub.Health })
		})
		if of < 0 {
			p.add(sub)
			continue
		}
		at := slices.IndexFunc(p.Parts, func(bad Part) bool { return bad.Name == v.operators.items[of].Name })
		p.Parts[at].add(sub)
	}
}

// unreachable returns the part for objects of the hosted API server, if that could not be read.
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

// oneLine returns "reason: message" on one line, or the one of the two that is not empty.
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
