package health

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Event is a Kubernetes event of one object. Its texts are sanitized.
type Event struct {
	// Time is the time of the last occurrence, Count the number of occurrences.
	Time  time.Time `json:"time"`
	Count int32     `json:"count"`
	// Type is Normal or Warning.
	Type      string `json:"type"`
	Namespace string `json:"namespace"`
	// Object is "Kind/name".
	Object  string `json:"object"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// EventOf converts an event. Reporters that use events.k8s.io set other fields for time and count than those of
// core/v1.
func EventOf(e *corev1.Event) Event {
	seen, count := e.LastTimestamp.Time, max(1, e.Count)
	if seen.IsZero() {
		seen = e.EventTime.Time
	}
	if e.Series != nil {
		count = max(count, e.Series.Count)
		if e.Series.LastObservedTime.After(seen) {
			seen = e.Series.LastObservedTime.Time
		}
	}
	if seen.IsZero() {
		seen = e.CreationTimestamp.Time
	}
	return Event{Time: seen, Count: count, Type: sanitize.Value(e.Type), Namespace: e.Namespace,
		Object: sanitize.Value(e.InvolvedObject.Kind + "/" + e.InvolvedObject.Name), Reason: sanitize.Value(e.Reason),
		Message: sanitize.Value(e.Message)}
}

// Name returns the name of the object.
func (e Event) Name() string { return e.Object[strings.Index(e.Object, "/")+1:] }

// Says returns reason and message, which stay the same when the event repeats.
func (e Event) Says() string {
	if e.Message == "" {
		return e.Reason
	}
	return e.Reason + ": " + e.Message
}

// Describe returns Says with count and age: "FailedScheduling: no node fits (14 times, last 20s ago)".
func (e Event) Describe(now time.Time) string {
	ago := duration.HumanDuration(max(0, now.Sub(e.Time)))
	if e.Count > 1 {
		return fmt.Sprintf("%s (%d times, last %s ago)", e.Says(), e.Count, ago)
	}
	return fmt.Sprintf("%s (%s ago)", e.Says(), ago)
}

// NewestWarning returns the last Warning of an object. It ignores events of a deleted object with the same name.
func NewestWarning(events []corev1.Event, o client.Object) (Event, bool) {
	return Newest(events, func(e *corev1.Event) bool { return e.Type == corev1.EventTypeWarning && isAbout(e, o) })
}

// NewestWarningOf returns the last Warning of objects of a kind whose name matches.
func NewestWarningOf(events []corev1.Event, kind string, matchesName func(name string) bool) (Event, bool) {
	return Newest(events, func(e *corev1.Event) bool {
		return e.Type == corev1.EventTypeWarning && e.InvolvedObject.Kind == kind && matchesName(e.InvolvedObject.Name)
	})
}

// NewestEvent is NewestWarning for events of any type.
func NewestEvent(events []corev1.Event, o client.Object) (Event, bool) {
	return Newest(events, func(e *corev1.Event) bool { return isAbout(e, o) })
}

// Newest returns the last event that matches. A BackOff event is returned only if no other event matches.
func Newest(events []corev1.Event, matches func(*corev1.Event) bool) (last Event, found bool) {
	for i := range events {
		if !matches(&events[i]) {
			continue
		}
		e := EventOf(&events[i])
		pause, paused := e.Reason == backOff, last.Reason == backOff
		if !found || paused && !pause || pause == paused && e.Time.After(last.Time) {
			last, found = e, true
		}
	}
	return last, found
}

// backOff is the reason of the kubelet's event about a retry pause. Events about the attempts have more information
// (k8s.io/kubernetes, pkg/kubelet/events).
const backOff = "BackOff"

// isAbout reports whether an event belongs to an object. A kubelet writes the node's name as its UID.
func isAbout(e *corev1.Event, o client.Object) bool {
	of := &e.InvolvedObject
	if of.Name != o.GetName() || of.Namespace != "" && of.Namespace != o.GetNamespace() {
		return false
	}
	if of.UID != "" && of.UID != types.UID(of.Name) && o.GetUID() != "" {
		return of.UID == o.GetUID()
	}
	kind, err := kindOf(o)
	if err != nil || of.Kind != kind.Kind {
		return false
	}
	group, err := schema.ParseGroupVersion(of.APIVersion)
	return err == nil && (of.APIVersion == "" || group.Group == kind.Group)
}
