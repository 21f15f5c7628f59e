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
	// List has the conditions that are known. Each message is one line without elapsed times.
	List []kube.Condition

	kind, argument, object string
	generation             int64
}

// ClusterConditions returns the conditions of a hosted cluster.
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

// PoolConditions returns the conditions of a NodePool.
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

// add adds a condition that is known.
func (r *Conditions) add(c kube.Condition) {
	if c.Status == string(metav1.ConditionUnknown) && c.Reason == hyperv1.StatusUnknownReason {
		// The operator initialises unknown conditions with this reason. They say nothing.
		return
	}
	c.Message = sortLists(oneLine(c.Message))
	r.List = append(r.List, c)
}

// elapsedTime matches the elapsed time in messages such as "load balancer is not provisioned; 42s since creation.",
// which would change the message every second.
var elapsedTime = regexp.MustCompile(`;? ?\b[0-9hms.]+ since creation\.?`)

// OneLine returns an operator's message on one line without elapsed times.
func OneLine(message string) string { return oneLine(message) }

// oneLine returns a message on one line without elapsed times.
func oneLine(message string) string {
	lines := strings.FieldsFunc(elapsedTime.ReplaceAllString(message, ""), func(r rune) bool {
		return r == '\n' || r == '\r'
	})
	return strings.Join(lines, "; ")
}

// outdated reports whether a condition was written for an older generation.
func (r Conditions) outdated(c kube.Condition) bool {
	return c.ObservedGeneration != 0 && c.ObservedGeneration < r.generation
}

// Get returns the condition, or one with the type alone if it is not reported. An outdated True condition counts as not
// reported; an outdated other one is still the last known problem.
func (r Conditions) Get(conditionType string) kube.Condition {
	c := kube.FindCondition(r.List, conditionType)
	if r.outdated(c) && c.True() {
		return kube.Condition{Type: conditionType}
	}
	return c
}

// Terminal returns the first False condition that waiting does not change, outdated ones excepted.
func (r Conditions) Terminal() (step.Finding, bool) {
	for _, c := range r.List {
		if !c.False() || r.outdated(c) {
			continue
		}
		if over, hint := terminal(r.kind, c); over {
			return step.Broken("%s", c.Describe()).On("%s", r.object).WithHint("%s", r.fillHint(hint)), true
		}
	}
	return step.Finding{}, false
}

// Waiting returns a Pending finding with the condition's message.
func (r Conditions) Waiting(c kube.Condition) step.Finding {
	return step.Pending("%s", c.Describe()).On("%s", r.object).WithHint("%s", r.hint(c))
}

// fillHint replaces NAME in the command lines of a hint by the cluster, with its namespace if necessary.
func (r Conditions) fillHint(hint string) string { return strings.ReplaceAll(hint, "NAME", r.argument) }

// RequireTrue is OK if all these conditions are True; otherwise it waits for the first that is not.
func (r Conditions) RequireTrue(okay string, conditionTypes ...string) step.Finding {
	for _, t := range conditionTypes {
		if c := r.Get(t); !c.True() {
			return r.Waiting(r.rootCause(c))
		}
	}
	return step.OK("%s", okay).On("%s", r.object)
}

// rootCause returns the condition that says why another one is unknown, such as an error of the operator. A known
// condition is its own cause.
func (r Conditions) rootCause(c kube.Condition) kube.Condition {
	if r.kind != hostedcluster.HostedClusterKind || c.False() {
		return c
	}
	for _, t := range []hyperv1.ConditionType{hyperv1.ReconciliationSucceeded, hyperv1.HostedClusterProgressing} {
		if found := r.Get(string(t)); found.False() && found.Message != "" && found.Reason != hyperv1.AsExpectedReason {
			return found
		}
	}
	if found := r.Get(string(hyperv1.HostedClusterAvailable)); c.Status == "" && found.False() && found.Message != "" {
		return found
	}
	return c
}
