package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// frameTime is the frame interval of the live display.
const frameTime = 120 * time.Millisecond

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// live shows the running steps at the bottom of the screen. Finished ones scroll up.
type live struct {
	w     io.Writer
	paint paint
	width int
	// height is the number of lines, 0 if unknown. Lines that scrolled off cannot be redrawn, so it draws only what fits.
	height int
	size   func() (width, height int)

	mu      sync.Mutex
	running []*running
	// head returns the line above the running steps; it may be nil.
	head  func() string
	drawn int
	frame int
	// held keeps what is finished off the screen until hold ends, in kept.
	held    bool
	kept    []string
	closed  bool
	stop    chan struct{}
	stopped chan struct{}
}

type running struct {
	step  *step.Step
	text  string
	begin time.Time
}

func newLive(w io.Writer, s Screen) *live {
	l := &live{w: w, paint: paint{s.Colour}, width: s.Width, size: s.Size, stop: make(chan struct{}),
		stopped: make(chan struct{})}
	go l.spin()
	return l
}

func (l *live) spin() {
	defer close(l.stopped)
	tick := time.NewTicker(frameTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			l.mu.Lock()
			l.frame++
			l.draw("")
			l.mu.Unlock()
		case <-l.stop:
			return
		}
	}
}

// Close erases the running steps and keeps the finished lines.
func (l *live) Close() {
	l.mu.Lock()
	already := l.closed
	l.closed = true
	l.running = nil
	l.draw("")
	l.mu.Unlock()
	if !already {
		close(l.stop)
	}
	<-l.stopped
}

func (l *live) Observe(e step.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Phase == step.Finished {
		l.drop(e.Step)
		l.draw(l.finished(*e.Result))
		return
	}
	if e.Phase == step.Begun || e.Phase == step.Applying {
		return // what follows at once says more
	}
	r := l.find(e.Step)
	if r == nil {
		r = &running{step: e.Step, begin: e.Time}
		l.running = append(l.running, r)
	}
	r.text = findingLine(e.Finding)
	if e.Phase == step.Applied && e.Change != step.Unchanged {
		r.text = string(e.Change)
	}
	l.draw("")
}

// Note implements Progress.
func (l *live) Note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.draw(l.paint.yellow(" ! ") + sanitize.Value(redact.Secrets(text)))
}

// hold erases the running steps while somebody else writes to the screen, and draws them again afterwards.
func (l *live) hold(held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held {
		running := l.running
		l.running = nil
		l.draw("")
		l.running, l.held = running, true
		return
	}
	l.held = false
	kept := strings.Join(l.kept, "\n")
	l.kept = nil
	l.draw(kept)
}

func (l *live) find(s *step.Step) *running {
	for _, r := range l.running {
		if r.step == s {
			return r
		}
	}
	return nil
}

func (l *live) drop(s *step.Step) {
	for i, r := range l.running {
		if r.step == s {
			l.running = append(l.running[:i], l.running[i+1:]...)
			return
		}
	}
}

// draw writes the finished line, if any, above the running steps. The caller holds mu.
func (l *live) draw(finished string) {
	if l.held {
		if finished != "" {
			l.kept = append(l.kept, finished)
		}
		return
	}
	if l.size != nil {
		if width, height := l.size(); width > 0 {
			l.width, l.height = width, height
		}
	}
	var b strings.Builder
	back := ""
	if l.drawn > 0 {
		back = fmt.Sprintf("\x1b[%dA\r\x1b[J", l.drawn)
	}
	if finished != "" {
		b.WriteString(finished + "\n")
	}
	shown := l.visible()
	if l.head != nil && !l.closed {
		b.WriteString(l.head() + "\n")
	}
	for _, r := range shown {
		line := fmt.Sprintf(" %s %-40s %6s  %s", spinner[l.frame%len(spinner)], title(r.step),
			formatDuration(time.Since(r.begin)),
			sanitize.Value(r.text))
		b.WriteString(truncate(line, l.width) + "\n")
	}
	l.drawn = len(shown)
	if l.head != nil && !l.closed {
		l.drawn++
	}
	if more := len(l.running) - len(shown); more > 0 {
		fmt.Fprintf(&b, "   and %d more\n", more)
		l.drawn++
	}
	if back != "" || b.Len() > 0 {
		// Nobody else moves the cursor, so this bypasses the guard of the writer.
		_, _ = io.WriteString(sanitize.Unwrap(l.w), back+sanitize.Screen(b.String()))
	}
}

// visible returns the oldest running steps that fit on the screen.
func (l *live) visible() []*running {
	taken := 3
	if l.head != nil {
		taken++
	}
	if fit := l.height - taken; l.height > 0 && len(l.running) > max(fit, 1) {
		return l.running[:max(fit, 1)]
	}
	return l.running
}

func (l *live) finished(r step.Result) string {
	word, text := outcomeText(r)
	text = sanitize.Value(text)
	glyph := l.glyph(r)
	line := fmt.Sprintf(" %s %-40s %6s  %-10s", glyph, title(r.Step), formatDuration(r.Elapsed), word)
	if r.Outcome == step.OutcomeDone {
		return line + " " + l.paint.faint(truncate(text, l.width-64))
	}
	return line + " " + text
}

func (l *live) glyph(r step.Result) string { return glyph(l.paint, r.Outcome, r.Finding.State) }

// glyph returns the mark of an outcome.
func glyph(p paint, o step.Outcome, s step.State) string {
	switch {
	case s == step.StateSkipped || o == step.OutcomeBlocked:
		return p.faint("-")
	case o == step.OutcomeDone:
		return p.green("✓")
	case o == step.OutcomeWarned:
		return p.yellow("!")
	case s == step.StateUnknown:
		return p.yellow("?")
	default:
		return p.red("✗")
	}
}

// truncate cuts a line at width columns. It does nothing for a width under 20.
func truncate(s string, width int) string {
	if width < 20 || utf8.RuneCountInString(s) < width {
		return s
	}
	return string([]rune(s)[:width-2]) + "…"
}
