package prereq

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// JudgeObject returns why an object of an operator is not healthy, or nil. An object that is being deleted gets the
// finding of Deleting.
func JudgeObject(u *unstructured.Unstructured, more ...health.Fact) *step.Finding {
	if f := Deleting(u.GetKind(), u); f != nil {
		return f
	}
	if v := health.Judge(u, time.Time{}, more...); !v.OK() {
		return &v.Finding
	}
	return nil
}
