package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// NewSubjectProgress returns the Progress of a run over several subjects of a kind, such as "clusters". A screen with
// redraw gets a line per running subject below a line of counts, others the output of NewProgress.
func NewSubjectProgress(w io.Writer, s Screen, kind string, g *step.Graph) Progress {
	if !s.Redraw {
		return NewProgress(w, s)
	}
	l := liveSubjectsOf(newManualLive(w, s), kind, g)
	go l.run()
	return l
}

// liveSubjectsOf returns a display of subjects.
func liveSubjectsOf(on *live, kind string, g *step.Graph) *liveSubjects {
	l := &liveSubjects{live: on, kind: kind, bySubject: map[string]*liveSubject{}}
	for _, one := range g.Steps() {
		if l.bySubject[one.Subject] == nil {
			l.bySubject[one.Subject] = &liveSubject{}
		}
		l.bySubject[one.Subject].left++
	}
	l.head = l.counts
	return l
}

// liveSubjects shows one line per running subject instead of one per step.
type liveSubjects struct {
	*live
	kind               string
	bySubject          map[string]*liveSubject
	done, failed, busy int
}

type liveSubject struct {
	left    int
	row     *running
	trouble bool
	results []step.Result
}

// counts returns the line of counts. The caller holds mu.
func (l *liveSubjects) counts() string {
	parts := []string{fmt.Sprintf("%d done", l.done)}
	if l.failed > 0 {
		parts = append(parts, l.paint.red(fmt.Sprintf("%d failed", l.failed)))
	}
	parts = append(parts, fmt.Sprintf("%d under way", l.busy))
	if rest := len(l.bySubject) - l.done - l.failed - l.busy; rest > 0 {
		parts = append(parts, fmt.Sprintf("%d to begin", rest))
	}
	return fmt.Sprintf(" %d %s: %s", len(l.bySubject), l.kind, strings.Join(parts, ", "))
}

// Observe implements Progress.
func (l *liveSubjects) Observe(e step.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.bySubject[e.Step.Subject]
	if s.row == nil {
		s.row = &running{step: &step.Step{Title: e.Step.Subject}, begin: e.Time}
		l.running = append(l.running, s.row)
		l.busy++
	}
	switch e.Phase {
	case step.Begun, step.Applying:
		return // the next event follows at once
	case step.Finished:
		s.left--
		s.results = append(s.results, *e.Result)
		if s.left == 0 {
			l.end(e.Step.Subject, s)
			return
		}
	case step.Checked, step.Applied, step.WaitingOn:
		s.row.rowText = rowText{eventRowText(e).reason, titleWithout(e.Step.Title, e.Step.Subject)}
		s.trouble = e.Finding.Trouble
	}
	slices.SortStableFunc(l.running, func(a, b *running) int { return l.rank(a) - l.rank(b) })
}

// titleWithout returns a title without the name of its subject, which is in the row already.
func titleWithout(title, subject string) string {
	_, name, named := strings.Cut(subject, "/")
	if !named {
		name = subject
	}
	for _, of := range []string{" of ", " for ", " "} {
		title = strings.ReplaceAll(title, of+subject, "")
		title = strings.ReplaceAll(title, of+name, "")
	}
	return title
}

// rank sorts subjects in trouble first.
func (l *liveSubjects) rank(r *running) int {
	if l.bySubject[r.step.Title].trouble {
		return 0
	}
	return 1
}

// end replaces a subject's row by a finished line.
func (l *liveSubjects) end(name string, s *liveSubject) {
	l.drop(s.row.step)
	l.busy--
	end := subjectResult(name, s.results)
	for _, r := range s.results {
		if l.ending.unreported(r) {
			return
		}
	}
	mark := l.paint.green("✓")
	if end.OK {
		l.done++
	} else {
		l.failed++
		mark = l.paint.red("✗")
	}
	line, blocks := l.finishedLine(sanitize.Value(name), l.now().Sub(s.row.begin), end.Outcome, end.rowText)
	l.finished = append(l.finished, strings.TrimRight(fmt.Sprintf(" %s %s %s", mark, line, blocks), " "))
}
