package prereq

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/step"
)

// TakeOver are the prerequisites for which a user has said that decisions of others may be replaced.
type TakeOver map[step.ID]bool

// KeptByTool is the finding where a tool, such as GitOps, keeps a field of the object, so that a change would not last;
// nil where none does. value is what the field says.
func KeptByTool(o metav1.Object, value string, path ...string) *step.Finding {
	tool := owner.Of(o)
	if tool == nil || owner.ByHcctl(o, path...) || !tool.Keeps(o, path...) {
		return nil
	}
	f := step.Broken("%s, and %s puts that back whenever it is changed", value, tool).WithHint("change it %s", tool.Where)
	return &f
}

// Decided is the finding where somebody else has set a field of the object, which hcctl keeps; nil where nobody has, or
// where the prerequisite is taken over and no tool would put the value back.
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

// SetBy says who set a field and when, such as ", set by kubectl-edit on ..."; empty where that is not known.
func SetBy(o metav1.Object, path ...string) string {
	by, known := owner.SetBy(o, path...)
	if !known {
		return ""
	}
	return fmt.Sprintf(", set by %s", by)
}
