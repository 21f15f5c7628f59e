package reconciler

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// FaultOn tells whether a fault is in effect, for all or for one of the objects.
func (b *Base) FaultOn(name string, objects ...client.Object) bool {
	if b.Faults.On(name) {
		return true
	}
	return slices.ContainsFunc(objects, func(o client.Object) bool {
		return slices.Contains(strings.Split(o.GetAnnotations()[fault.Annotation], ","), name)
	})
}
