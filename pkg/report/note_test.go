package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

// A note is a line of its own, whatever way a run is shown.
func TestNotes(t *testing.T) {
	s := &step.Step{ID: "a/b", Title: "b"}
	waiting := step.Event{Time: time.Now(), Phase: step.WaitingOn, Step: s, Finding: step.Pending("coming up")}
	for name, tt := range map[string]struct {
		screen Screen
		want   string
	}{
		"plain": {Screen{}, "  0.0s  The API server is away\n"},
		"live":  {Screen{Redraw: true, Width: 100}, " ! The API server is away\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			p := NewProgress(&out, tt.screen)
			p.Observe(waiting)
			p.Note("The API server is away")
			p.Close()
			if !strings.Contains(out.String(), tt.want) || strings.Count(out.String(), "away") != 1 {
				t.Errorf("got %q, want %q", out.String(), tt.want)
			}
		})
	}
}

// Notes come from beside; lines still stand in the order of their times.
func TestNotesAmongEvents(t *testing.T) {
	var out bytes.Buffer
	e := NewEvents(&out)
	e.Note("The API server is away")
	e.Observe(step.Event{Time: time.Now().Add(-time.Minute), Phase: step.WaitingOn, Step: &step.Step{ID: "a/b"},
		Finding: step.Pending("coming up")})
	var note, event struct{ Type, Time, Message string }
	lines := strings.Split(out.String(), "\n")
	if err := json.Unmarshal([]byte(lines[0]), &note); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(lines[1]), &event); err != nil {
		t.Fatal(err)
	}
	if note.Type != "note" || note.Message != "The API server is away" || event.Time < note.Time {
		t.Errorf("got %s", out.String())
	}
}

// A first finding that is told elsewhere is no line of the step.
func TestPlainLeavesOutWhatIsToldElsewhere(t *testing.T) {
	var out bytes.Buffer
	NewProgress(&out, Screen{}).Observe(step.Event{Phase: step.Checked, Step: &step.Step{ID: "a/b"},
		Finding: step.Finding{Message: "away", Outage: true}})
	if out.Len() > 0 {
		t.Errorf("got %q", out.String())
	}
}
