package probe

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// hostName is the form of a DNS name.
var hostName = lazyregexp.New(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)

// lastEvent returns the last event about an object of the probe, "" if there is none. The probe's time may be up, so it
// has a short time of its own.
func (s *session) lastEvent(ctx context.Context, name string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookInterval)
	defer cancel()
	list := &corev1.EventList{}
	if err := s.client.List(ctx, list, client.InNamespace(s.namespace),
		client.MatchingFields{"involvedObject.name": name}); err != nil {
		return ""
	}
	var last health.Event
	for i := range list.Items {
		if e := health.EventOf(&list.Items[i]); last.Last.Before(e.Last) {
			last = e
		}
	}
	if last.Reason == "" {
		return ""
	}
	return short(last.Reason + ": " + last.Message)
}
