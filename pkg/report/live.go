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

// shortStep is the duration below which a successful step is only counted and has no line.
const shortStep = time.Second

// live shows the running steps at the bottom of the screen. Finished steps scroll up, unchanged and short ones are only
// counted, and warnings are written in full at the end.
type live struct {
	block

	mu      sync.Mutex
	paint   paint
	running []*running
	// head returns the line above the running steps; it may be nil.
	head func() string
	// finished has the lines that the next update writes above the rows. counted has the number of steps without a line,
	// by countKey.
	finished []string
	counted  map[string]int
	warnings []step.Result
	// all is set to write a line for every step.
	all    bool
	ending ending
	// held is the number of callers that keep the display off the screen.
	held    int
	closed  bool
	now     func() time.Time
	stop    chan struct{}
	stopped chan struct{}
}

type running struct {
	step    *step.Step
	rowText rowText
	begin   time.Time
}

// newLive returns a display that updates itself every frameTime.
func newLive(w io.Writer, s Screen) *live {
	l := newManualLive(w, s)
	go l.run()
	return l
}

// newManualLive returns a display that is updated only by calls of draw.
func newManualLive(w io.Writer, s Screen) *live {
	return &live{block: newBlock(w, s), paint: paint{s.Colour}, all: s.All, counted: map[string]int{}, now: time.Now,
		stop: make(chan struct{}), stopped: make(chan struct{})}
}

func (l *live) run() {
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

// Close erases the running steps, keeps the finished lines, and writes the warnings.
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
		case !l.ending.unreported(*e.Result):
			l.finished = append(l.finished, l.resultLine(*e.Result))
		}
		return
	}
	if e.Phase == step.Begun || e.Phase == step.Applying {
		return // the next event follows at once
	}
	r := l.find(e.Step)
	if r == nil {
		r = &running{step: e.Step, begin: e.Time}
		l.running = append(l.running, r)
	}
	r.rowText = eventRowText(e)
}

// eventRowText returns the text of an event.
func eventRowText(e step.Event) rowText {
	if e.Phase == step.Applied && e.Change != step.Unchanged {
		return rowText{reason: string(e.Change)}
	}
	return rowTextOf(e.Finding)
}

// Note implements Progress.
func (l *live) Note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished = append(l.finished, l.paint.yellow(" ! ")+sanitize.Value(redact.Secrets(text)))
}

// hold(true) erases the running steps while other code writes to the screen; hold(false) draws them again.
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
	l.running = slices.DeleteFunc(l.running, func(r *running) bool { return r.step == s })
}

// draw writes the finished lines and the rows that have changed. The caller holds mu.
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

// rows returns as many rows of the display as fit on the screen.
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
		rows = append(rows, l.paint.yellow(" … ")+before+r.rowText.fit(l.width-1-3-cells(before)))
	}
	if more := len(l.running) - len(shown); more > 0 {
		rows = append(rows, fmt.Sprintf("   and %d more", more))
	}
	return rows
}

// countsRow returns the counts of the steps without a line, if any: one row if the screen is wide enough.
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

// warningRows returns the warnings with their hints, wrapped to the width of the screen.
func (l *live) warningRows() []string {
	var b strings.Builder
	for _, res := range l.warnings {
		text := resultRowText(res).line()
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

func (l *live) resultLine(r step.Result) string {
	word, _ := outcomeText(r)
	line, text := l.finishedLine(name(r.Step), r.Elapsed, word, resultRowText(r))
	if r.Outcome == step.OutcomeDone {
		text = l.paint.faint(text)
	}
	return strings.TrimRight(fmt.Sprintf(" %s %s %s", glyph(l.paint, r.Outcome, r.Finding.State), line, text), " ")
}

// The width of the name in a finished line on a terminal of the default width, and the minimum width of its text.
const (
	nameWidth    = 32
	minTextWidth = 8
)

// finishedLine returns the parts of a finished line after its mark, as wide as the terminal allows.
func (l *live) finishedLine(name string, took time.Duration, word string, what rowText) (line, rest string) {
	columns := nameWidth
	if l.width < defaultWidth {
		columns = max(10, l.width*3/10)
		name = cutMiddle(name, columns)
	}
	line = fmt.Sprintf("%s %6s  %-10s", padded(name, columns), formatDuration(took), word)
	left := l.width - 5 - cells(line)
	if left < minTextWidth {
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

// truncate cuts a line to less than a number of columns. It does nothing for fewer than 20.
func truncate(s string, columns int) string {
	if columns < 20 || cells(s) < columns {
		return s
	}
	return head(s, columns-2) + "…"
}
