package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

// told runs a graph and returns the lines of its events.
func told(t *testing.T, end RunEnd, steps ...step.Step) []map[string]any {
	t.Helper()
	g, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	events := NewEvents(&out)
	events.Plan("bootstrap", Cluster{Context: "admin", Server: "https://a:6443", Kubernetes: "v1.33.5",
		OpenShift: "4.20.3"}, g)
	r := g.Run(t.Context(), step.Options{Observe: events.Observe})
	if err := events.Summary(r, end); err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	for _, text := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		line := map[string]any{}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		lines = append(lines, line)
	}
	return lines
}

func stepsThatWriteAndFail() []step.Step {
	made := false
	return []step.Step{
		{ID: "a/made", Group: "a", Title: "made", Docs: "docs/checks/a-made.md",
			Check: func(context.Context, step.Reads) step.Finding {
				if made {
					return step.OK("there").On("Thing x")
				}
				return step.Missing("<none>").On("Thing x").WithHint("wait")
			},
			Apply: func(context.Context) (step.Change, error) { made = true; return step.Created, nil }},
		{ID: "a/refused", Group: "a", Needs: []step.ID{"a/made"},
			Check: func(context.Context, step.Reads) step.Finding { return step.Missing("none") },
			Apply: func(context.Context) (step.Change, error) { return "", errors.New("forbidden") }},
		{ID: "a/blocked", Group: "a", Needs: []step.ID{"a/refused"}, Check: func(context.Context, step.Reads) step.Finding {
			return step.OK("")
		}},
	}
}

func TestEventsTellTheWholeRun(t *testing.T) {
	lines := told(t, RunEnd{ExitCode: 1, Next: "hcctl check"}, stepsThatWriteAndFail()...)
	last := time.Time{}
	for i, line := range lines {
		at, err := time.Parse(time.RFC3339Nano, line["time"].(string))
		if err != nil || at.Before(last) {
			t.Errorf("line %d: time %v after %s (%v)", i, line["time"], last, err)
		}
		last = at
		delete(line, "time")
		delete(line, "seconds")
	}
	missing := map[string]any{"state": "missing", "message": "<none>", "object": "Thing x", "hint": "wait"}
	there := map[string]any{"state": "ok", "message": "there", "object": "Thing x"}
	none := map[string]any{"state": "missing", "message": "none"}
	want := []map[string]any{
		{"type": "plan", "apiVersion": "hcctl.dev/v1alpha1", "command": "bootstrap",
			"cluster": map[string]any{"context": "admin", "server": "https://a:6443", "kubernetes": "v1.33.5",
				"openshift": "4.20.3"},
			"steps": []any{
				map[string]any{"id": "a/made", "group": "a", "title": "made", "severity": "required", "needs": []any{},
					"installs": true, "docs": DocsBase + "docs/checks/a-made.md"},
				map[string]any{"id": "a/refused", "group": "a", "title": "", "severity": "required", "needs": []any{"a/made"},
					"installs": true},
				map[string]any{"id": "a/blocked", "group": "a", "title": "", "severity": "required", "needs": []any{"a/refused"},
					"installs": false},
			}},
		{"type": "begun", "step": "a/made"},
		{"type": "checked", "step": "a/made", "finding": missing},
		{"type": "applying", "step": "a/made", "finding": missing},
		{"type": "applied", "step": "a/made", "finding": missing, "change": "created"},
		{"type": "waiting", "step": "a/made", "finding": there},
		{"type": "finished", "step": "a/made", "finding": there, "change": "created", "outcome": "done"},
		{"type": "begun", "step": "a/refused"},
		{"type": "checked", "step": "a/refused", "finding": none},
		{"type": "applying", "step": "a/refused", "finding": none},
		{"type": "finished", "step": "a/refused", "finding": none, "outcome": "failed", "error": "forbidden"},
		{"type": "finished", "step": "a/blocked", "finding": map[string]any{"state": "unknown", "message": "needs a/refused"},
			"outcome": "blocked"},
		{"type": "summary", "ok": false, "exitCode": 1.0,
			"counts": map[string]any{"created": 1.0, "failed": 1.0, "not begun": 1.0},
			"failed": []any{"a/refused"}, "next": "hcctl check"},
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestEveryFieldOfEventsIsDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "events.md"))
	if err != nil {
		t.Fatal(err)
	}
	var visit func(v any)
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				visit(item)
			}
		case map[string]any:
			for key, value := range v {
				if !bytes.Contains(page, []byte("`"+key+"`")) {
					t.Errorf("docs/events.md has no `%s`", key)
				}
				visit(value)
			}
		}
	}
	for _, line := range told(t, RunEnd{ExitCode: 1, Error: errors.New("x"), Next: "hcctl check"},
		stepsThatWriteAndFail()...) {
		visit(line)
		if !bytes.Contains(page, []byte("`"+line["type"].(string)+"`")) &&
			!bytes.Contains(page, []byte("## "+line["type"].(string))) {
			t.Errorf("docs/events.md has no type %v", line["type"])
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestEventsThatCannotBeWrittenAreAnError(t *testing.T) {
	g, err := step.New()
	if err != nil {
		t.Fatal(err)
	}
	events := NewEvents(brokenWriter{})
	events.Plan("bootstrap", Cluster{}, g)
	if err := events.Summary(step.Report{}, RunEnd{}); err == nil || err.Error() != "no space left on device" {
		t.Errorf("got %v", err)
	}
}

func TestTableHasWhatIsWorthALine(t *testing.T) {
	end := func(id step.ID, o step.Outcome, c step.Change, took time.Duration) step.Result {
		r := result(id, o, step.OK(""))
		r.Change, r.Elapsed = c, took
		return r
	}
	var out bytes.Buffer
	blocked := result("storage/class", step.OutcomeBlocked, step.Finding{})
	r := step.Report{Results: []step.Result{
		end("cluster/version", step.OutcomeDone, step.Unchanged, time.Second),
		end("storage/cluster", step.OutcomeDone, step.Created, 61*time.Second),
		end("storage/volumes", step.OutcomeTimedOut, "", 3*time.Minute),
		end("hypershift/addon", step.OutcomeDone, "", 2*time.Second), blocked,
	}}
	if err := Table(&out, r); err != nil {
		t.Fatal(err)
	}
	want := `
STEP              RESULT          TIME
storage/cluster   created        1m01s
storage/volumes   timed out      3m00s
hypershift/addon  ready           2.0s
storage/class     blocked            -

`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	out.Reset()
	if err := Table(&out, step.Report{Results: r.Results[:1]}); err != nil || out.Len() != 0 {
		t.Errorf("nothing is worth a line, yet %q is written (%v)", out.String(), err)
	}
}
