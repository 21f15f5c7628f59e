package graph

import (
	"context"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/draw/drawtest"
	"github.com/hcctl/hcctl/internal/schema"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"

	"encoding/json"
)

// checked is the report of three steps, the last of which needs the others.
func checked(t *testing.T) step.Report {
	t.Helper()
	says := func(f step.Finding) func(context.Context, step.Reads) step.Finding {
		return func(context.Context, step.Reads) step.Finding { return f }
	}
	g, err := step.New(
		step.Step{ID: "a/one", Group: "a", Title: "one", Check: says(step.OK("fine").On("Thing x"))},
		step.Step{ID: "a/two", Group: "a", Title: "two", Severity: step.Advisory, Check: says(step.Missing("not there"))},
		step.Step{ID: "b/three", Group: "b", Title: "three", Needs: []step.ID{"a/one", "a/two"},
			Check: says(step.Broken("<b>at https://admin:hunter2secret@host</b>").On("Thing y").WithHint("mend it"))})
	if err != nil {
		t.Fatal(err)
	}
	return g.Check(t.Context(), step.Options{})
}

func TestGraphOfACheck(t *testing.T) {
	dot := OfCheck(checked(t)).DOT()
	for _, want := range []string{`"a/one" [label="✓ one\na/one", color="#2a6b40", tooltip="a/one: ok Thing x: fine"]`,
		`"a/two" [label="! two\na/two", color="#9c540b"`, `"b/three" [label="✗ three`, `"a/one" -> "b/three"`,
		`"a/two" -> "b/three"`} {
		if !strings.Contains(dot, want) {
			t.Errorf("no %s in\n%s", want, dot)
		}
	}
	page := CheckPage(checked(t), "https://api <x>").String()
	drawtest.Keep(t, "graph", page)
	for _, want := range []string{"1 of 3 hold or are skipped", "<td>b/three</td>", "<td>broken</td>", "<td>mend it</td>",
		"https://api &lt;x&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page+dot, "hunter2secret") {
		t.Error("the picture has a password")
	}
}

func TestGraphForPrograms(t *testing.T) {
	data, err := json.Marshal(NewDocument(checked(t)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Read("../../../docs/schema/graph.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range s.Validate(data) {
		t.Error(problem)
	}
	if !strings.Contains(string(data), `"needs":["a/one","a/two"],"state":"broken"`) {
		t.Errorf("%s", data)
	}
}

func TestPageOfAPlan(t *testing.T) {
	s := &step.Step{ID: "a/one", Title: "one"}
	page := PlanPage("What would change", []report.PlannedStep{
		{Forecast: step.Forecast{Step: s, Action: step.ActionWrite, Finding: step.Missing("not there")},
			Writes: []report.PlannedWrite{{Verb: "create", Kind: "Pool", Namespace: "n", Name: "p", Diff: "+spec: <x>\n"}}},
		{Forecast: step.Forecast{Step: &step.Step{ID: "a/two", Title: "two", Needs: []step.ID{"a/one"}},
			Action: step.ActionKeep, Finding: step.OK("there")}},
	}, "Lost for good: a disk").String()
	drawtest.Keep(t, "plan", page)
	for _, want := range []string{"Lost for good: a disk", "create Pool n/p", `<span class="added">+spec: &lt;x&gt;`,
		"to do: not there", "Nothing to do: 1 of 2 steps.", `class="glyph c0"`, `class="glyph c2"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
