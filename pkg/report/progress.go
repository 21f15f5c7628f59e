package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// Progress shows a run while it goes on.
type Progress interface {
	// Observe is handed to the engine.
	Observe(step.Event)
	// Note tells what concerns the run as a whole, in one line, at any time and from any goroutine.
	Note(text string)
	// Close leaves the screen tidy. Observe must not be called after it.
	Close()
}

// NewProgress returns the live display where the screen allows redraw, else one plain line per change of state.
func NewProgress(w io.Writer, s Screen) Progress {
	if s.Redraw {
		return newLive(w, s)
	}
	return &plain{w: w, begin: time.Now()}
}

// plain writes one line per change of state.
type plain struct {
	mu    sync.Mutex
	w     io.Writer
	begin time.Time
}

func (p *plain) Close() {}

func (p *plain) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = fmt.Fprintf(p.w, "%6s  %s\n", clock(time.Since(p.begin)), sanitize.Value(redact.Secrets(text)))
}

func (p *plain) Observe(e step.Event) {
	var word, text string
	switch e.Phase {
	case step.Begun, step.Applying:
		return // what follows at once says more
	case step.Checked:
		if e.Finding.State == step.StateOK || e.Finding.State == step.StateSkipped || e.Finding.Outage || endsAtOnce(e) {
			return // the finish says it, or a note
		}
		word, text = doing(e.Finding.State), about(e.Finding)
	case step.Applied:
		if e.Change == step.Unchanged || e.Finding.State == step.StateOK {
			return // it was written a moment ago, and the watch had not told yet; or the finish says it
		}
		word = string(e.Change) + ", checking"
	case step.WaitingOn:
		if e.Finding.State == step.StateOK {
			return
		}
		word, text = doing(e.Finding.State), about(e.Finding)
	case step.Finished:
		word, text = ending(*e.Result)
	}
	line := fmt.Sprintf("%6s  %-32s  %-10s  %s", clock(e.Time.Sub(p.begin)), sanitize.Value(string(e.Step.ID)), word,
		sanitize.Value(text))
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = fmt.Fprintln(p.w, strings.TrimRight(line, " "))
}

// endsAtOnce tells of a first finding whether it is the last as well: nothing hcctl does, and no waiting, changes it.
func endsAtOnce(e step.Event) bool {
	switch {
	case e.Finding.State == step.StateBroken:
		return true
	case e.Step.Apply != nil:
		return false
	}
	return e.Finding.State == step.StateMissing || e.Step.Severity == step.Advisory
}

// doing is a state in the words of a run: what is missing is about to be done, be it written or removed.
func doing(s step.State) string {
	if s == step.StateMissing {
		return "to do"
	}
	return s.String()
}

// about is a finding in one line, without secrets. Operators' messages can have several.
func about(f step.Finding) string {
	f = safe(f)
	f.Message = strings.Join(strings.Fields(f.Message), " ")
	if f.Object == "" || strings.Contains(f.Message, f.Object) {
		return f.Message
	}
	if f.Message == "" {
		return f.Object
	}
	return f.Object + ": " + f.Message
}

// ending is the last word on a step, and what to say about it.
func ending(r step.Result) (word, text string) {
	switch {
	case r.Finding.State == step.StateSkipped:
		return "skipped", about(r.Finding)
	case r.Outcome == step.OutcomeDone:
		if r.Change == "" {
			return "ready", about(r.Finding)
		}
		return string(r.Change), about(r.Finding)
	case r.Outcome == step.OutcomeWarned:
		return "warning", about(r.Finding)
	case r.Err != nil:
		return string(r.Outcome), failure(r.Err)
	default:
		return string(r.Outcome), about(r.Finding)
	}
}

// clock is a duration as short as a person wants it: "0.4s", "12s", "3m05s".
func clock(d time.Duration) string {
	switch {
	case d < 0:
		return "0.0s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0fs", d.Seconds())
	default:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
}
