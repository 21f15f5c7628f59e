package probe

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestAnnouncer has the Events of MetalLB's speakers: the newest that is well-formed says who announces the address.
func TestAnnouncer(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	event := func(reason, name, message string, minutes int) corev1.Event {
		return corev1.Event{Reason: reason, Message: message, InvolvedObject: corev1.ObjectReference{Kind: "Service",
			Name: name}, LastTimestamp: metav1.NewTime(at.Add(time.Duration(minutes) * time.Minute))}
	}
	from := func(node string) string { return `announcing from node "` + node + `" with protocol "layer2"` }
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "balanced"}}
	for name, tc := range map[string]struct {
		events []corev1.Event
		want   string
	}{
		"nobody": {nil, ""},
		"moved": {[]corev1.Event{event("nodeAssigned", "balanced", from("worker-1"), 2),
			event("nodeAssigned", "balanced", from("worker-0"), 1)}, "worker-1"},
		"another Service": {[]corev1.Event{event("nodeAssigned", "other", from("worker-1"), 1)}, ""},
		"another Event":   {[]corev1.Event{event("IPAllocated", "balanced", from("worker-1"), 1)}, ""},
		"no node's name":  {[]corev1.Event{event("nodeAssigned", "balanced", from("a; rm -rf /"), 1)}, ""},
		"by BGP": {[]corev1.Event{event("nodeAssigned", "balanced",
			`announcing from node "worker-1" with protocol "bgp"`, 1)}, ""},
	} {
		if got := announcerOf(tc.events, service); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// TestUnanswered: with a node, the hint makes its speaker new.
func TestUnanswered(t *testing.T) {
	f := unanswered("192.0.2.10", errors.New("i/o timeout"), "worker-1")
	if !strings.Contains(f.Message, "not from where hcctl runs: i/o timeout; MetalLB's speaker on node worker-1 announces it") ||
		!strings.Contains(f.Hint.String(), "oc delete pods -n metallb-system -l component=speaker --field-selector spec.nodeName=worker-1") {
		t.Errorf("got %s; %s", f.Message, f.Hint)
	}
	if f := unanswered("192.0.2.10", errors.New("i/o timeout"), ""); strings.Contains(f.Hint.String(), "oc delete") {
		t.Errorf("got %s", f.Hint)
	}
}
