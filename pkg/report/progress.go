package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// Progress shows a run.
type Progress interface {
	// Observe receives the events of the engine.
	Observe(step.Event)
	// Note shows one line about the run, at any time and from any goroutine.
	Note(text string)
	// Close cleans up the screen. Observe must not be called afterwards.
	Close()
}

// Aside runs talk, which writes to the screen of the progress, and keeps the progress off the screen meanwhile. p may
// be nil.
func Aside(p Progress, talk func()) {
	if held, ok := p.(interface{ hold(bool) }); ok {
		held.hold(true)
		defer held.hold(false)
	}
	talk()
}

// advanceTime is the time between two lines of Advance if the screen allows no redraw.
const advanceTime = 30 * time.Second

// Advance makes p show the progress text of say until end is called: above the steps of a live display, else in a line
// every 30 seconds.
func Advance(p Progress, say func() string) (end func()) {
	if l, is := p.(*live); is {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.head = say
		return func() {}
	}
	return advance(p, say, time.NewTicker(advanceTime))
}

func advance(p Progress, say func() string, ticker *time.Ticker) (end func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ticker.C:
				p.Note(say())
			case <-stop:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(stop)
		<-stopped
	}
}

// NewProgress returns the live display if the screen allows redraw, else one plain line per change of state.
func NewProgress(w io.Writer, s Screen) Progress {
	if s.Redraw {
		return newLive(w, s)
	}
	return &plain{w: w, begin: time.Now()}
}

// plain writes a line when a step's state or reason changes. While only numbers and details change, it writes less
// often.
type plain struct {
	mu    sync.Mutex
	w     io.Writer
	begin time.Time
	// throttled has the last written line of each waiting step.
	throttled map[*step.Step]*throttledLine
	// While held is set, lines are kept in kept.
	held   bool
	kept   strings.Builder
	ending ending
}

// ending records whether a run was interrupted. Then steps that did not succeed are not reported, because Interruption
// covers them.
type ending struct{ interrupted bool }

// unreported reports whether a finished step is left out of the output.
func (e *ending) unreported(r step.Result) bool {
	e.interrupted = e.interrupted || r.Outcome == step.OutcomeInterrupted
	return e.interrupted && !r.Good()
}

func (p *plain) hold(held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held = held; !held {
		_, _ = io.WriteString(p.w, p.kept.String())
		p.kept.Reset()
	}
}

// write writes a line, or keeps it while held. The caller holds mu.
func (p *plain) write(line string) {
	if p.held {
		p.kept.WriteString(line + "\n")
		return
	}
	_, _ = fmt.Fprintln(p.w, line)
}

// throttledLine is the last written line of a step and the pending one.
type throttledLine struct {
	// about is the common part of the lines. quiet is the minimum time between two of them, at the time of the last one.
	about, next string
	quiet       time.Duration
	at          time.Time
	// timer writes next; it is nil while no line is pending.
	timer *time.Timer
}

// The time between two lines of a step that differ only in numbers and details. It doubles up to maxQuiet.
const (
	firstQuiet = 30 * time.Second
	maxQuiet   = 2 * time.Minute
)

// throttle reports whether to write a line of a step now. If not, a timer writes the newest such line later. The caller
// holds mu.
func (p *plain) throttle(s *step.Step, about, line string, at time.Time) bool {
	last := p.throttled[s]
	if last != nil && last.about == about {
		left := last.quiet - at.Sub(last.at)
		if left <= 0 {
			last.written(at)
			return true
		}
		if last.next = line; last.timer == nil {
			last.timer = time.AfterFunc(left, func() { p.writeLate(last) })
		}
		return false
	}
	p.forget(s)
	if p.throttled == nil {
		p.throttled = map[*step.Step]*throttledLine{}
	}
	p.throttled[s] = &throttledLine{about: about, at: at, quiet: firstQuiet}
	return true
}

// written records that a line was written.
func (l *throttledLine) written(at time.Time) {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer, l.at, l.quiet = nil, at, min(2*l.quiet, maxQuiet)
}

// writeLate writes the pending line.
func (p *plain) writeLate(l *throttledLine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.timer != nil {
		p.write(l.next)
		l.written(time.Now())
	}
}

