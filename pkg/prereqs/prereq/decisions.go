package prereq

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/step"
)

// TakeOver lists the prerequisites for which the user allows hcctl to replace decisions of other users and tools.
type TakeOver map[step.ID]bool

// KeptByTool returns a finding if a tool such as GitOps owns a field of the object, so that a change would not last,
// else nil. value describes the field's value in the message.
func KeptByTool(o metav1.Object, value string, path ...string) *step.Finding {
	tool := owner.Of(o)
	if tool == nil || owner.ByHcctl(o, path...) || !tool.Keeps(o, path...) {
		return nil
	}
	f := step.Broken("%s, and %s puts that back whenever it is changed", value, tool).WithHint("change it %s", tool.Where)
	return &f
}

// Decided returns a finding if another manager has set a field of the object, which hcctl then leaves as it is. It
// returns nil if no other manager has, or if the prerequisite is taken over and no tool would restore the value.
func (t TakeOver) Decided(id step.ID, o metav1.Object, value string, path ...string) *step.Finding {
	if f := KeptByTool(o, value, path...); f != nil {
		return f
	}
	if t[id] || owner.ByHcctl(o, path...) {
		return nil
	}
	f := step.Broken("%s%s: hcctl keeps what others have decided", value, SetBy(o, path...)).
		WithHint("if hcctl is to change it: %s", hint.Run("bootstrap").Flag("take-over", id))
	return &f
}

// SetBy returns who set a field and when, such as ", set by kubectl-edit on ...", or "" if unknown.
func SetBy(o metav1.Object, path ...string) string {
	by, known := owner.SetBy(o, path...)
	if !known {
		return ""
	}
	return fmt.Sprintf(", set by %s", by)
}
