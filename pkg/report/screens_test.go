package report

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/step"
)

// recordedLine is a line of a recorded run (docs/events.md).
type recordedLine struct {
	Type  string    `json:"type"`
	Time  time.Time `json:"time"`
	Steps []struct {
		ID             step.ID   `json:"id"`
		Cluster, Group string    `json:",omitempty"`
		Title          string    `json:"title"`
		Needs          []step.ID `json:"needs"`
	} `json:"steps"`
	Step    step.ID `json:"step"`
	Cluster string  `json:"cluster"`
	Seconds float64 `json:"seconds"`
	Finding struct {
		State                 string
		Message, Object, Hint string
	} `json:"finding"`
	Change  step.Change  `json:"change"`
	Outcome step.Outcome `json:"outcome"`
	Error   string       `json:"error"`
}

// recorded reads a run that hcctl wrote with -o json against a sandbox.
func recorded(t *testing.T, name string) (*step.Graph, []step.Event) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "runs", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var graph *step.Graph
	var events []step.Event
	byID := map[step.ID]*step.Step{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l recordedLine
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		switch l.Type {
		case "plan":
			steps := make([]step.Step, 0, len(l.Steps))
			for _, s := range l.Steps {
				steps = append(steps, step.Step{ID: s.ID, Title: s.Title, Group: s.Group, Subject: s.Cluster, Needs: s.Needs,
					Check: func(context.Context, step.Reads) step.Finding { return step.Finding{} }})
			}
			if graph, err = step.New(steps...); err != nil {
				t.Fatal(err)
			}
			for i := range steps {
				byID[steps[i].ID] = &steps[i]
			}
		case "note", "summary":
		default:
			events = append(events, l.event(t, byID[l.Step]))
		}
	}
	if err := lines.Err(); err != nil || len(events) == 0 {
		t.Fatalf("%s has no events: %v", name, err)
	}
	return graph, events
}

// event is the line as the engine sent it.
func (l recordedLine) event(t *testing.T, s *step.Step) step.Event {
	t.Helper()
	states := map[string]step.State{}
	for _, state := range []step.State{step.StateUnknown, step.StateOK, step.StateMissing, step.StatePending,
		step.StateBroken, step.StateSkipped} {
		states[state.String()] = state
	}
	state, known := states[l.Finding.State]
	if s == nil || !known && l.Finding.State != "" {
		t.Fatalf("an event of step %q in state %q", l.Step, l.Finding.State)
	}
	e := step.Event{Time: l.Time, Phase: step.Phase(l.Type), Step: s, Change: l.Change,
		Elapsed: time.Duration(l.Seconds * float64(time.Second)),
		Finding: step.Finding{State: state, Message: l.Finding.Message, Object: l.Finding.Object,
			Hint: hint.Plain(l.Finding.Hint)}}
	if e.Phase == step.Finished {
		e.Result = &step.Result{Step: s, Outcome: l.Outcome, Finding: e.Finding, Change: l.Change,
			Begun: l.Time.Add(-e.Elapsed), Elapsed: e.Elapsed}
		if l.Error != "" {
			e.Result.Err = errors.New(l.Error)
		}
	}
	return e
}

// player shows a recorded run on a virtual terminal, frame by frame, by the run's own clock.
type player struct {
	*live
	observe func(step.Event)
	clock   time.Time
	screen  *virtual
	// above are the finished lines so far.
	above []string
	// names are those of the steps, or of the clusters of a run over several.
	names map[string]bool
	// tallest is the screen with the most rows, last the last one with a row.
	tallest, last string
	limit         int
}

func newPlayer(t *testing.T, run string, width int) (*player, []step.Event) {
	t.Helper()
	graph, events := recorded(t, run)
	p := &player{screen: newVirtual(t, width, 40), clock: events[0].Time}
	p.live = newManualLive(p.screen, Screen{Redraw: true, Size: func() (int, int) { return p.screen.width, p.screen.height }})
	p.now = func() time.Time { return p.clock }
	close(p.stopped)
	p.observe = p.Observe
	p.names = map[string]bool{}
	for _, e := range events {
		p.names[cmp.Or(e.Step.Subject, string(e.Step.ID))] = true
	}
	if slices.ContainsFunc(events, func(e step.Event) bool { return e.Step.Subject != "" }) {
		p.observe = liveSubjectsOf(p.live, "clusters", graph).Observe
	}
	return p, events
}

