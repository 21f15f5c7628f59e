package timeline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// The limits of the input. A bootstrap has about fifty steps and a few hundred lines, a fleet of a hundred clusters
// some ten thousand.
const (
	maxLine  = 1 << 20
	maxLines = 1_000_000
	maxSteps = 20_000
	maxParts = 2_000
	maxNotes = 1_000
	maxRun   = 30 * 24 * time.Hour
)

// line has the fields of an event that are read.
type line struct {
	Type    string `json:"type"`
	Time    string `json:"time"`
	Command string `json:"command"`
	Cluster json.RawMessage
	Steps   []struct {
		ID      string   `json:"id"`
		Cluster string   `json:"cluster"`
		Title   string   `json:"title"`
		Needs   []string `json:"needs"`
	} `json:"steps"`
	Step    string `json:"step"`
	Finding struct {
		State   string `json:"state"`
		Message string `json:"message"`
		Object  string `json:"object"`
	} `json:"finding"`
	Change   string `json:"change"`
	Outcome  string `json:"outcome"`
	Error    string `json:"error"`
	Message  string `json:"message"`
	ExitCode int    `json:"exitCode"`
}

// BadEventsError reports a line that is not an event of hcctl.
type BadEventsError struct {
	Line   int
	Detail string
}

func (e *BadEventsError) Error() string {
	if e.Line == 0 {
		return e.Detail
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Detail)
}

// Read reads the events of a run, as -o json writes them. If the input has several runs, it returns the last, and their
// number. It returns a *BadEventsError, or the error of the reader.
func Read(r io.Reader) (*Run, int, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 64<<10), maxLine)
	var now *reading
	runs, n := 0, 0
	for in.Scan() {
		n++
		if n > maxLines {
			return nil, 0, &BadEventsError{n, fmt.Sprintf("a run has at most %d lines", maxLines)}
		}
		raw := bytes.TrimSpace(in.Bytes())
		if len(raw) == 0 {
			continue
		}
		var l line
		if err := json.Unmarshal(raw, &l); err != nil {
			return nil, 0, &BadEventsError{n, "not a JSON object of hcctl's events"}
		}
		if l.Type == "plan" {
			now, runs = &reading{run: &Run{Clock: "events"}, byID: map[string]*Step{}}, runs+1
		}
		if now == nil {
			return nil, 0, &BadEventsError{n, `the first line of a run has type "plan"`}
		}
		if err := now.take(&l); err != nil {
			return nil, 0, &BadEventsError{n, err.Error()}
		}
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, 0, &BadEventsError{n + 1, fmt.Sprintf("longer than %d bytes, which no event is", maxLine)}
	case err != nil:
		return nil, 0, err
	case now == nil:
		return nil, 0, &BadEventsError{0, "no events"}
	}
	return now.end(), runs, nil
}

// reading is the state of a run that is being read.
type reading struct {
	run   *Run
	byID  map[string]*Step
	begin time.Time
	last  float64
	ended bool
}

func (r *reading) take(l *line) error {
	at, err := time.Parse(time.RFC3339Nano, l.Time)
	if err != nil {
		return fmt.Errorf("time %q is none of RFC 3339", sanitize.Value(l.Time))
	}
	if l.Type == "plan" {
		return r.plan(l, at)
	}
	since := at.Sub(r.begin)
	if since < 0 || since > maxRun {
		return fmt.Errorf("time %s is not within %s after the first line", sanitize.Value(l.Time), maxRun)
	}
	now := max(since.Seconds(), r.last)
	r.last = now
	switch l.Type {
	case "note":
		if len(r.run.Notes) < maxNotes {
			r.run.Notes = append(r.run.Notes, Note{now, sanitize.Value(l.Message)})
		}
	case "summary":
		r.ended, r.run.Seconds, r.run.End = true, now, endOf(l)
	case string(step.Begun), string(step.Checked), string(step.Applying), string(step.Applied), string(step.WaitingOn),
		string(step.Finished):
		s := r.byID[l.Step]
		if s == nil {
			return fmt.Errorf("step %q is not in the plan", sanitize.Value(l.Step))
		}
		s.take(l, now)
	}
	return nil
}

