package prereq

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Degraded is the condition by which an operator says that something is wrong, not only under way.
const Degraded = "Degraded"

// JudgeConditions waits for conditions to be True or False, in the operator's own words. Nil means all are. A condition
// with one of the hopeless reasons is one that waiting will not cure. One that is not current is not believed. An
// object that is being deleted is told as such.
func JudgeConditions(u *unstructured.Unstructured, wantTrue, wantFalse, hopeless []string) *step.Finding {
	if f := Deleting(u.GetKind(), u); f != nil {
		return f
	}
	conditions := kube.Conditions(u)
	object := u.GetKind() + " " + kube.Name(u)
	for _, c := range conditions {
		if slices.Contains(hopeless, c.Reason) && c.Doubt == "" {
			f := step.Broken("%s", c.Describe()).On("%s", object)
			return &f
		}
	}
	if !kube.Observed(u) {
		f := step.Pending("its operator has not processed its latest change yet").On("%s", object)
		return &f
	}
	// A failure comes before what is not ready, because it is mostly the cause.
	for _, t := range wantFalse {
		if c := kube.FindCondition(conditions, t); c.True() {
			f := step.Pending("%s", c.Describe()).On("%s", object)
			if t == Degraded {
				f = f.WithTrouble().WithHint("%s", Describe(u))
			}
			return &f
		}
	}
	for _, t := range wantTrue {
		if c := kube.FindCondition(conditions, t); !c.True() {
			f := step.Pending("%s", c.Describe()).On("%s", object)
			return &f
		}
	}
	for _, t := range wantFalse {
		if c := kube.FindCondition(conditions, t); !c.False() {
			f := step.Pending("%s", c.Describe()).On("%s", object)
			return &f
		}
	}
	return nil
}

// Describe is the command that shows what the operator says of its object, and its events.
func Describe(u *unstructured.Unstructured) string {
	command := "oc describe " + strings.ToLower(u.GetKind()) + " " + u.GetName()
	if u.GetNamespace() != "" {
		command += " -n " + u.GetNamespace()
	}
	return command
}
