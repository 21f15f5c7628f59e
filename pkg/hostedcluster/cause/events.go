package cause

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// maxEventAge is the maximum age of an Event that explains something. Controllers repeat their Events within that time.
const maxEventAge = time.Hour

// events returns the Warning Events in a namespace of the management cluster or of the hosted cluster.
func (w *Walker) events(ctx context.Context, from kube.Reader, namespace string) []corev1.Event {
	if from == nil {
		return nil
	}
	key := "events " + namespace
	if from != w.management {
		key = "hosted " + key
	}
	// Events only add to a verdict, so an error of reading them is ignored here.
	all, _ := once(w, key, func() ([]corev1.Event, error) {
		return kube.ListAll(ctx, from, &corev1.EventList{}, func(l *corev1.EventList) []corev1.Event { return l.Items },
			client.InNamespace(namespace), client.MatchingFields{"type": corev1.EventTypeWarning})
	})
	return all
}

// warning returns the newest Warning Event of an object in the control plane namespace; false if there is none within
// maxEventAge.
func (w *Walker) warning(ctx context.Context, kind, name string) (health.Event, bool) {
	return w.warningIn(ctx, w.management, w.namespace(), kind, func(of string) bool { return of == name })
}

func (w *Walker) warningIn(ctx context.Context, from kube.Reader, namespace, kind string, is func(name string) bool) (
	health.Event, bool) {
	e, found := health.NewestWarningOf(w.events(ctx, from, namespace), kind, is)
	return e, found && w.now().Sub(e.Time) < maxEventAge
}

// withEvent adds the newest Warning Event of the object to its message. If the object's status reports no trouble, the
// Event becomes the message.
func (w *Walker) withEvent(s Symptom, e health.Event, found bool) Symptom {
	switch {
	case !found || strings.Contains(s.Message, e.Message):
	case s.Trouble:
		s.Message += "; " + w.describe(e)
	default:
		s.Message, s.Reason, s.Since, s.Trouble, s.Event = w.describe(e), e.Reason, e.Time, true, true
	}
	return s
}

// eventSymptom returns a symptom that is known only from an Event.
func (w *Walker) eventSymptom(object string, e health.Event) Symptom {
	return Symptom{Event: true, Verdict: health.Verdict{Finding: step.Pending("%s", w.describe(e)).On("%s",
		object).WithTrouble(),
		Reason: e.Reason, Since: e.Time}}
}

func (w *Walker) describe(e health.Event) string {
	if w.Steady {
		return e.Says()
	}
	return e.Describe(w.now())
}

// nameOf returns the object of an Event in the form of findings.
func nameOf(e health.Event) string {
	kind, name, _ := strings.Cut(e.Object, "/")
	return kind + " " + e.Namespace + "/" + name
}
