package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestJUnit(t *testing.T) {
	slow := result("a/ok", step.OutcomeDone, step.OK("4.20.3 <stable> & sound"))
	slow.Elapsed = 1500 * time.Millisecond
	r := step.Report{Elapsed: 2 * time.Second, Results: []step.Result{
		slow,
		result("a/missing", step.OutcomeMissing, step.Missing("no \x1b[31mpool\x1b[0m").On("Pools").WithHint(
			"hcctl bootstrap --metallb-range \"A-B\"")),
		result("b/broken", step.OutcomeBroken, step.Broken("gone")),
		result("b/pending", step.OutcomeMissing, step.Pending("soon")),
		result("b/unknown", step.OutcomeFailed, step.Unknown("forbidden")),
		result("b/advice", step.OutcomeWarned, step.Missing("no RWX").WithHint("use ODF")),
		result("b/left", step.OutcomeDone, step.Finding{State: step.StateSkipped}),
	}}
	var out bytes.Buffer
	if err := JUnit(&out, "hcctl check", r, nil); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in\n%s", err, out.String())
	}
	got.XMLName = xml.Name{}
	page := DocsBase + "docs/checks/x.md"
	want := junitSuites{Name: "hcctl check", Tests: 7, Failures: 3, Errors: 1, Skipped: 1, Time: "2.000",
		Suites: []junitSuite{
			{Name: "a", Tests: 2, Failures: 1, Time: "1.500", Cases: []junitCase{
				{Name: "the a/ok", Class: "a/ok", Time: "1.500", Out: &junitOut{"4.20.3 <stable> & sound"}},
				{Name: "the a/missing", Class: "a/missing", Time: "0.000",
					Failure: &junitText{Message: "Pools: no [31mpool[0m", Type: "missing",
						Text: "hcctl bootstrap --metallb-range \"A-B\"\n" + page}},
			}},
			{Name: "b", Tests: 5, Failures: 2, Errors: 1, Skipped: 1, Time: "0.000", Cases: []junitCase{
				{Name: "the b/broken", Class: "b/broken", Time: "0.000",
					Failure: &junitText{Message: "gone", Type: "broken", Text: page}},
				{Name: "the b/pending", Class: "b/pending", Time: "0.000",
					Failure: &junitText{Message: "soon", Type: "pending", Text: page}},
				{Name: "the b/unknown", Class: "b/unknown", Time: "0.000",
					Error: &junitText{Message: "forbidden", Type: "unknown", Text: page}},
				{Name: "the b/advice", Class: "b/advice", Time: "0.000", Out: &junitOut{"warning: no RWX\nuse ODF\n" + page}},
				{Name: "the b/left", Class: "b/left", Time: "0.000", Skipped: &junitText{Message: "left out by --skip"}},
			}},
		}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestJUnitOfARun: a suite for each hosted cluster, what a step waited for when its time was up is its failure, what
// did not begin is skipped, and the error of a command that ran no step is a case of its own. No secret gets in.
func TestJUnitOfARun(t *testing.T) {
	of := func(r step.Result, subject string) step.Result {
		r.Step.Subject = subject
		return r
	}
	late := of(result("wait/nodes", step.OutcomeTimedOut, step.Unknown("asked again").On("Node a")), "clusters/b")
	failed := of(result("wait/write", step.OutcomeFailed, step.Missing("not there")), "clusters/b")
	failed.Err = errors.New("refused: token=" + "sha256~" + strings.Repeat("a", 43))
	r := step.Report{Results: []step.Result{
		of(result("wait/api", step.OutcomeDone, step.OK("answers")), "clusters/a"), late,
		of(result("wait/complete", step.OutcomeBlocked, step.Finding{}), "clusters/b"), failed,
		of(result("wait/done", step.OutcomeDone, step.OK("done")), "clusters/a"),
	}}
	var out bytes.Buffer
	if err := JUnit(&out, "hcctl wait cluster", r, errors.New("the table could not be written")); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in\n%s", err, out.String())
	}
	if got.Tests != 6 || got.Failures != 2 || got.Errors != 1 || got.Skipped != 1 || len(got.Suites) != 3 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped, %d suites in\n%s", got.Tests, got.Failures, got.Errors,
			got.Skipped, len(got.Suites), out.String())
	}
	if first := got.Suites[0]; first.Name != "clusters/a" || first.Tests != 2 || first.Failures != 0 {
		t.Errorf("the first suite is %+v", first)
	}
	if c := got.Suites[1].Cases[0]; c.Failure == nil || c.Failure.Type != "timed out" ||
		!strings.Contains(c.Failure.Message, "Node a: asked again") {
		t.Errorf("what took too long is %+v", c)
	}
	if strings.Contains(out.String(), strings.Repeat("a", 43)) {
		t.Errorf("a token is in\n%s", out.String())
	}
}