// forget drops the pending line of a step. The caller holds mu.
func (p *plain) forget(s *step.Step) {
	if last := p.throttled[s]; last != nil && last.timer != nil {
		last.timer.Stop()
		last.timer = nil
	}
	delete(p.throttled, s)
}

// reasonOf returns the finding's reason up to its first details, without numbers. Only a change of it causes a new
// line.
func reasonOf(word string, f step.Finding) string {
	reason, _, _ := strings.Cut(rowTextOf(f).reason, ": ")
	if f.Trouble {
		word += "!"
	}
	return word + " " + strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, reason)
}

func (p *plain) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.throttled {
		p.forget(s)
	}
}

func (p *plain) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(fmt.Sprintf("%6s  %s", formatDuration(time.Since(p.begin)), sanitize.Value(redact.Secrets(text))))
}

func (p *plain) interrupted(r step.Result) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ending.unreported(r)
}

func (p *plain) Observe(e step.Event) {
	if e.Phase == step.Finished && p.interrupted(*e.Result) {
		return
	}
	var word, text string
	switch e.Phase {
	case step.Begun, step.Applying:
		return // the next event follows at once
	case step.Checked:
		if e.Finding.State == step.StateOK || e.Finding.State == step.StateSkipped || e.Finding.Outage || isFinal(e) {
			return // the Finished event or a note reports it
		}
		word, text = stateText(e.Finding.State), findingLine(e.Finding)
	case step.Applied:
		if e.Change == step.Unchanged || e.Finding.State == step.StateOK {
			return // the watch lags behind the write, or the Finished event reports it
		}
		word = string(e.Change) + ", checking"
	case step.WaitingOn:
		if e.Finding.State == step.StateOK {
			return
		}
		word, text = stateText(e.Finding.State), findingLine(e.Finding)
	case step.Finished:
		word, text = outcomeText(*e.Result)
	}
	line := fmt.Sprintf("%6s  %-32s  %-10s  %s", formatDuration(e.Time.Sub(p.begin)), sanitize.Value(string(e.Step.ID)),
		word,
		sanitize.Value(text))
	p.mu.Lock()
	defer p.mu.Unlock()
	line = strings.TrimRight(line, " ")
	if e.Phase == step.WaitingOn || e.Phase == step.Checked {
		if !p.throttle(e.Step, reasonOf(word, e.Finding), line, e.Time) {
			return
		}
	} else {
		p.forget(e.Step)
	}
	p.write(line)
}

// isFinal reports whether the first finding is also the last one: neither hcctl nor waiting can change it.
func isFinal(e step.Event) bool {
	switch {
	case e.Finding.State == step.StateBroken:
		return true
	case e.Step.Apply != nil:
		return false
	}
	return e.Finding.State == step.StateMissing || e.Step.Severity == step.Advisory
}

// stateText returns the word for a state in a run, where missing means "to do".
func stateText(s step.State) string {
	if s == step.StateMissing {
		return "to do"
	}
	return s.String()
}

// findingLine returns a finding in one line without secrets.
func findingLine(f step.Finding) string { return rowTextOf(f).line() }

// outcomeText returns the word for an outcome, and its explanation.
func outcomeText(r step.Result) (word, text string) {
	switch {
	case r.Finding.State == step.StateSkipped:
		return "skipped", findingLine(r.Finding)
	case r.Outcome == step.OutcomeDone:
		if r.Change == "" {
			return "ready", findingLine(r.Finding)
		}
		return string(r.Change), findingLine(r.Finding)
	case r.Outcome == step.OutcomeWarned:
		return "warning", findingLine(r.Finding)
	case r.Err != nil:
		return string(r.Outcome), errorText(r.Err)
	default:
		return string(r.Outcome), findingLine(r.Finding)
	}
}

// formatDuration formats a duration: "0.4s", "12s", "3m05s".
func formatDuration(d time.Duration) string {
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

// wholeSeconds formats a running time: "9s", "3m05s", "1h02m".
func wholeSeconds(d time.Duration) string {
	n := int(max(d, 0).Seconds())
	switch {
	case n < 60:
		return fmt.Sprintf("%ds", n)
	case n < 3600:
		return fmt.Sprintf("%dm%02ds", n/60, n%60)
	}
	return fmt.Sprintf("%dh%02dm", n/3600, n/60%60)
}
