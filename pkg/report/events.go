package report

import (
	"encoding/json"
	"io"
	"reflect"
	"sync"
	"time"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// The types of lines other than the phases of steps. docs/events.md describes every line.
const (
	planEvent    = "plan"
	noteEvent    = "note"
	summaryEvent = "summary"
)

// Cluster is the management cluster of a run.
type Cluster struct {
	Context    string `json:"context,omitempty"`
	Server     string `json:"server"`
	OpenShift  string `json:"openshift,omitempty"`
	Kubernetes string `json:"kubernetes"`
}

// RunEnd has the content of the last line of a run.
type RunEnd struct {
	ExitCode int
	// Error is the error of the run if it is not that of a step.
	Error error
	// Next is the user's next command.
	Next string
}

// Events writes a run as one JSON object per line: first Plan, then the events, then Summary.
type Events struct {
	mu   sync.Mutex
	enc  *json.Encoder
	err  error
	last time.Time
}

// NewEvents returns Events that write to w.
func NewEvents(w io.Writer) *Events {
	enc := sanitize.NewJSONEncoder(w)
	enc.SetEscapeHTML(false)
	return &Events{enc: enc}
}

type planLine struct {
	Type       string     `json:"type"`
	Time       string     `json:"time"`
	APIVersion string     `json:"apiVersion"`
	Command    string     `json:"command"`
	Cluster    Cluster    `json:"cluster"`
	Steps      []planStep `json:"steps"`
}

type planStep struct {
	ID step.ID `json:"id"`
	// Cluster is the hosted cluster of the step, in a run over several.
	Cluster  string        `json:"cluster,omitempty"`
	Group    string        `json:"group"`
	Title    string        `json:"title"`
	Severity step.Severity `json:"severity"`
	Needs    []step.ID     `json:"needs"`
	// Installs is set if the run can apply the step; otherwise it only checks it.
	Installs bool   `json:"installs"`
	Docs     string `json:"docs,omitempty"`
}

// Plan writes the first line: the command, the cluster and the steps.
func (e *Events) Plan(command string, c Cluster, g *step.Graph) {
	line := planLine{Type: planEvent, Time: stamp(time.Now()), APIVersion: step.APIVersion, Command: command, Cluster: c,
		Steps: []planStep{}}
	for _, s := range g.Steps() {
		p := planStep{ID: s.ID, Cluster: s.Subject, Group: s.Group, Title: s.Title, Severity: s.Severity, Needs: s.Needs,
			Installs: s.Apply != nil, Docs: docsURL(&s)}
		if p.Needs == nil {
			p.Needs = []step.ID{}
		}
		line.Steps = append(line.Steps, p)
	}
	e.write(line)
}

type stepLine struct {
	Type    step.Phase    `json:"type"`
	Time    string        `json:"time"`
	Step    step.ID       `json:"step"`
	Cluster string        `json:"cluster,omitempty"`
	Seconds float64       `json:"seconds"`
	Finding *step.Finding `json:"finding,omitempty"`
	Change  step.Change   `json:"change,omitempty"`
	Outcome step.Outcome  `json:"outcome,omitempty"`
	Error   string        `json:"error,omitempty"`
}

// Observe implements Progress.
func (e *Events) Observe(ev step.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	line := stepLine{Type: ev.Phase, Time: e.stamped(ev.Time), Step: ev.Step.ID, Cluster: ev.Step.Subject,
		Seconds: seconds(ev.Elapsed), Change: ev.Change}
	if !reflect.ValueOf(ev.Finding).IsZero() {
		finding := redacted(ev.Finding)
		finding.Detail = "" // check and plan show it; events would repeat it
		line.Finding = &finding
	}
	if ev.Result != nil {
		line.Outcome = ev.Result.Outcome
		if ev.Result.Err != nil {
			line.Error = errorText(ev.Result.Err)
		}
	}
	e.write(line)
}

type noteLine struct {
	Type    string `json:"type"`
	Time    string `json:"time"`
	Message string `json:"message"`
}

// Note implements Progress.
func (e *Events) Note(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.write(noteLine{Type: noteEvent, Time: e.stamped(time.Now()), Message: text})
}

// stamped formats the time of a line. Times never decrease, although notes come from other goroutines. The caller holds
// mu.
func (e *Events) stamped(at time.Time) string {
	if at.Before(e.last) {
		at = e.last
	}
	e.last = at
	return stamp(at)
}

// Close implements Progress.
func (e *Events) Close() {}

type summaryLine struct {
	Type     string         `json:"type"`
	Time     string         `json:"time"`
	OK       bool           `json:"ok"`
	ExitCode int            `json:"exitCode"`
	Seconds  float64        `json:"seconds"`
	Counts   map[string]int `json:"counts"`
	Failed   []step.ID      `json:"failed"`
	Error    string         `json:"error,omitempty"`
	Next     string         `json:"next,omitempty"`
	// Clusters is set in a run over several clusters.
	Clusters []clusterLine `json:"clusters,omitempty"`
}

type clusterLine struct {
	Cluster string  `json:"cluster"`
	OK      bool    `json:"ok"`
	Outcome string  `json:"outcome"`
	Seconds float64 `json:"seconds"`
	Blocks  string  `json:"blocks,omitempty"`
	Hint    string  `json:"hint,omitempty"`
}

// Summary writes the last line. It returns the first error of any line.
func (e *Events) Summary(r step.Report, end RunEnd) error {
	line := summaryLine{Type: summaryEvent, Time: stamp(time.Now()), OK: end.ExitCode == 0, ExitCode: end.ExitCode,
		Next:    end.Next,
		Seconds: seconds(r.Elapsed), Counts: map[string]int{}, Failed: []step.ID{}}
	for _, res := range r.Results {
		line.Counts[countKey(res)]++
		if !res.Good() && res.Outcome != step.OutcomeBlocked {
			line.Failed = append(line.Failed, res.Step.ID)
		}
	}
	for _, s := range Subjects(r) {
		line.Clusters = append(line.Clusters, clusterLine{s.Subject, s.OK, s.Outcome, seconds(s.Elapsed), s.Blocks, s.Hint})
	}
	if end.Error != nil {
		line.Error = errorText(end.Error)
	}
	e.write(line)
	return e.err
}

func (e *Events) write(line any) {
	if e.err == nil {
		e.err = e.enc.Encode(line)
	}
}

// stamp formats a time as RFC 3339 in UTC with microseconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }
