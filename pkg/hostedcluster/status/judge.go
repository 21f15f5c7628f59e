package status

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// progressTimeout is how long something may progress before it counts as failing. A hosted cluster starts in a quarter
// of an hour, and rolls out an update in less than an hour unless it has many nodes.
const progressTimeout = time.Hour

// podStart is how long Kubernetes' controllers may take to create the pods of a new workload.
const podStart = 2 * time.Minute

// The kinds of parts.
const (
	conditionKind = "Condition"
	clusterKind   = "HostedCluster"
	podsKind      = "Pods"
	poolsKind     = "NodePools"
	machinesKind  = "VirtualMachines"
	nodesKind     = "Nodes"
	operatorsKind = "ClusterOperators"
	// operatorKind is the kind of the part about HyperShift's operator, among the parts of the HostedCluster.
	operatorKind = "Deployment"
)

// snapshot is what was read of one hosted cluster: each list, or the error of reading it.
type snapshot struct {
	hc *hyperv1.HostedCluster
	// blocked is what the deletion waits for, if the cluster is being deleted.
	blocked step.Finding
	pools   result[hyperv1.NodePool]
	pods    result[corev1.Pod]
	// rollout is the version of the control plane's components, read during a roll-out. Older operators do not report it.
	rollout hostedcluster.ControlPlaneVersion
	// encryption is read while etcd's data is re-encrypted.
	encryption hostedcluster.Encryption
	// components are read while the control plane is unavailable.
	components result[hyperv1.ControlPlaneComponent]
	// deployments and statefulSets are the workloads of the control plane.
	deployments  result[appsv1.Deployment]
	statefulSets result[appsv1.StatefulSet]
	vms          result[kubevirtv1.VirtualMachine]
	// infra is what was read of VMs on an infrastructure cluster; nil if the VMs are on this cluster. launchers are the
	// pods that run VMs, on either cluster.
	infra     *infraVMs
	launchers result[corev1.Pod]
	// services are the Deployments of the cluster's services, which run outside it.
	services result[appsv1.Deployment]
	// managed is nil if the cluster has no ManagedCluster.
	managed   *managed
	nodes     result[corev1.Node]
	operators result[configv1.ClusterOperator]
	// hostedPods are the unhealthy pods in the hosted cluster's own namespaces. requests are its pending certificate
	// signing requests.
	hostedPods result[corev1.Pod]
	requests   result[cause.Symptom]
	// operator is the verdict on HyperShift's operator, as read by hyperShift. hosted reads the hosted cluster; it is nil
	// if that cannot be reached.
	operator       health.Verdict
	hyperShift     func(context.Context, kube.Reader) health.Verdict
	reader, hosted kube.Reader
	checks         []Prerequisites
	// now is the time of the reads.
	now time.Time
}

// result is a list, or the error of reading it.
type result[T any] struct {
	items []T
	err   error
}

// Brief judges a hosted cluster by its HostedCluster and NodePools alone, at the given time. It reads nothing, and
// Detail does not read them again.
func Brief(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool, now time.Time) *Report {
	v := &snapshot{hc: hc, pools: result[hyperv1.NodePool]{items: pools}, now: now}
	r := v.brief()
	r.seen = v
	return r
}

// brief judges only the HostedCluster and its NodePools, for a list of many clusters.
func (v *snapshot) brief() *Report {
	r := &Report{Namespace: v.hc.Namespace, Name: v.hc.Name, Phase: v.phase()}
	r.Version, r.Desired = v.versions()
	r.ControlPlaneVersion = v.rollout.Completed
	r.EncryptionKey = cmp.Or(v.encryption.Active, hostedcluster.EncryptionKey(v.hc))
	if e := v.hc.Status.ControlPlaneEndpoint; e.Host != "" {
		r.API = fmt.Sprintf("%s:%d", e.Host, e.Port)
	}
	r.HostedCluster = v.hostedCluster(r.Phase)
	r.NodePools = v.nodePools(r.Phase)
	if !v.platform().HasVMs() {
		r.Machines = v.machines(r.Phase)
	}
	r.conclude()
	return r
}

