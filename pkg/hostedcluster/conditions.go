package hostedcluster

import (
	"regexp"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// reported are the conditions of one HostedCluster or NodePool that are about its present generation.
type reported struct {
	kind, object string
	list         []kube.Condition
}

func hostedClusterConditions(hc *hyperv1.HostedCluster) reported {
	r := reported{kind: hostedClusterKind, object: hostedClusterKind + " " + kube.Name(hc)}
	for _, c := range hc.Status.Conditions {
		r.add(hc.Generation, kube.Condition{
			Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			ObservedGeneration: c.ObservedGeneration, LastTransitionTime: c.LastTransitionTime.Time,
		})
	}
	return r
}

func nodePoolConditions(np *hyperv1.NodePool) reported {
	r := reported{kind: nodePoolKind, object: nodePoolKind + " " + kube.Name(np)}
	for _, c := range np.Status.Conditions {
		r.add(np.Generation, kube.Condition{
			Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			ObservedGeneration: c.ObservedGeneration, LastTransitionTime: c.LastTransitionTime.Time,
		})
	}
	return r
}

// add leaves out a condition that was written for an older generation: it is about a spec that is no more.
func (r *reported) add(generation int64, c kube.Condition) {
	if c.ObservedGeneration != 0 && c.ObservedGeneration < generation {
		return
	}
	c.Message = timeless(c.Message)
	r.list = append(r.list, c)
}

// since matches the running time in messages such as "load balancer is not provisioned; 42s since creation.", which would make
// the same message a new one with each second.
var since = regexp.MustCompile(`;? ?\b[0-9hms.]+ since creation\.?`)

func timeless(message string) string { return since.ReplaceAllString(message, "") }

func (r reported) get(conditionType string) kube.Condition {
	return kube.FindCondition(r.list, conditionType)
}

// hopeless finds the first condition that waiting will not turn. A condition counts as bad when its status is False, which is the
// bad one for all that healings lists as not healing.
func (r reported) hopeless() (step.Finding, bool) {
	for _, c := range r.list {
		if !c.False() {
			continue
		}
		if ok, hint := heals(r.kind, c); !ok {
			return step.Stuck("%s", c.Told()).On("%s", r.object).WithHint("%s", hint), true
		}
	}
	return step.Finding{}, false
}

// waiting is a Pending finding that carries the condition in the operator's own words.
func (r reported) waiting(c kube.Condition) step.Finding {
	_, hint := heals(r.kind, c)
	return step.Waiting("%s", c.Told()).On("%s", r.object).WithHint("%s", hint)
}

// wants is OK if every condition named is True; else it waits for the first that is not, in the order named.
func (r reported) wants(okay string, conditionTypes ...string) step.Finding {
	for _, t := range conditionTypes {
		if c := r.get(t); !c.True() {
			return r.waiting(c)
		}
	}
	return step.Okay("%s", okay).On("%s", r.object)
}
