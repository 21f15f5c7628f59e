package follow

import (
	"regexp"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Conditions are the conditions of one HostedCluster or NodePool.
type Conditions struct {
	// List holds those that say something, each message on one line and without a clock in it.
	List []kube.Condition

	kind, argument, object string
	generation             int64
}

// ClusterConditions are what the operator reports of a hosted cluster.
func ClusterConditions(hc *hyperv1.HostedCluster) Conditions {
	r := Conditions{
		kind:       hostedcluster.HostedClusterKind,
		argument:   hostedcluster.Argument(hc.Namespace, hc.Name),
		object:     hostedcluster.HostedClusterKind + " " + kube.Name(hc),
		generation: hc.Generation,
	}
	for _, c := range hc.Status.Conditions {
		r.add(kube.Condition{
			Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			ObservedGeneration: c.ObservedGeneration, LastTransitionTime: c.LastTransitionTime.Time,
		})
	}
	return r
}

// PoolConditions are what the operator reports of a NodePool.
func PoolConditions(np *hyperv1.NodePool) Conditions {
	r := Conditions{
		kind:       hostedcluster.NodePoolKind,
		argument:   hostedcluster.Argument(np.Namespace, np.Spec.ClusterName),
		object:     hostedcluster.NodePoolKind + " " + kube.Name(np),
		generation: np.Generation,
	}
	for _, c := range np.Status.Conditions {
		r.add(kube.Condition{
			Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			ObservedGeneration: c.ObservedGeneration, LastTransitionTime: c.LastTransitionTime.Time,
		})
	}
	return r
}

// add keeps a condition that says something.
func (r *Conditions) add(c kube.Condition) {
	if c.Status == string(metav1.ConditionUnknown) && c.Reason == hyperv1.StatusUnknownReason {
		// The operator fills a condition it knows nothing of so, and the words it uses for that come and go: it is not
		// reported.
		return
	}
	c.Message = oneLine(c.Message)
	r.List = append(r.List, c)
}

// since matches the running time in messages such as "load balancer is not provisioned; 42s since creation.", which
// would make the same message a new one with each second.
var since = regexp.MustCompile(`;? ?\b[0-9hms.]+ since creation\.?`)

// OneLine is an operator's message on one line and without a clock in it.
func OneLine(message string) string { return oneLine(message) }

// oneLine keeps a message on one line and without a clock in it.
func oneLine(message string) string {
	lines := strings.FieldsFunc(since.ReplaceAllString(message, ""), func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines, "; ")
}

// outdated tells whether a condition was written for an older generation: it is about a spec that is no more.
func (r Conditions) outdated(c kube.Condition) bool {
	return c.ObservedGeneration != 0 && c.ObservedGeneration < r.generation
}

// Get returns the condition, or one with the type alone where it is not reported. An outdated one that is True is as
// good as not reported; an outdated one that is not is still the last that is known of what holds things up.
func (r Conditions) Get(conditionType string) kube.Condition {
	c := kube.FindCondition(r.List, conditionType)
	if r.outdated(c) && c.True() {
		return kube.Condition{Type: conditionType}
	}
	return c
}

// Terminal finds the first condition that waiting cannot cure, among those that are False and not outdated.
func (r Conditions) Terminal() (step.Finding, bool) {
	for _, c := range r.List {
		if !c.False() || r.outdated(c) {
			continue
		}
		if over, hint := terminal(r.kind, c); over {
			return step.Broken("%s", c.Describe()).On("%s", r.object).WithHint("%s", r.named(hint)), true
		}
	}
	return step.Finding{}, false
}

// Waiting is a Pending finding that carries the condition in the operator's own words.
func (r Conditions) Waiting(c kube.Condition) step.Finding {
	_, hint := terminal(r.kind, c)
	return step.Pending("%s", c.Describe()).On("%s", r.object).WithHint("%s", r.named(hint))
}

// named puts the cluster, with its namespace where that is needed, into the command lines of a hint.
func (r Conditions) named(hint string) string { return strings.ReplaceAll(hint, "NAME", r.argument) }

// Wants is OK if every condition named is True; else it waits for the first that is not, in the order named.
func (r Conditions) Wants(okay string, conditionTypes ...string) step.Finding {
	for _, t := range conditionTypes {
		if c := r.Get(t); !c.True() {
			return r.Waiting(r.cause(c))
		}
	}
	return step.OK("%s", okay).On("%s", r.object)
}

// cause is the condition that says why another one is not known: what the operator itself stumbled over. A condition
// that is known is its own cause.
func (r Conditions) cause(c kube.Condition) kube.Condition {
	if r.kind != hostedcluster.HostedClusterKind || c.False() {
		return c
	}
	for _, t := range []hyperv1.ConditionType{hyperv1.ReconciliationSucceeded, hyperv1.HostedClusterProgressing} {
		if told := r.Get(string(t)); told.False() && told.Message != "" && told.Reason != hyperv1.AsExpectedReason {
			return told
		}
	}
	if told := r.Get(string(hyperv1.HostedClusterAvailable)); c.Status == "" && told.False() && told.Message != "" {
		return told
	}
	return c
}
