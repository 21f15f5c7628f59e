package guest

import (
	"fmt"
	"sync"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// inMemory returns a guest without an API server: its objects are in memory, where only this operator sees them. It
// costs almost nothing, so a sandbox can have a hundred.
func inMemory() State {
	scheme, err := sharedGuestScheme()
	if err != nil {
		return State{Phase: Failed, err: fmt.Errorf("play a guest: %w", err)}
	}
	c := fake.NewClientBuilder().WithScheme(scheme).
		WithTypeConverters(managedfields.NewDeducedTypeConverter()).
		WithStatusSubresource(&corev1.Node{}, &configv1.ClusterVersion{}, &configv1.ClusterOperator{}).Build()
	return State{Phase: Running, Client: c}
}

var sharedGuestScheme = sync.OnceValues(guestScheme)

// InMemory reports whether the guest runs without an API server.
func (s State) InMemory() bool { return s.Phase == Running && s.Handle == nil }
