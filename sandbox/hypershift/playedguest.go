package hypershift

import (
	"fmt"
	"sync"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// playedGuest is a guest without an API server: its objects are kept in memory, where nobody but this operator sees them. It
// costs next to nothing, so that there can be a hundred.
func playedGuest() guestState {
	scheme, err := sharedGuestScheme()
	if err != nil {
		return guestState{phase: guestFailed, err: fmt.Errorf("play a guest: %w", err)}
	}
	c := fake.NewClientBuilder().WithScheme(scheme).
		WithTypeConverters(managedfields.NewDeducedTypeConverter()).
		WithStatusSubresource(&corev1.Node{}, &configv1.ClusterVersion{}, &configv1.ClusterOperator{}).Build()
	return guestState{phase: guestRunning, client: c}
}

var sharedGuestScheme = sync.OnceValues(guestScheme)

// played: it runs, but without an API server.
func (s guestState) played() bool { return s.phase == guestRunning && s.handle == nil }
