package reconciler

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// FaultOn reports whether a fault is active, for all objects or for one of these.
func (b *Base) FaultOn(name string, objects ...client.Object) bool {
	if b.Faults.Active(name) {
		return true
	}
	return slices.ContainsFunc(objects, func(o client.Object) bool { return fault.On(o, name) })
}
