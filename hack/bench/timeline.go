package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"
)

// line holds the fields used of the lines of hcctl bootstrap -o json (docs/events.md).
type line struct {
	Type    string    `json:"type"`
	Time    time.Time `json:"time"`
	Step    string    `json:"step"`
	Finding struct {
		State  string `json:"state"`
		Object string `json:"object"`
	} `json:"finding"`
	Steps []struct {
		ID    string   `json:"id"`
		Needs []string `json:"needs"`
	} `json:"steps"`
	Outcome string `json:"outcome"`
}

type course struct {
	id                        string
	needs                     []string
	begun, applying, finished time.Time
	// waitedFor is the object that the step last reported to wait for, and object that of its last finding. They differ if
	// a step waits for more than its own object, such as an operator that another one installs.
	waitedFor, object string
}

type timeline struct {
	begin, end time.Time
	steps      map[string]*course
}

func readTimeline(r io.Reader) (*timeline, error) {
	t := &timeline{steps: map[string]*course{}}
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var l line
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("event %q: %w", scan.Text(), err)
		}
		if l.Type == "plan" {
			t.begin = l.Time
			for _, s := range l.Steps {
				t.steps[s.ID] = &course{id: s.ID, needs: s.Needs}
			}
			continue
		}
		t.end = l.Time
		c := t.steps[l.Step]
		if c == nil {
			continue
		}
		switch l.Type {
		case "begun":
			c.begun = l.Time
		case "applying":
			if c.applying.IsZero() {
				c.applying = l.Time
			}
		case "waiting":
			if l.Finding.State == "pending" {
				c.waitedFor = l.Finding.Object
			}
		case "finished":
			if l.Outcome != "done" && l.Outcome != "warned" {
				return nil, fmt.Errorf("step %s ended %s", c.id, l.Outcome)
			}
			c.finished, c.object = l.Time, l.Finding.Object
		}
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	if t.begin.IsZero() || len(t.steps) == 0 {
		return nil, fmt.Errorf("the run told no plan")
	}
	return t, nil
}

// share is hcctl's own part of a run's time.
type share struct {
	// firstWrites are the times from the end of a step's needs to its first write, for steps that wrote and had to wait.
	firstWrites []delay
	// ends are the times from when a step was ready to its end, for steps that waited.
	ends []delay
	// critical is the sum along the critical path: the chain of steps in which each began because the one before ended.
	critical time.Duration
	path     []string
	whole    time.Duration
}

type delay struct {
	step string
	took time.Duration
}

// ownShare compares a timeline with an observer's. changed returns when the object of a finding changed so that a step
// could end, or false without a change.
func ownShare(t *timeline, changed func(object string, began, ended time.Time) (time.Time, bool)) share {
	s := share{whole: t.end.Sub(t.begin)}
	ready := map[string]time.Time{}
	for id, c := range t.steps {
		at, ok := changed(c.object, c.begun, c.finished)
		if waited, changedToo := changed(c.waitedFor, c.begun, c.finished); changedToo && waited.After(at) {
			at, ok = waited, true
		}
		if !ok {
			continue
		}
		ready[id] = at
		s.ends = append(s.ends, delay{id, c.finished.Sub(at)})
	}
	for id, c := range t.steps {
		if since, ok := ready[lastOf(t, c.needs)]; ok && !c.applying.IsZero() {
			s.firstWrites = append(s.firstWrites, delay{id, c.applying.Sub(since)})
		}
	}
	last := ""
	for id, c := range t.steps {
		if last == "" || c.finished.After(t.steps[last].finished) {
			last = id
		}
	}
	for id := last; id != ""; {
		c := t.steps[id]
		at, waited := ready[id]
		switch {
		case waited && !c.applying.IsZero():
			s.critical += c.applying.Sub(c.begun) + c.finished.Sub(at)
		case waited:
			s.critical += c.finished.Sub(at)
		default:
			s.critical += c.finished.Sub(c.begun)
		}
		s.path = append(s.path, id)
		id = lastOf(t, c.needs)
	}
	slices.Reverse(s.path)
	for _, d := range [][]delay{s.firstWrites, s.ends} {
		slices.SortFunc(d, func(a, b delay) int { return int(b.took - a.took) })
	}
	return s
}

// lastOf returns the need that ended last.
func lastOf(t *timeline, needs []string) string {
	last := ""
	for _, id := range needs {
		if c := t.steps[id]; c != nil && (last == "" || c.finished.After(t.steps[last].finished)) {
			last = id
		}
	}
	return last
}
