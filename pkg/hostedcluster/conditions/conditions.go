package conditions

import (
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Set has the conditions of one HostedCluster or NodePool.
type Set struct {
	// List has the reported conditions. Each message is one line without elapsed times.
	List []kube.Condition
	// Object is the kind and name of the object.
	Object string

	kind     string
	argument hint.Args
	observed bool
	// userManagedNodes is true if users create the NodePool's nodes, so that conditions about nodes are meaningless.
	userManagedNodes bool
}

// OfCluster returns the conditions of a hosted cluster.
func OfCluster(hc *hyperv1.HostedCluster) Set {
	s := Set{
		kind:     hostedcluster.HostedClusterKind,
		argument: hostedcluster.Argument(hc.Namespace, hc.Name),
		Object:   hostedcluster.HostedClusterKind + " " + kube.Name(hc),
	}
	s.add(hc, kube.ConditionsOf(hc, hc.Status.Conditions))
	return s
}

// OfPool returns the conditions of a NodePool.
func OfPool(np *hyperv1.NodePool) Set {
	s := Set{
		kind:             hostedcluster.NodePoolKind,
		argument:         hostedcluster.Argument(np.Namespace, np.Spec.ClusterName),
		Object:           hostedcluster.NodePoolKind + " " + kube.Name(np),
		userManagedNodes: !hostedcluster.PlatformOfPool(np).MakesNodes(),
	}
	list := make([]kube.Condition, 0, len(np.Status.Conditions))
	for _, c := range np.Status.Conditions {
		list = append(list, kube.Condition{
			Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			ObservedGeneration: c.ObservedGeneration, LastTransitionTime: c.LastTransitionTime.Time,
		})
	}
	s.add(np, kube.Doubted(np, np.Generation, list))
	return s
}

// add adds the conditions of an object, except uninitialized ones.
func (s *Set) add(o metav1.Object, list []kube.Condition) {
	for _, c := range list {
		if c.Status == string(metav1.ConditionUnknown) && c.Reason == hyperv1.StatusUnknownReason {
			// The operator initializes conditions as Unknown with this reason. They have no meaning.
			continue
		}
		c.Message = sortLists(OneLine(c.Message))
		s.List = append(s.List, c)
	}
	s.observed = kube.ObservedBy(o, s.List)
}

// elapsedTime matches the elapsed time in messages such as "load balancer is not provisioned; 42s since creation.",
// which changes the message every second.
var elapsedTime = lazyregexp.New(`;? ?\b[0-9hms.]+ since creation\.?`)

// OneLine returns an operator's message on one line without elapsed times.
func OneLine(message string) string {
	lines := strings.FieldsFunc(elapsedTime.ReplaceAllString(message, ""), func(r rune) bool {
		return r == '\n' || r == '\r'
	})
	return strings.Join(lines, "; ")
}

// Get returns the condition. If it is not reported, only its type is set.
func (s Set) Get(conditionType string) kube.Condition {
	return kube.FindCondition(s.List, conditionType)
}

// Terminal returns the first False condition that waiting does not change. It ignores outdated conditions.
func (s Set) Terminal() (step.Finding, bool) {
	for _, c := range s.List {
		if !c.False() {
			continue
		}
		if row := Find(s.kind, c.Type); row != nil {
			if reason := row.reason(c); reason.Terminal {
				return step.Broken("%s", c.Describe()).On("%s", s.Object).WithHint("%s", s.withCluster(reason.Hint)), true
			}
		}
	}
	return step.Finding{}, false
}

// Observed reports whether the operator has observed the current generation. It is true for operators that report no
// generations.
func (s Set) Observed() bool { return s.observed }

// Waiting returns a Pending finding with the condition's message.
func (s Set) Waiting(c kube.Condition) step.Finding {
	return step.Pending("%s", c.Describe()).On("%s", s.Object).WithHint("%s", s.Hint(c))
}

// withCluster replaces NAME in the commands of a hint by the cluster, with its namespace if necessary.
func (s Set) withCluster(next hint.Text) hint.Text { return next.Replace("NAME", s.argument) }

// RequireTrue is OK if all these conditions are True. Otherwise it returns Pending for the first that is not.
func (s Set) RequireTrue(text string, conditionTypes ...string) step.Finding {
	for _, t := range conditionTypes {
		if c := s.Get(t); !c.True() {
			return s.Waiting(s.rootCause(c))
		}
	}
	return step.OK("%s", text).On("%s", s.Object)
}

// rootCause returns the condition that explains why c is unknown or outdated, such as an error of the operator. A
// condition that is False is returned unchanged.
func (s Set) rootCause(c kube.Condition) kube.Condition {
	if s.kind != hostedcluster.HostedClusterKind || c.False() {
		return c
	}
	for _, t := range []hyperv1.ConditionType{hyperv1.ReconciliationSucceeded, hyperv1.HostedClusterProgressing} {
		if found := s.Get(string(t)); found.False() && found.Message != "" && found.Reason != hyperv1.AsExpectedReason {
			return found
		}
	}
	if found := s.Get(string(hyperv1.HostedClusterAvailable)); (c.Status == "" || c.Doubt != "") &&
		found.False() && found.Message != "" {
		return found
	}
	return c
}

// WaitingForComponents begins the message of Available with reason ComponentsNotAvailable, while components of the
// control plane are not available. A list follows, in another order at each reconcile (control-plane-operator 4.20 and
// later).
const WaitingForComponents = "Waiting for components to be available: "

// unavailableReplicas ends each item in the message of Degraded with reason UnavailableReplicas. The message is a list
// in brackets (control-plane-operator 4.14 and later).
const unavailableReplicas = " unavailable replicas"

// sortLists sorts the lists in a message whose order is random, so that equal messages compare as equal.
func sortLists(message string) string {
	if before, list, is := strings.Cut(message, WaitingForComponents); is {
		return before + WaitingForComponents + strings.Join(sorted(list), ", ")
	}
	if list, is := strings.CutPrefix(message, "["); is && strings.HasSuffix(list, unavailableReplicas+"]") {
		return "[" + strings.Join(sorted(strings.TrimSuffix(list, "]")), ", ") + "]"
	}
	return message
}

func sorted(list string) []string {
	items := strings.Split(list, ", ")
	slices.Sort(items)
	return items
}
