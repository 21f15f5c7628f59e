package health

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Verdict is what the status of an object says: StateOK, StateWarning for what works and has something to know,
// StatePending, StateBroken, or StateUnknown for what cannot or may not be read, or was not looked at. Broken with
// Trouble means that its controller has given up for now, and goes on once the cause is gone. Its words are safe to
// show: one line, of limited length.
type Verdict struct {
	step.Finding
	// Reason is the word of the object's controller or of kstatus, such as "ProgressDeadlineExceeded".
	Reason string
	// Since is when it became so, by the object's status; zero if that does not say.
	Since time.Time
}

// OK reports whether the object works: it is well, or there is no more than a warning.
func (v Verdict) OK() bool { return v.State == step.StateOK || v.State == step.StateWarning }

// Grade is the state for a reader who does not wait: what is pending or broken because of Trouble is failing.
func (v Verdict) Grade() step.State {
	if v.Trouble && (v.State == step.StatePending || v.State == step.StateBroken) {
		return step.StateFailing
	}
	return v.State
}

// Waiting is the finding of a step that goes on where the controller has given up for now.
func (v Verdict) Waiting() step.Finding {
	f := v.Finding
	if f.Trouble && f.State == step.StateBroken {
		f.State = step.StatePending
	}
	return f
}

const (
	// ReasonTerminating is the Reason of an object that is being deleted.
	ReasonTerminating = "Terminating"
	// ReasonNotReported is the Reason of what has no status yet.
	ReasonNotReported = "NotReported"
	// ReasonCreating is the Reason of a pod of which a container is being created. What keeps it is only in Events.
	ReasonCreating = "ContainerCreating"
	// ReasonPaused is the Reason of a MachineConfigPool that is paused, with changes waiting or without.
	ReasonPaused = "Paused"
)

// facts are what a judge cannot learn from the object.
type facts struct {
	now       time.Time
	wanted    *int64
	slices    []unstructured.Unstructured
	endpoints bool
	router    string
	wantTrue  []string
	wantFalse []string
	final     []string
}

// A Fact is something that a judge has to know and that the object does not say.
type Fact func(*facts)

// Wanting says how many pods or machines whoever wants the object wants of it, instead of its spec.replicas.
func Wanting(n int) Fact { return func(f *facts) { f.wanted = ptr.To(int64(n)) } }

// Endpoints are the EndpointSlices of a Service. Without them, nothing is said of its endpoints.
func Endpoints(slices []unstructured.Unstructured) Fact {
	return func(f *facts) { f.slices, f.endpoints = slices, true }
}

// Router is the only router of which the admission of a Route counts.
func Router(name string) Fact { return func(f *facts) { f.router = name } }

// Conditions are those that have to be True and False, besides what all operators have in common.
func Conditions(wantTrue, wantFalse []string) Fact {
	return func(f *facts) { f.wantTrue, f.wantFalse = wantTrue, wantFalse }
}

// Final are reasons of conditions that waiting does not cure.
func Final(reasons ...string) Fact { return func(f *facts) { f.final = reasons } }

// A judge says what it knows of an object better than kstatus, whose verdict is v.
type judge func(u *unstructured.Unstructured, v Verdict, f *facts) Verdict

// judges are the judges of the kinds that need more than their conditions.
var judges = map[schema.GroupKind]judge{
	{Group: "apps", Kind: "Deployment"}:                                      judgeWorkload,
	{Group: "apps", Kind: "ReplicaSet"}:                                      judgeWorkload,
	{Group: "apps", Kind: "DaemonSet"}:                                       judgeWorkload,
	{Group: "apps", Kind: "StatefulSet"}:                                     judgeWorkload,
	{Group: "batch", Kind: "Job"}:                                            judgeJob,
	{Kind: "Pod"}:                                                            judgePod,
	{Kind: "Node"}:                                                           judgeNode,
	{Kind: "PersistentVolumeClaim"}:                                          judgeClaim,
	{Kind: "PersistentVolume"}:                                               judgeVolume,
	{Kind: "Service"}:                                                        judgeService,
	{Group: "route.openshift.io", Kind: "Route"}:                             judgeRoute,
	{Group: "config.openshift.io", Kind: "ClusterOperator"}:                  judgeOperator,
	{Group: "config.openshift.io", Kind: "ClusterVersion"}:                   judgeVersion,
	{Group: "kubevirt.io", Kind: "VirtualMachine"}:                           judgeVirtualMachine,
	{Group: "kubevirt.io", Kind: "VirtualMachineInstanceMigration"}:          judgeMigration,
	{Group: "addon.open-cluster-management.io", Kind: "ManagedClusterAddOn"}: judgeAddOn,
	kube.VirtualMachineInstance.GroupKind():                                  judgeInstance,
	kube.DataVolume.GroupKind():                                              judgeDataVolume,
	kube.KubevirtMachine.GroupKind():                                         judgeMachine,
	kube.Machine.GroupKind():                                                 judgeMachine,
	kube.MachineSet.GroupKind():                                              judgeMachines,
	kube.MachineDeployment.GroupKind():                                       judgeMachines,
	kube.ManagedCluster.GroupKind():                                          judgeManagedCluster,
	kube.CertificateSigningRequest.GroupKind():                               judgeRequest,
	kube.PodDisruptionBudget.GroupKind():                                     judgeBudget,
	kube.CustomResourceDefinition.GroupKind():                                judgeDefinition,
	kube.MachineConfigPool.GroupKind():                                       judgeConfigPool,
	kube.CephCluster.GroupKind():                                             judgeCeph,
}

