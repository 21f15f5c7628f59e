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
	"github.com/hcctl/hcctl/pkg/kube"
)

// debugDeployments names the Deployments that the operator scales to 0 because a user asks for it, by commas
// (support/k8sutil/constants.go, v0.1.81).
const debugDeployments = "hypershift.openshift.io/debug-deployments"

// apiCritical are the workloads that a highly available control plane has three pods of; of others it has two
// (support/controlplane-component/defaults.go, v0.1.81). Each serves requests, so that it is missed when it has none.
// The ignition server and router have conditions of their own.
var apiCritical = []string{
	"etcd", "kube-apiserver", "openshift-apiserver", "openshift-oauth-apiserver", "oauth-openshift",
}

// always are those that every control plane with a managed etcd has.
var always = []string{"etcd", "kube-apiserver"}

// workload is a Deployment or a StatefulSet of the control plane.
type workload struct {
	kind, name string
	// wanted is spec.replicas, ready how many pods are.
	wanted, ready int32
	created       metav1.Time
}

// workloads are the Deployments and StatefulSets of the control plane, by name.
func (v *snapshot) workloads() []workload {
	var out []workload
	for i := range v.deployments.items {
		d := &v.deployments.items[i]
		out = append(out, workload{"Deployment", d.Name, ptr.Deref(d.Spec.Replicas, 1), d.Status.ReadyReplicas,
			d.CreationTimestamp})
	}
	for i := range v.statefulSets.items {
		s := &v.statefulSets.items[i]
		out = append(out, workload{"StatefulSet", s.Name, ptr.Deref(s.Spec.Replicas, 1), s.Status.ReadyReplicas,
			s.CreationTimestamp})
	}
	slices.SortFunc(out, func(a, b workload) int { return strings.Compare(a.name, b.name) })
	return out
}

// addWorkloads adds the workloads that have fewer pods than they are to have. A workload whose pods exist and are not
// ready is reported by those pods. It returns how many pods are wanted and do not exist.
func (v *snapshot) addWorkloads(p *Part, phase Phase) (missing int) {
	if err := v.deployments.err; err != nil {
		p.add(unread("Deployments", "Deployments cannot be read: "+kube.Explain(err)))
	}
	if err := v.statefulSets.err; err != nil {
		p.add(unread("StatefulSets", "StatefulSets cannot be read: "+kube.Explain(err)))
	}
	if phase == Deleting || v.deployments.err != nil || v.statefulSets.err != nil {
		return 0
	}
	all := v.workloads()
	debugged := strings.Split(v.hc.Annotations[debugDeployments], ",")
	for _, w := range all {
		critical := slices.Contains(apiCritical, w.name)
		switch {
		case w.wanted == 0 && slices.Contains(debugged, w.name):
			p.add(Part{Kind: w.kind, Name: w.name, Health: Warning,
				Message: "scaled to 0, as annotation " + debugDeployments + " of the HostedCluster asks"})
		case w.wanted == 0 && critical:
			n := v.replicas()
			missing += n
			p.add(Part{Kind: w.kind, Name: w.name, Health: Failing,
				Message: fmt.Sprintf("scaled to 0, %s wants %d", v.policy(), n),
				Hint: hint.New("its operator scales it back unless it is paused or down: oc -n %s get deployment "+
					"control-plane-operator", v.controlPlaneName())})
		case v.podless(w):
			missing += int(w.wanted)
			p.add(Part{Kind: w.kind, Name: w.name, Health: v.podlessHealth(w, phase),
				Message: fmt.Sprintf("wants %s and has none", plural.Count(int(w.wanted), "pod")),
				Hint:    hint.New("oc -n %s describe %s %s", v.controlPlaneName(), strings.ToLower(w.kind), w.name)})
		}
	}
	if v.phaseRuns(phase) && v.managedEtcd() {
		for _, name := range always {
			if !slices.ContainsFunc(all, func(w workload) bool { return w.name == name }) {
				missing += v.replicas()
				p.add(Part{Kind: kindOf(name), Name: name, Health: Failing,
					Message: fmt.Sprintf("does not exist, %s wants %s of it", v.policy(), plural.Count(v.replicas(), "pod"))})
			}
		}
	}
	return missing
}

// podless reports whether pods of a workload are wanted and none exists, not even one that is not ready.
func (v *snapshot) podless(w workload) bool {
	if w.wanted == 0 || w.ready > 0 {
		return false
	}
	for i := range v.pods.items {
		if strings.HasPrefix(v.pods.items[i].Name, w.name+"-") {
			return false
		}
	}
	return true
}

func (v *snapshot) podlessHealth(w workload, phase Phase) Health {
	if phase == Creating || v.now.Sub(w.created.Time) < podStart {
		return v.underWay(w.created.Time)
	}
	return Failing
}

// phaseRuns reports whether the control plane is up in this phase.
func (*snapshot) phaseRuns(phase Phase) bool {
	return phase == Ready || phase == Upgrading || phase.workerless()
}

// managedEtcd reports whether the operator runs etcd.
func (v *snapshot) managedEtcd() bool { return v.hc.Spec.Etcd.ManagementType != hyperv1.Unmanaged }

// policy is the cluster's availability policy; the API's default is highly available.
func (v *snapshot) policy() hyperv1.AvailabilityPolicy {
	if p := v.hc.Spec.ControllerAvailabilityPolicy; p != "" {
		return p
	}
	return hyperv1.HighlyAvailable
}

func (v *snapshot) controlPlaneName() string {
	return hostedcluster.ControlPlaneNamespace(v.hc.Namespace, v.hc.Name)
}

// replicas is how many pods of an API critical workload the policy wants.
func (v *snapshot) replicas() int {
	const highlyAvailable = 3
	if v.policy() == hyperv1.SingleReplica {
		return 1
	}
	return highlyAvailable
}

func kindOf(name string) string {
	if name == "etcd" {
		return "StatefulSet"
	}
	return "Deployment"
}

// The lists of workloads.
type (
	deploymentList  = result[appsv1.Deployment]
	statefulSetList = result[appsv1.StatefulSet]
)
