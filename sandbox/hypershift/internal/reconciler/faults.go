package reconciler

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FaultsAnnotation on a HostedCluster or NodePool names faults, with commas between them, that are in effect for it alone for
// as long as the annotation says so: what --fault is for all of them.
const FaultsAnnotation = "sandbox.hcctl.dev/faults"

// FaultOn tells whether a fault is in effect, for all or for one of the objects.
func (b *Base) FaultOn(name string, objects ...client.Object) bool {
	if b.Faults.On(name) {
		return true
	}
	return slices.ContainsFunc(objects, func(o client.Object) bool {
		return slices.Contains(strings.Split(o.GetAnnotations()[FaultsAnnotation], ","), name)
	})
}