func (r *reading) plan(l *line, at time.Time) error {
	var on struct {
		Context, Server, OpenShift string
	}
	_ = json.Unmarshal(l.Cluster, &on)
	r.begin, r.run.Begun = at, at
	r.run.Title = strings.TrimSpace("hcctl " + sanitize.Value(l.Command))
	r.run.On = sanitize.Value(on.Server)
	if on.OpenShift != "" {
		r.run.On = "OpenShift " + sanitize.Value(on.OpenShift) + " at " + r.run.On
	}
	if len(l.Steps) > maxSteps {
		return fmt.Errorf("a run has at most %s", plural.Count(maxSteps, "step"))
	}
	for _, one := range l.Steps {
		if one.ID == "" || r.byID[one.ID] != nil {
			return fmt.Errorf("step %q has no ID of its own", sanitize.Value(one.ID))
		}
		s := &Step{ID: sanitize.Value(one.ID), Cluster: sanitize.Value(one.Cluster), Title: sanitize.Value(one.Title),
			Needs: one.Needs}
		r.byID[one.ID] = s
		r.run.Steps = append(r.run.Steps, s)
	}
	return nil
}

// endOf returns how a run ended.
func endOf(l *line) string {
	if l.ExitCode == 0 {
		return "done"
	}
	end := fmt.Sprintf("exit code %d", l.ExitCode)
	if l.Error != "" {
		end += ": " + sanitize.Value(l.Error)
	}
	return end
}

// take adds an event to the step.
func (s *Step) take(l *line, now float64) {
	if !s.begun {
		s.begun, s.From = true, now
	}
	s.To = now
	if s.ended {
		return
	}
	if n := len(s.Parts); n > 0 && s.Parts[n-1].To < now {
		s.Parts[n-1].To = now
	}
	message := sanitize.Value(l.Finding.Message)
	if message != "" {
		s.Last = message
	}
	switch step.Phase(l.Type) {
	case step.Begun:
		s.open(Part{Kind: Checking, From: now, To: now})
	case step.Applying:
		s.open(Part{Kind: Writing, From: now, To: now})
	case step.Checked, step.WaitingOn:
		kind := Waiting
		if l.Finding.State == "ok" || (step.Phase(l.Type) == step.Checked && l.Finding.State == "missing") {
			kind = Checking
		}
		s.open(Part{Kind: kind, From: now, To: now, For: message, Object: sanitize.Value(l.Finding.Object)})
	case step.Applied:
		s.open(Part{Kind: Waiting, From: now, To: now, For: message, Object: sanitize.Value(l.Finding.Object)})
	case step.Finished:
		s.ended, s.Outcome, s.Change = true, sanitize.Value(l.Outcome), sanitize.Value(l.Change)
		if l.Error != "" {
			s.Last = sanitize.Value(l.Error)
		}
	}
}

// open begins a part; the previous part ends at its beginning. Parts of length zero are dropped.
func (s *Step) open(p Part) {
	if n := len(s.Parts); n > 0 && s.Parts[n-1].Seconds() == 0 {
		s.Parts = s.Parts[:n-1]
	}
	if len(s.Parts) < maxParts {
		s.Parts = append(s.Parts, p)
	}
}

// end closes steps and parts without an end event.
func (r *reading) end() *Run {
	if !r.ended {
		r.run.Seconds, r.run.End = r.last, "the events end before the run does"
	}
	for _, s := range r.run.Steps {
		s.Needs = slices.DeleteFunc(s.Needs, func(id string) bool { return r.byID[id] == nil })
		if s.begun && !s.ended {
			s.To, s.Outcome = r.run.Seconds, NotEnded
			if n := len(s.Parts); n > 0 {
				s.Parts[n-1].To = r.run.Seconds
			}
		}
		if n := len(s.Parts); n > 0 && s.Parts[n-1].Seconds() == 0 {
			s.Parts = s.Parts[:n-1]
		}
	}
	r.run.markCritical()
	return r.run
}
