package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

// While somebody else talks, the progress keeps what it has to say, and says it afterwards.
func TestAside(t *testing.T) {
	finished := step.Event{Phase: step.Finished, Step: &step.Step{ID: "a/b", Title: "the step"},
		Result: &step.Result{Step: &step.Step{ID: "a/b", Title: "the step"}, Outcome: step.OutcomeDone,
			Elapsed: time.Second, Finding: step.OK("done")}}
	for name, screen := range map[string]Screen{"plain": {}, "live": {Redraw: true, Width: 80}} {
		var out bytes.Buffer
		p := NewProgress(&out, screen)
		Aside(p, func() {
			before := out.Len()
			p.Observe(finished)
			p.Note("a note")
			if out.Len() != before {
				t.Errorf("%s: it talks too: %q", name, out.String())
			}
		})
		p.Close()
		text := out.String()
		if !strings.Contains(text, "A note") && !strings.Contains(text, "a note") || !strings.Contains(text, "done") {
			t.Errorf("%s: it has forgotten something: %q", name, text)
		}
	}
	talked := false
	Aside(nil, func() { talked = true })
	if !talked {
		t.Error("without a progress nobody talks")
	}
}