// whole judges everything that was read.
func (v *snapshot) whole() *Report {
	r := v.brief()
	if v.operator.State != step.StateOK && r.Phase != Deleting {
		r.HostedCluster.add(objectPart(operatorKind, "operator", Health(v.operator.State), v.operator))
	}
	r.ControlPlane = v.controlPlane(r.Phase)
	r.Machines = v.machines(r.Phase)
	r.Nodes = v.guestNodes(r.Phase)
	r.Operators = v.guestOperators(r.Phase)
	r.Services = v.ownServices(r.Phase)
	r.ManagedCluster = v.managedCluster(r.Phase)
	r.conclude()
	return r
}

// hostedCluster judges the HostedCluster by its conditions.
func (v *snapshot) hostedCluster(phase Phase) Part {
	p := Part{Kind: clusterKind, Name: v.hc.Name, Health: OK}
	reported := conditions.OfCluster(v.hc)
	switch phase {
	case Deleting:
		p.Health, p.Message = Progressing, fmt.Sprintf("being deleted for %s", v.since(v.hc.DeletionTimestamp.Time))
		p.Hint = hint.New("%s continues it and says what it waits for",
			hint.Run("delete cluster", hostedcluster.Argument(v.hc.Namespace, v.hc.Name)))
		if v.blocked.Message != "" {
			p.add(v.blocker())
		}
		return p
	case Paused:
		p.Health = Warning
		p.Message = fmt.Sprintf("paused %s: the operator leaves it as it is",
			hostedcluster.PauseOf(v.hc.Spec.PausedUntil, v.now))
		p.Hint = hint.Run("resume", hostedcluster.Argument(v.hc.Namespace, v.hc.Name)).Text()
	case Stopped:
		p.Health = Warning
		p.Message = fmt.Sprintf("its workers are stopped: hcctl start %s brings them back",
			hostedcluster.Argument(v.hc.Namespace, v.hc.Name))
	}
	if len(reported.List) == 0 {
		p.Health, p.Message = v.underWay(v.hc.CreationTimestamp.Time), "the HyperShift operator has not reported anything yet"
		p.Hint = hint.New("if that lasts: %s says whether the operator runs and Routes get hosts",
			hint.Run("check").Flag("only", "hypershift,ingress"))
		return p
	}
	v.addConditions(&p, reported, phase)
	return p
}

// addConditions adds a part for each bad condition, and counts the good ones. A message that several conditions share
// is reported once.
func (v *snapshot) addConditions(p *Part, set conditions.Set, phase Phase) {
	good, bad, reported := 0, 0, map[string]bool{}
	for _, j := range set.Evaluate(v.workers()) {
		if j.Good() {
			good++
			continue
		}
		// The pause is already reported.
		byPause := phase == Paused && (j.Reason == hyperv1.ReconciliationPausedConditionReason ||
			j.Reason == hyperv1.BlockedReason)
		if byPause {
			continue
		}
		if bad++; j.Message != "" && reported[j.Message] && j.State != step.StateBroken {
			continue
		}
		reported[j.Message] = true
		p.add(v.condition(j, phase))
	}
	p.count(good, good+bad)
	if good+bad == 0 && phase != Paused {
		p.Health = Worse(p.Health, Progressing)
		p.Message = "its operator has not processed the newest change yet, and all conditions are of before it"
	}
}

// condition returns the part for a bad condition.
func (v *snapshot) condition(j conditions.Evaluated, phase Phase) Part {
	p := Part{Kind: conditionKind, Name: j.Type, Health: v.healthOf(j, phase), Message: j.Describe(), Hint: j.Hint,
		Reason: j.Reason, Since: j.LastTransitionTime}
	if keys := v.encryption.Describe(); j.Type == conditions.EtcdEncryption && keys != "" {
		p.Message += "; " + keys
	}
	return p
}

// healthOf returns the health that a bad condition means in this phase.
func (v *snapshot) healthOf(j conditions.Evaluated, phase Phase) Health {
	switch {
	case j.State == step.StateBroken:
		return Broken
	case j.State == step.StateWarning:
		return Warning
	case j.State == step.StatePending, phase == Creating, v.rollsOut(j, phase):
		return v.underWay(j.LastTransitionTime)
	}
	return Failing
}

// rollsOut reports whether a condition only reports that pods of the control plane are being replaced, as during the
// roll-out of a release (control-plane-operator 4.14 and later).
func (v *snapshot) rollsOut(j conditions.Evaluated, phase Phase) bool {
	progressing := conditions.OfCluster(v.hc).Get(string(hyperv1.HostedClusterProgressing)).True()
	return j.Type == string(hyperv1.HostedClusterDegraded) && j.Reason == "UnavailableReplicas" &&
		(phase == Upgrading || progressing)
}

