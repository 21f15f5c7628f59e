package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// frameTime is the time between two updates of the live display.
const frameTime = 300 * time.Millisecond

// shortStep is the time under which a step that ended well has no line of its own: it is counted.
const shortStep = time.Second

// live shows the running steps at the bottom of the screen. Finished ones scroll up; unchanged and short ones are
// counted, and warnings come last, whole.
type live struct {
	block

	mu      sync.Mutex
	paint   paint
	running []*running
	// head returns the line above the running steps; it may be nil.
	head func() string
	// finished are the lines to write above the rows by the next update; counted has how many steps have no line, by
	// countKey.
	finished []string
	counted  map[string]int
	warnings []step.Result
	// all gives every step a line.
	all    bool
	ending ending
	// held is how many callers keep the display off the screen.
	held    int
	closed  bool
	now     func() time.Time
	stop    chan struct{}
	stopped chan struct{}
}

type running struct {
	step  *step.Step
	said  said
	begin time.Time
}

// newLive returns a display that updates itself.
func newLive(w io.Writer, s Screen) *live {
	l := still(w, s)
	go l.spin()
	return l
}

// still returns a display that is updated by calls of draw only.
func still(w io.Writer, s Screen) *live {
	return &live{block: newBlock(w, s), paint: paint{s.Colour}, all: s.All, counted: map[string]int{}, now: time.Now,
		stop: make(chan struct{}), stopped: make(chan struct{})}
}

func (l *live) spin() {
	defer close(l.stopped)
	tick := time.NewTicker(frameTime)
	defer tick.Stop()
	suspended, end := suspensions()
	defer end()
	l.mu.Lock()
	if l.held == 0 && !l.closed {
		hideTyped(l.w)
	}
	l.mu.Unlock()
	for {
		select {
		case <-tick.C:
			l.mu.Lock()
			l.draw()
			l.mu.Unlock()
		case <-suspended:
			l.hold(true)
			suspend(l.stop)
			l.hold(false)
		case <-l.stop:
			return
		}
	}
}

// Close erases the running steps, keeps the finished lines, and says the warnings.
func (l *live) Close() {
	l.mu.Lock()
	already := l.closed
	if l.running = nil; !already {
		l.measure()
		l.finished = append(append(l.finished, l.countsRow()...), l.warningRows()...)
	}
	l.closed = true
	ShowTyped()
	l.draw()
	l.mu.Unlock()
	if !already {
		close(l.stop)
		<-l.stopped
	}
}

func (l *live) Observe(e step.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Phase == step.Finished {
		l.drop(e.Step)
		switch key := countKey(*e.Result); {
		case key == warned:
			l.warnings = append(l.warnings, *e.Result)
		case key == unchanged, !l.all && e.Result.Good() && e.Result.Elapsed < shortStep:
			l.counted[key]++
		case !l.ending.untold(*e.Result):
			l.finished = append(l.finished, l.finish(*e.Result))
		}
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
	r.said = eventSaid(e)
}

// eventSaid returns what an event says of its step.
func eventSaid(e step.Event) said {
	if e.Phase == step.Applied && e.Change != step.Unchanged {
		return said{reason: string(e.Change)}
	}
	return saidOf(e.Finding)
}

// Note implements Progress.
func (l *live) Note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished = append(l.finished, l.paint.yellow(" ! ")+sanitize.Value(redact.Secrets(text)))
}

// hold erases the running steps while somebody else writes to the screen, and draws them again afterwards.
func (l *live) hold(held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if held {
		if l.held++; l.held == 1 {
			l.write(l.finished, nil)
			l.finished = nil
			ShowTyped()
		}
		return
	}
	if l.held--; l.held == 0 && !l.closed {
		hideTyped(l.w)
	}
	l.draw()
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

// draw writes the finished lines and what has changed of the rows. The caller holds mu.
func (l *live) draw() {
	if l.held > 0 {
		return
	}
	l.measure()
	var rows []string
	if !l.closed {
		rows = l.rows()
	}
	l.write(l.finished, rows)
	l.finished = nil
}

// rows returns the rows of the display, as many as fit on the screen.
func (l *live) rows() []string {
	rows := l.countsRow()
	if l.head != nil {
		rows = append(rows, cutEnd(l.head(), l.width-1))
	}
	shown := l.running
	if fit := max(l.height-3-len(rows), 1); l.height > 0 && len(shown) > fit {
		shown = shown[:fit]
	}
	widest := 0
	for _, r := range shown {
		widest = max(widest, cells(name(r.step)))
	}
	widest = min(widest, max(10, min(32, l.width*3/10)))
	for _, r := range shown {
		before := fmt.Sprintf("%s %6s  ", padded(cutMiddle(name(r.step), widest), widest), wholeSeconds(l.now().Sub(r.begin)))
		rows = append(rows, l.paint.yellow(" … ")+before+r.said.fit(l.width-1-3-cells(before)))
	}
	if more := len(l.running) - len(shown); more > 0 {
		rows = append(rows, fmt.Sprintf("   and %d more", more))
	}
	return rows
}

// countsRow returns what counts the steps without a line, if there are any: a row where the screen is wide enough.
func (l *live) countsRow() []string {
	parts := tally(l.counted)
	if parts == "" {
		return nil
	}
	rows := wrap(parts, l.width-4)
	for i := range rows {
		rows[i] = "   " + rows[i]
	}
	rows[0] = " " + l.paint.green("✓") + rows[0][2:]
	return rows
}

// warningRows returns what the steps with a warning say, and what to do, as many lines as it takes.
func (l *live) warningRows() []string {
	var b strings.Builder
	for _, res := range l.warnings {
		text := resultSaid(res).line()
		writeBranch(&b, l.paint, l.width-1, " ", Branch{Mark: MarkWarning, Title: name(res.Step), Text: text,
			Hint: redacted(res.Finding).Hint.String()})
	}
	l.warnings = nil
	return slices.DeleteFunc(strings.Split(b.String(), "\n"), func(line string) bool { return line == "" })
}

// name returns the name of a step in live rows: its ID, as in the summary.
func name(s *step.Step) string {
	if s.ID == "" {
		return title(s)
	}
	return sanitize.Value(string(s.ID))
}

func (l *live) finish(r step.Result) string {
	word, _ := outcomeText(r)
	line, text := l.finishedLine(name(r.Step), r.Elapsed, word, resultSaid(r))
	if r.Outcome == step.OutcomeDone {
		text = l.paint.faint(text)
	}
	return strings.TrimRight(fmt.Sprintf(" %s %s %s", glyph(l.paint, r.Outcome, r.Finding.State), line, text), " ")
}

// The columns of the name in a finished line on a terminal of the usual width, and the fewest that its text is worth.
const (
	finishedName = 32
	fewestText   = 8
)

// finishedLine returns what follows the mark in a finished line, both parts as wide as the terminal allows.
func (l *live) finishedLine(name string, took time.Duration, word string, what said) (line, rest string) {
	columns := finishedName
	if l.width < usualWidth {
		columns = max(10, l.width*3/10)
		name = cutMiddle(name, columns)
	}
	line = fmt.Sprintf("%s %6s  %-10s", padded(name, columns), formatDuration(took), word)
	left := l.width - 5 - cells(line)
	if left < fewestText {
		return strings.TrimRight(line, " "), ""
	}
	return line, what.fit(left)
}

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

// truncate cuts a line, so that it stays below a number of columns. It does nothing for fewer than 20.
func truncate(s string, columns int) string {
	if columns < 20 || cells(s) < columns {
		return s
	}
	return head(s, columns-2) + "…"
}
