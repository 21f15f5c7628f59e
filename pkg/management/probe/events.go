package probe

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// hostName matches a DNS name.
var hostName = lazyregexp.New(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)

// lastEvent returns the last Warning about an object of the probe, else its last event, else "". The probe's time may
// be over, so it has a short timeout of its own.
func (s *session) lastEvent(ctx context.Context, o client.Object) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookInterval)
	defer cancel()
	list := &corev1.EventList{}
	if err := s.client.List(ctx, list, client.InNamespace(s.namespace),
		client.MatchingFields{"involvedObject.name": o.GetName()}); err != nil {
		return ""
	}
	last, found := health.NewestWarning(list.Items, o)
	if !found {
		last, _ = health.NewestEvent(list.Items, o)
	}
	return short(last.Says())
}