// Judge judges an object of any kind at the API server's time now.
func Judge(u *unstructured.Unstructured, now time.Time, more ...Fact) Verdict {
	f := &facts{now: now}
	for _, add := range more {
		add(f)
	}
	v := compute(u)
	v.Object = u.GetKind() + " " + kube.Name(u)
	if v.State == step.StateUnknown {
		return v.shown()
	}
	kind := u.GroupVersionKind().GroupKind()
	if v.Reason == ReasonTerminating {
		if v.Since = deleted(u); kind == kube.Machine.GroupKind() {
			v = judgeMachine(u, v, f)
		}
		return v.shown()
	}
	better, known := judges[kind]
	if !known {
		better = judgeConditions
	}
	b := better(u, v, f)
	if v.OK() || !b.OK() && b.Message != v.Message {
		return b.shown()
	}
	// What kstatus says stands: no judge is better, and none has other words.
	v.Message, v.Hint, v.Trouble = cmp.Or(v.Message, "it is not ready"), b.Hint, b.Trouble
	return v.shown()
}

// Of judges an object of a Go type that kube.NewScheme knows.
func Of(o client.Object, now time.Time, more ...Fact) Verdict {
	u, err := untyped(o)
	if err != nil {
		return Verdict{Finding: step.Unknown("%s", err).On("%s", kube.Name(o))}.shown()
	}
	return Judge(u, now, more...)
}

// ReadyPods returns how many pods of a Deployment, DaemonSet, StatefulSet or ReplicaSet are ready, for callers to which
// some are enough; none as long as its controller has not processed its latest change.
func ReadyPods(o client.Object) int {
	u, err := untyped(o)
	if _, observed, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration"); err != nil || !observed ||
		!kube.Observed(u) {
		return 0
	}
	return int(countsOf(u, &facts{}).ready)
}

// untyped returns an object with its kind. An observedGeneration of 0 that a Go type writes out is one that nobody has
// reported.
func untyped(o client.Object) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	kind, err := kindOf(o)
	if err != nil {
		return u, err
	}
	if u.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(o); err == nil {
		u.SetGroupVersionKind(kind)
	}
	if kube.Number(u, "status", "observedGeneration") == 0 {
		unstructured.RemoveNestedField(u.Object, "status", "observedGeneration")
	}
	return u, err
}

// kindOf is an object's kind, which items of typed lists do not say themselves.
func kindOf(o client.Object) (schema.GroupVersionKind, error) {
	if kind := o.GetObjectKind().GroupVersionKind(); !kind.Empty() {
		return kind, nil
	}
	kinds, _, err := scheme().ObjectKinds(o)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return kinds[0], nil
}

// scheme names the kinds of Go types.
var scheme = sync.OnceValue(kube.NewScheme)

// deleted is when the deletion of an object was asked for, as far as its fields say: a pod's time is that of its end.
func deleted(u *unstructured.Unstructured) time.Time {
	at := u.GetDeletionTimestamp()
	if at == nil {
		return time.Time{}
	}
	grace, _, _ := unstructured.NestedInt64(u.Object, "metadata", "deletionGracePeriodSeconds")
	return at.Add(-time.Duration(min(max(grace, 0), maxGrace)) * time.Second)
}

// maxGrace limits what is believed of a grace period, in seconds.
const maxGrace = 7 * 24 * 60 * 60

// shown returns the verdict with the words of others on one line, without characters that a terminal obeys.
func (v Verdict) shown() Verdict {
	v.Message, v.Reason, v.Object = sanitize.Value(v.Message), sanitize.Value(v.Reason), sanitize.Value(v.Object)
	return v
}

// compute is the verdict of kstatus, which panics on some objects that no API server of Kubernetes would take.
func compute(u *unstructured.Unstructured) (v Verdict) {
	defer func() {
		if recover() != nil {
			v = Verdict{Finding: step.Unknown("its status does not have the form of its kind")}
		}
	}()
	result, err := status.Compute(u)
	if err != nil {
		return Verdict{Finding: step.Unknown("its status cannot be read: %v", err)}
	}
	if len(result.Conditions) > 0 {
		v.Reason = result.Conditions[0].Reason
	}
	if result.Status != status.CurrentStatus {
		v.Message = strings.TrimSpace(result.Message)
	}
	switch result.Status {
	case status.CurrentStatus:
		v.State = step.StateOK
	case status.FailedStatus:
		v.State = step.StateBroken
	case status.TerminatingStatus:
		v.State, v.Reason, v.Message = step.StatePending, ReasonTerminating, "it is being deleted"
	case status.InProgressStatus:
		v.State = step.StatePending
	case status.NotFoundStatus, status.UnknownStatus:
	}
	return v
}

// because returns the verdict in another state, in the words of a condition.
func (v Verdict) because(state step.State, c kube.Condition) Verdict {
	v.Since = c.LastTransitionTime
	return v.with(state, cmp.Or(c.Reason, c.Type), "%s", c.Describe())
}

// with returns the verdict in another state, with a reason and a sentence.
func (v Verdict) with(state step.State, reason, format string, args ...any) Verdict {
	v.State, v.Reason, v.Message, v.Trouble = state, reason, strings.TrimSpace(fmt.Sprintf(format, args...)), false
	return v
}

// inTrouble marks a verdict as one that something is wrong and may recover.
func (v Verdict) inTrouble() Verdict {
	v.Trouble = true
	return v
}
