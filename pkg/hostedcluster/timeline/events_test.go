package timeline

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// begin is when the runs of these tests begin.
var begin = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// event is a line of events, so many seconds after the begin.
func event(seconds float64, kind, rest string) string {
	at := begin.Add(time.Duration(seconds * float64(time.Second))).Format(time.RFC3339Nano)
	return fmt.Sprintf(`{"type":%q,"time":%q%s}`, kind, at, rest) + "\n"
}

const threeSteps = `,"command":"bootstrap","cluster":{"server":"https://api.example.com:6443","openshift":"4.20.3"},"steps":[` +
	`{"id":"a/one","title":"one","needs":[]},{"id":"a/two","needs":["a/one"]},{"id":"b/three","needs":[]},` +
	`{"id":"b/four","needs":["a/two","b/three"]}]`

// story is a run whose end waits for one and two; three is beside them, four is over at once.
func story() string {
	finding := func(step, state, message string) string {
		return fmt.Sprintf(`,"step":%q,"finding":{"state":%q,"message":%q,"object":"Thing x"}`, step, state, message)
	}
	return event(0, "plan", threeSteps) +
		event(0, "begun", `,"step":"a/one"`) + event(0, "begun", `,"step":"b/three"`) +
		event(1, "checked", finding("a/one", "missing", "not there")) +
		event(1, "applying", finding("a/one", "missing", "not there")) +
		event(2, "applied", `,"step":"a/one","change":"created"`) +
		event(2, "waiting", finding("a/one", "pending", "coming")) +
		event(3, "finished", `,"step":"b/three","outcome":"done"`) +
		event(5, "waiting", finding("a/one", "pending", "nearly")) +
		event(6, "note", `,"message":"the API server does not answer"`) +
		event(8, "waiting", finding("a/one", "pending", "coming")) +
		event(9, "waiting", finding("a/one", "ok", "there")) +
		event(9.5, "finished", finding("a/one", "ok", "there")+`,"outcome":"done","change":"created"`) +
		event(9.5, "begun", `,"step":"a/two"`) + event(9.5, "checked", finding("a/two", "pending", "slow")) +
		event(20, "finished", finding("a/two", "ok", "done")+`,"outcome":"done"`) +
		event(20, "finished", `,"step":"b/four","outcome":"done"`) +
		event(20, "summary", `,"ok":true,"exitCode":0`)
}

func read(t *testing.T, events string) *Run {
	t.Helper()
	r, _, err := Read(strings.NewReader(events))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhatAStepWaitedFor(t *testing.T) {
	r := read(t, story())
	want := []Part{{Kind: Checking, From: 0, To: 1}, {Kind: Writing, From: 1, To: 2},
		{Kind: Waiting, From: 2, To: 5, For: "coming", Object: "Thing x"},
		{Kind: Waiting, From: 5, To: 8, For: "nearly", Object: "Thing x"},
		{Kind: Waiting, From: 8, To: 9, For: "coming", Object: "Thing x"},
		{Kind: Checking, From: 9, To: 9.5, For: "there", Object: "Thing x"}}
	if diff := cmp.Diff(want, r.Steps[0].Parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	var longest []string
	for _, p := range r.Steps[0].Longest() {
		longest = append(longest, Seconds(p.Seconds())+" "+p.For)
	}
	if diff := cmp.Diff([]string{"4.0 s coming", "3.0 s nearly"}, longest); diff != "" {
		t.Errorf("longest waits (-want +got):\n%s", diff)
	}
	if r.Seconds != 20 || r.End != "done" || len(r.Notes) != 1 || r.Notes[0].At != 6 {
		t.Errorf("run: %v s, %s, notes %v", r.Seconds, r.End, r.Notes)
	}
}

func TestCriticalPath(t *testing.T) {
	for name, tc := range map[string]struct {
		events string
		want   []string
	}{
		"the longer chain":    {story(), []string{"a/one", "a/two"}},
		"of what did not end": {strings.Join(strings.SplitAfter(story(), "\n")[:9], ""), []string{"a/one"}},
		"nothing has begun":   {event(0, "plan", threeSteps), nil},
		"steps that need in turn": {event(0, "plan", `,"steps":[{"id":"a","needs":["b"]},{"id":"b","needs":["a"]}]`) +
			event(1, "begun", `,"step":"a"`) + event(2, "begun", `,"step":"b"`), []string{"a", "b"}},
		"without blocked steps": {event(0, "plan", threeSteps) + event(1, "begun", `,"step":"a/one"`) +
			event(2, "finished", `,"step":"a/one","outcome":"failed"`) +
			event(3, "finished", `,"step":"a/two","outcome":"blocked"`), []string{"a/one"}},
	} {
		var got []string
		for _, s := range read(t, tc.events).CriticalPath() {
			got = append(got, s.ID)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestARunThatWasCutOff(t *testing.T) {
	r := read(t, strings.Join(strings.SplitAfter(story(), "\n")[:7], ""))
	if one := r.Steps[0]; one.Outcome != NotEnded || one.To != 2 {
		t.Errorf("step one: %s at %v", one.Outcome, one.To)
	}
	if r.End != "the events end before the run does" {
		t.Errorf("end: %s", r.End)
	}
}

func TestTheLastOfSeveralRuns(t *testing.T) {
	r, runs, err := Read(strings.NewReader(story() + event(100, "plan", `,"command":"apply","steps":[]`)))
	if err != nil || runs != 2 || r.Title != "hcctl apply" {
		t.Errorf("%v, %d runs, %v", r, runs, err)
	}
}

func TestWhatIsNoEvent(t *testing.T) {
	for name, tc := range map[string]struct{ events, want string }{
		"nothing":        {"", "no events"},
		"text":           {"bootstrap went well", "line 1: not a JSON object"},
		"no plan":        {event(0, "begun", `,"step":"a/one"`), `line 1: the first line of a run has type "plan"`},
		"another step":   {event(0, "plan", threeSteps) + event(1, "begun", `,"step":"x\u001b"`), "line 2: step \"x"},
		"no time":        {`{"type":"plan","time":"noon"}`, `line 1: time "noon"`},
		"time runs back": {event(5, "plan", threeSteps) + event(1, "note", ""), "line 2: time"},
		"a year later":   {event(0, "plan", threeSteps) + event(4e7, "note", ""), "line 2: time"},
		"an ID twice":    {event(0, "plan", `,"steps":[{"id":"a"},{"id":"a"}]`), "line 1: step \"a\""},
		"a long line":    {event(0, "plan", threeSteps) + strings.Repeat("x", maxLine+1), "line 2: longer than"},
	} {
		_, _, err := Read(strings.NewReader(tc.events))
		var bad *BadEventsError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), tc.want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(story())
	f.Add(event(0, "plan", threeSteps) + event(1, "finished", `,"step":"a/one","outcome":"skipped"`))
	f.Fuzz(func(t *testing.T, events string) {
		r, _, err := Read(strings.NewReader(events))
		if err != nil {
			return
		}
		for _, s := range r.Steps {
			if s.To < s.From || s.To > r.Seconds+1e-9 && s.begun && r.End == "the events end before the run does" {
				t.Errorf("step %q from %v to %v in a run of %v", s.ID, s.From, s.To, r.Seconds)
			}
		}
		if text := r.Text(80); strings.ContainsRune(text, 0x1b) {
			t.Errorf("text: %q", text)
		}
		_ = r.Page().String()
	})
}
