package health

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// Event is what a controller, the scheduler or the kubelet reported of an object, on one line.
type Event struct {
	// Name is the object's.
	Name            string
	Reason, Message string
	// Count is how often it was reported, Last when for the last time.
	Count int32
	Last  time.Time
}

// Describe returns reason and message with how often and when it was last reported.
func (e Event) Describe(now time.Time) string {
	seen := "last " + duration.HumanDuration(max(0, now.Sub(e.Last))) + " ago"
	if e.Count > 1 {
		seen = fmt.Sprintf("%d times, %s", e.Count, seen)
	}
	return fmt.Sprintf("%s (%s): %s", e.Reason, seen, e.Message)
}

// EventOf returns an Event in few words. The newer events.k8s.io form has its times and count in other fields.
func EventOf(e *corev1.Event) Event {
	out := Event{Name: e.InvolvedObject.Name, Reason: sanitize.Value(e.Reason),
		Message: sanitize.Value(strings.Join(strings.Fields(e.Message), " ")), Count: max(1, e.Count),
		Last: e.CreationTimestamp.Time}
	switch {
	case e.Series != nil:
		out.Count, out.Last = e.Series.Count, e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		out.Last = e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		out.Last = e.EventTime.Time
	}
	return out
}

// backOff is the reason of the kubelet's Event about a pause between two attempts, which says less than the Events about
// the attempts (k8s.io/kubernetes, pkg/kubelet/events).
const backOff = "BackOff"

// NewestWarning returns the newest Warning about an object of the kind of which is says that its name is meant. One that
// only tells of a pause comes after all others.
func NewestWarning(events []corev1.Event, kind string, is func(name string) bool) (newest Event, found bool) {
	for i := range events {
		e := &events[i]
		if e.Type != corev1.EventTypeWarning || e.InvolvedObject.Kind != kind || !is(e.InvolvedObject.Name) {
			continue
		}
		one := EventOf(e)
		pause := one.Reason == backOff
		if !found || (pause != (newest.Reason == backOff) && !pause) ||
			pause == (newest.Reason == backOff) && one.Last.After(newest.Last) {
			newest, found = one, true
		}
	}
	return newest, found
}
