package describe

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/kube/health"
)

// TestDescribeKeepsWarnings: of events that only say how things went there are few, so that warnings are seen.
func TestDescribeKeepsWarnings(t *testing.T) {
	l := eventList{items: []health.Event{{Type: "Warning", Message: "no room"}}}
	for range 25 {
		l.items = append(l.items, health.Event{Type: "Normal", Message: "pulled"})
	}
	var d Description
	l.addTo(&d, func(health.Event) bool { return true })
	if len(d.Events) != 1+maxNormal || d.Events[0].Message != "no room" || d.MoreEvents != 25-maxNormal {
		t.Errorf("%d more, and %v", d.MoreEvents, d.Events)
	}
}
