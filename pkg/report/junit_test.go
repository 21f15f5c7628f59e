package report

import (
	"bytes"
	"encoding/xml"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestCheckJUnit(t *testing.T) {
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
	if err := CheckJUnit(&out, r); err != nil {
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
