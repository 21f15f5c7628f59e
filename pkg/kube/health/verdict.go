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

// Verdict is the judgement of an object by its status: StateOK; StateWarning if it works but needs attention;
// StatePending; StateBroken; StateUnknown if it was not or could not be read. Broken with Trouble means that its
// controller has stopped for now and continues once the cause is gone. Its texts are sanitized: one line of limited
// length.
type Verdict struct {
	step.Finding
	// Reason is the reason given by the object's controller or by kstatus, such as "ProgressDeadlineExceeded".
	Reason string
	// Since is the time since which the object is in this state; zero if its status does not have it.
	Since time.Time
}

// OK reports whether the object works: it is healthy or has only a warning.
func (v Verdict) OK() bool { return v.State == step.StateOK || v.State == step.StateWarning }

// Grade returns the state for callers that do not wait: Trouble makes a pending or broken object failing.
func (v Verdict) Grade() step.State {
	if v.Trouble && (v.State == step.StatePending || v.State == step.StateBroken) {
		return step.StateFailing
	}
	return v.State
}

// Waiting returns the finding for a step that waits: Trouble makes a broken object pending, because its controller may
// continue.
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
	// ReasonNotReported is the Reason of an object without a status.
	ReasonNotReported = "NotReported"
	// ReasonCreating is the Reason of a pod with a container that is being created. Only events say what prevents it.
	ReasonCreating = "ContainerCreating"
	// ReasonPaused is the Reason of a paused MachineConfigPool, with or without pending changes.
	ReasonPaused = "Paused"
)

// facts is the input of a judge that the object does not have.
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

// A Fact is information for a judge that the object does not have.
type Fact func(*facts)

// Wanting sets the required number of pods or machines, instead of spec.replicas.
func Wanting(n int) Fact { return func(f *facts) { f.wanted = ptr.To(int64(n)) } }

// Endpoints adds the EndpointSlices of a Service. Without them its endpoints are not judged.
func Endpoints(slices []unstructured.Unstructured) Fact {
	return func(f *facts) { f.slices, f.endpoints = slices, true }
}

// Router limits the judgement of a Route to the admission by this router.
func Router(name string) Fact { return func(f *facts) { f.router = name } }

// Conditions adds the conditions that must be True and False, besides the common conditions of operators.
func Conditions(wantTrue, wantFalse []string) Fact {
	return func(f *facts) { f.wantTrue, f.wantFalse = wantTrue, wantFalse }
}

// Final adds condition reasons that do not go away by waiting.
func Final(reasons ...string) Fact { return func(f *facts) { f.final = reasons } }

// A judge returns a more specific verdict than kstatus, whose verdict is v.
type judge func(u *unstructured.Unstructured, v Verdict, f *facts) Verdict

// judges has the kinds for which the conditions are not enough.
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

// Judge judges an object of any kind at now, the API server's time.
func Judge(u *unstructured.Unstructured, now time.Time, more ...Fact) Verdict {
	f := &facts{now: now}
	for _, add := range more {
		add(f)
	}
	v := compute(u)
	v.Object = u.GetKind() + " " + kube.Name(u)
	if v.State == step.StateUnknown {
		return v.sanitized()
	}
	kind := u.GroupVersionKind().GroupKind()
	if v.Reason == ReasonTerminating {
		if v.Since = deletionRequested(u); kind == kube.Machine.GroupKind() {
			v = judgeMachine(u, v, f)
		}
		return v.sanitized()
	}
	judgeKind, known := judges[kind]
	if !known {
		judgeKind = judgeConditions
	}
	b := judgeKind(u, v, f)
	if v.OK() || !b.OK() && b.Message != v.Message {
		return b.sanitized()
	}
	// The verdict of kstatus is worse than the judge's or has the same text, so it stays.
	v.Message, v.Hint, v.Trouble = cmp.Or(v.Message, "it is not ready"), b.Hint, b.Trouble
	return v.sanitized()
}

// Of judges an object of a Go type in kube.NewScheme.
func Of(o client.Object, now time.Time, more ...Fact) Verdict {
	u, err := untyped(o)
	if err != nil {
		return Verdict{Finding: step.Unknown("%s", err).On("%s", kube.Name(o))}.sanitized()
	}
	return Judge(u, now, more...)
}

// ReadyPods returns the number of ready pods of a Deployment, DaemonSet, StatefulSet or ReplicaSet, for callers that
// need only some. It returns 0 until the controller has observed the latest change.
func ReadyPods(o client.Object) int {
	u, err := untyped(o)
	if _, observed, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration"); err != nil || !observed ||
		!kube.Observed(u) {
		return 0
	}
	return int(countsOf(u, &facts{}).ready)
}

// untyped converts an object to unstructured with its kind. It removes an observedGeneration of 0, which Go types write
// if none was reported.
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

// kindOf returns the kind of an object; items of typed lists have no kind field.
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

// scheme maps Go types to kinds.
var scheme = sync.OnceValue(kube.NewScheme)

// deletionRequested returns the time of the delete request, from the deletion timestamp less the grace period.
func deletionRequested(u *unstructured.Unstructured) time.Time {
	at := u.GetDeletionTimestamp()
	if at == nil {
		return time.Time{}
	}
	grace, _, _ := unstructured.NestedInt64(u.Object, "metadata", "deletionGracePeriodSeconds")
	return at.Add(-time.Duration(min(max(grace, 0), maxGrace)) * time.Second)
}

// maxGrace is the maximum grace period that is accepted, in seconds.
const maxGrace = 7 * 24 * 60 * 60

// sanitized returns the verdict with texts on one line, without terminal control characters.
func (v Verdict) sanitized() Verdict {
	v.Message, v.Reason, v.Object = sanitize.Value(v.Message), sanitize.Value(v.Reason), sanitize.Value(v.Object)
	return v
}

// compute returns the verdict of kstatus. kstatus panics on some objects that no API server would accept.
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

// because returns the verdict with a state and the reason and text of a condition.
func (v Verdict) because(state step.State, c kube.Condition) Verdict {
	v.Since = c.LastTransitionTime
	return v.with(state, cmp.Or(c.Reason, c.Type), "%s", c.Describe())
}

// with returns the verdict with a state, a reason and a text.
func (v Verdict) with(state step.State, reason, format string, args ...any) Verdict {
	v.State, v.Reason, v.Message, v.Trouble = state, reason, strings.TrimSpace(fmt.Sprintf(format, args...)), false
	return v
}

// inTrouble marks a problem that may go away.
func (v Verdict) inTrouble() Verdict {
	v.Trouble = true
	return v
}