// stopwatch matches a row up to its running time.
var stopwatch = regexp.MustCompile(`^ … \S+ +(\d+h)?(\d+m)?\d+[ms]  `)

// frame draws, and holds the whole screen to what it should be: the finished lines, then the rows, nothing else, and
// none wrapped.
func (p *player) frame(t *testing.T) {
	t.Helper()
	p.above = append(p.above, p.finished...)
	p.draw()
	want := make([]string, 0, len(p.above)+len(p.drawn))
	for _, line := range append(slices.Clone(p.above), p.drawn...) {
		want = append(want, strings.TrimRight(uncoloured(line), " "))
	}
	if got := p.screen.lines(); !slices.Equal(got, want) || p.screen.below() != "" {
		t.Fatalf("%d columns, on the screen:\n%s\n%s\nwant:\n%s", p.screen.width, strings.Join(got, "\n"), p.screen.below(),
			strings.Join(want, "\n"))
	}
	if len(p.running) == 0 {
		return
	}
	for _, row := range p.drawn {
		if strings.HasPrefix(row, " … ") && !stopwatch.MatchString(row) {
			t.Errorf("a stopwatch without whole seconds: %s", row)
		}
	}
	if p.last = p.screen.shown(); len(p.drawn) > p.limit {
		p.limit, p.tallest = len(p.drawn), p.last
	}
}

// play shows the events, a frame each frameTime.
func (p *player) play(t *testing.T, events []step.Event) {
	t.Helper()
	for len(events) > 0 {
		for len(events) > 0 && !events[0].Time.After(p.clock) {
			p.observe(events[0])
			events = events[1:]
		}
		p.frame(t)
		p.clock = p.clock.Add(frameTime)
	}
	outcomes := append(p.countsRow(), p.warningRows()...)
	p.above = append(p.above, p.finished...)
	p.finished = nil
	p.closed, p.running = true, nil
	p.write(outcomes, nil)
}

// namesOfTheSummary holds the names of finished lines to those of the table at the end of a run.
func (p *player) namesOfTheSummary(t *testing.T) {
	t.Helper()
	if p.screen.width < defaultWidth {
		return // names are shortened
	}
	for _, line := range p.above {
		fields := strings.Fields(uncoloured(line))
		if name := fields[1]; !p.names[name] && fields[2] != unchanged {
			t.Errorf("%q is not the name of a step or cluster of this run", name)
		}
	}
}

// screens are the recorded runs, and what has to be read in the last screen of a stall, however narrow.
var screens = map[string]string{
	"bootstrap": "", "create": "", "upgrade": "",
	"create-unschedulable": "ErrorUnschedulable: Unschedulable",
	"create-no-address":    "InfrastructureReady False (WaitingOnInfrastructureReady)",
	"create-ignition":      "ReachedIgnitionEndpoint False (ignitionNotReached)",
	"scale-image":          "DataVolumeError: DVImagePullFailed",
	"fleet":                "Available False",
}

// TestScreens holds what a user sees of recorded runs, at four widths. UPDATE=1 writes the screens.
func TestScreens(t *testing.T) {
	for run, reason := range screens {
		t.Run(run, func(t *testing.T) {
			var out strings.Builder
			for _, width := range []int{40, 80, 120, 200} {
				p, events := newPlayer(t, run, width)
				p.play(t, events)
				fmt.Fprintf(&out, "== %d columns, most at once\n%s== %d columns, last\n%s== %d columns, end\n%s", width, p.tallest,
					width, p.last, width, p.screen.shown())
				p.namesOfTheSummary(t)
				if first := reason[:min(len(reason), width/4)]; !strings.Contains(p.last, first) {
					t.Errorf("%d columns: the last screen does not say %q:\n%s", width, first, p.last)
				}
			}
			golden.File(t, filepath.Join("testdata", "screens", run+".txt"), out.String())
		})
	}
}