// underWay returns Progressing until progressTimeout has passed, then Failing.
func (v *snapshot) underWay(began time.Time) Health {
	if !began.IsZero() && v.now.Sub(began) > progressTimeout {
		return Failing
	}
	return Progressing
}

func (v *snapshot) since(t time.Time) string { return ago(v.now, t) }

// ago formats the time since t as oc does. A time in the future, from another machine's clock, counts as now.
func ago(now, t time.Time) string { return duration.HumanDuration(max(0, now.Sub(t))) }

// blocker returns the part about what the deletion waits for.
func (v *snapshot) blocker() Part {
	kind, name, _ := strings.Cut(v.blocked.Object, " ")
	p := Part{Kind: kind, Name: name[strings.LastIndex(name, "/")+1:], Health: v.underWay(v.hc.DeletionTimestamp.Time),
		Message: oneLine("", v.blocked.Message), Hint: v.blocked.Hint}
	if v.blocked.State == step.StateUnknown {
		p.Health = Unknown
	}
	return p
}

// nodePools judges each NodePool.
func (v *snapshot) nodePools(phase Phase) Part {
	if v.pools.err != nil {
		return unread(poolsKind, kube.Explain(v.pools.err))
	}
	p := Part{Kind: poolsKind, Health: OK}
	ready := 0
	for i := range v.pools.items {
		np := &v.pools.items[i]
		ready += int(np.Status.Replicas)
		p.add(v.nodePool(np, phase))
	}
	if platform := v.platform(); !platform.MakesNodes() {
		p.Message, p.NotJudged = platform.NotJudged(), p.Health == OK
		return p
	}
	if v.wanted() == 0 && ready == 0 && phase != Deleting {
		// A count of 0 of 0 would look as if all nodes were ready.
		p.Health, p.Message = Worse(p.Health, Warning), v.whyNoNodes()
		return p
	}
	p.count(ready, v.wanted())
	return p
}

// whyNoNodes returns why a cluster has no worker nodes.
func (v *snapshot) whyNoNodes() string {
	switch {
	case len(v.pools.items) == 0:
		return "there is no NodePool, so there are no worker nodes"
	case v.stopped():
		return "no worker nodes: they are stopped"
	}
	return "no worker nodes, as the NodePools ask for none"
}

func (v *snapshot) nodePool(np *hyperv1.NodePool, phase Phase) Part {
	p := Part{Kind: "NodePool", Name: np.Name, Health: OK, Version: np.Status.Version}
	size, have := hostedcluster.SizeOf(np), int(np.Status.Replicas)
	p.count(have, size.Min)
	p.Message = fmt.Sprintf("%d of %d nodes", have, size.Min)
	if size.Auto {
		p.count(have, max(size.Min, min(have, size.Max)))
		p.Message = fmt.Sprintf("%s, scales from %d to %d", plural.Count(have, "node"), size.Min, size.Max)
	}
	counted := v.platform().MakesNodes()
	if !counted {
		p.Message, p.Ready, p.Total = "nodes are not counted", nil, nil
	}
	if np.Status.Version != "" {
		p.Message += ", " + np.Status.Version
	}
	if np.DeletionTimestamp != nil {
		p.Message += ", being deleted for " + v.since(np.DeletionTimestamp.Time)
		p.Health = v.underWay(np.DeletionTimestamp.Time)
		return p
	}
	if pause := hostedcluster.PauseOf(np.Spec.PausedUntil, v.now); pause.Active {
		p.Health, p.Message, phase = Warning, fmt.Sprintf("%s, paused %s", p.Message, pause), Paused
	}
	reported := conditions.OfPool(np)
	for _, j := range reported.Evaluate(size.Max > 0) {
		if byPause := phase == Paused && j.Reason == hyperv1.ReconciliationPausedConditionReason; !j.Good() && !byPause {
			p.add(v.condition(j, phase))
		}
	}
	if (counted && have < size.Min || len(reported.List) == 0) && p.Health == OK {
		p.Health = v.underWay(np.CreationTimestamp.Time)
	}
	return p
}
