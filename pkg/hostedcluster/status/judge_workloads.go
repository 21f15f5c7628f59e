package status

import (
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// debugDeployments lists the Deployments that the operator scales to 0 on request of a user, separated by commas
// (support/k8sutil/constants.go, v0.1.81).
const debugDeployments = "hypershift.openshift.io/debug-deployments"

// apiCritical are the workloads with three pods in a highly available control plane; others have two
// (support/controlplane-component/defaults.go, v0.1.81). Each serves requests, so no pods means an outage. The ignition
// server and router have conditions of their own.
var apiCritical = []string{
	"etcd", "kube-apiserver", "openshift-apiserver", "openshift-oauth-apiserver", "oauth-openshift",
}

// mayBeZero are the workloads that the operator itself scales to 0: while there is nothing to scale, or if it does not
// manage machines (control-plane-operator, annotation hypershift.openshift.io/disable-machine-management). The ignition
// server is one of them because condition IgnitionEndpointAvailable reports on it.
var mayBeZero = []string{"cluster-autoscaler", "machine-approver", "cluster-api", "capi-provider", "ignition-server"}

// required are the workloads of every control plane with a managed etcd.
var required = []workload{{kind: "StatefulSet", name: "etcd"}, {kind: "Deployment", name: "kube-apiserver"}}

// workload is a Deployment or a StatefulSet of the control plane.
type workload struct {
	kind, name string
	// replicas is spec.replicas. wanted is the number that the cluster's policy requires, or replicas.
	replicas, wanted int
	ready            int
	created          metav1.Time
	verdict          health.Verdict
}

// workloads returns the Deployments and StatefulSets of the control plane, sorted by name.
func (v *snapshot) workloads() []workload {
	var out []workload
	add := func(o client.Object, replicas *int32, ready int32) {
		w := workload{kind: "Deployment", name: o.GetName(), replicas: int(ptr.Deref(replicas, 1)), ready: int(ready),
			created: o.GetCreationTimestamp(), verdict: health.Of(o, v.now)}
		if _, set := o.(*appsv1.StatefulSet); set {
			w.kind = "StatefulSet"
		}
		if w.wanted = w.replicas; slices.Contains(apiCritical, w.name) {
			w.wanted = max(w.replicas, v.replicas())
		}
		out = append(out, w)
	}
	for i := range v.deployments.items {
		d := &v.deployments.items[i]
		add(d, d.Spec.Replicas, d.Status.ReadyReplicas)
	}
	for i := range v.statefulSets.items {
		s := &v.statefulSets.items[i]
		add(s, s.Spec.Replicas, s.Status.ReadyReplicas)
	}
	slices.SortFunc(out, func(a, b workload) int { return strings.Compare(a.name, b.name) })
	return out
}

// addWorkloads adds the workloads with fewer ready pods than wanted, each with its pods that are not ready. It returns
// the workloads, and the number of ready and of wanted pods.
func (v *snapshot) addWorkloads(p *Part, phase Phase) (all []workload, ready, total int) {
	if err := v.deployments.err; err != nil {
		p.add(unread("Deployments", "Deployments cannot be read: "+kube.Explain(err)))
	}
	if err := v.statefulSets.err; err != nil {
		p.add(unread("StatefulSets", "StatefulSets cannot be read: "+kube.Explain(err)))
	}
	if phase == Deleting || v.deployments.err != nil || v.statefulSets.err != nil {
		return nil, 0, 0
	}
	all = v.workloads()
	debugged := strings.Split(v.hc.Annotations[debugDeployments], ",")
	for _, w := range all {
		if w.replicas == 0 && slices.Contains(debugged, w.name) {
			p.add(Part{Kind: w.kind, Name: w.name, Health: Warning,
				Message: "scaled to 0, as annotation " + debugDeployments + " of the HostedCluster asks"})
			continue
		}
		ready += min(w.ready, w.wanted)
		total += w.wanted
		off := w.replicas == 0 && !slices.Contains(mayBeZero, w.name) && phase != Stopped
		if w.ready < w.wanted || w.verdict.State == step.StateBroken || off {
			p.add(v.workload(w, phase))
		}
	}
	runs := phase == Ready || phase == Upgrading || phase.workerless()
	if runs && v.hc.Spec.Etcd.ManagementType != hyperv1.Unmanaged {
		for _, wanted := range required {
			if !slices.ContainsFunc(all, func(w workload) bool { return w.name == wanted.name }) {
				total += v.replicas()
				p.add(Part{Kind: wanted.kind, Name: wanted.name, Health: Failing,
					Message: fmt.Sprintf("does not exist, %s wants %s of it", v.policy(), plural.Count(v.replicas(), "pod"))})
			}
		}
	}
	return all, ready, total
}

// workload returns the part of a workload with too few pods.
func (v *snapshot) workload(w workload, phase Phase) Part {
	p := Part{Kind: w.kind, Name: w.name, Health: v.workloadHealth(w, phase),
		Message: fmt.Sprintf("%d of %d pods are ready", w.ready, w.wanted),
		Hint:    hint.New("oc -n %s describe %s %s", v.controlPlaneName(), strings.ToLower(w.kind), w.name)}
	switch {
	case w.replicas < w.wanted || w.replicas == 0:
		p.Health = Failing
		p.Message = fmt.Sprintf("scaled to %d, %s wants %d", w.replicas, v.policy(), w.wanted)
		if w.wanted == 0 {
			p.Message = "scaled to 0"
		}
		p.Hint = hint.New("its operator scales it back unless it is paused or down: oc -n %s get deployment "+
			"control-plane-operator", v.controlPlaneName())
	case w.verdict.State == step.StateBroken:
		p.Message += "; " + w.verdict.Message
	}
	pods, found := Part{}, 0
	for i := range v.pods.items {
		if pod := &v.pods.items[i]; cause.Owns(w.kind, w.name, pod) {
			found++
			v.addPod(&pods, pod, phase)
		}
	}
	if pods.worstFirst(); len(pods.Parts) > 0 {
		p.Parts, p.Health = pods.Parts, Worse(p.Health, pods.Health)
	}
	if w.replicas == w.wanted && found < w.replicas {
		p.Message += fmt.Sprintf(", %d missing", w.replicas-found)
	}
	return p
}

// workloadHealth returns Progressing while the cluster or the workload is new, or during a roll-out.
func (v *snapshot) workloadHealth(w workload, phase Phase) Health {
	switch {
	case w.verdict.State == step.StateBroken:
		return Failing
	case phase == Creating || v.now.Sub(w.created.Time) < podStart:
		return v.underWay(w.created.Time)
	case phase == Upgrading && w.ready > 0:
		return Progressing
	}
	return Failing
}

// policy returns the cluster's availability policy. The API's default is highly available.
func (v *snapshot) policy() hyperv1.AvailabilityPolicy {
	if p := v.hc.Spec.ControllerAvailabilityPolicy; p != "" {
		return p
	}
	return hyperv1.HighlyAvailable
}

func (v *snapshot) controlPlaneName() string {
	return hostedcluster.ControlPlaneNamespace(v.hc.Namespace, v.hc.Name)
}

// replicas returns the number of pods that the policy requires of an API critical workload.
func (v *snapshot) replicas() int {
	const highlyAvailable = 3
	if v.policy() == hyperv1.SingleReplica {
		return 1
	}
	return highlyAvailable
}
