package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

func sample(commit string, ids ...string) *results {
	r := &results{Commit: commit, Date: "2026-01-01 00:00", Machine: measuring.Machine{CPU: "x", CPUs: 2}}
	for i, id := range ids {
		r.Figures = append(r.Figures, judge(measureOf(id), []float64{float64(i + 1)}))
	}
	return r
}

func TestResultsAreReadAsWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	want := sample("abc", "get.1.time", "fleet.refused")
	want.Series = []series{{ID: "s", Group: "fleet", Kind: "bars", Points: []point{{Label: "a", Y: 1}}}}
	if none, err := readResults(dir); none != nil || err != nil {
		t.Fatalf("before anything was measured: %v, %v", none, err)
	}
	if err := want.write(dir); err != nil {
		t.Fatal(err)
	}
	got, err := readResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if err := os.WriteFile(filepath.Join(dir, resultsName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readResults(dir); err == nil || !strings.Contains(err.Error(), resultsName) {
		t.Errorf("half a file: %v", err)
	}
}

// Groups that were not measured this time are kept if nothing else has changed.
func TestKeep(t *testing.T) {
	ids := func(r *results) (out []string) {
		for _, f := range r.Figures {
			out = append(out, f.ID)
		}
		return out
	}
	earlier := sample("abc", "get.1.time", "check.ready.time")
	r := sample("abc", "check.ready.memory")
	r.keep(earlier, []string{"check"})
	if diff := cmp.Diff([]string{"get.1.time", "check.ready.memory"}, ids(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, other := range map[string]*results{"none": nil, "another commit": sample("def", "get.1.time")} {
		r := sample("abc", "check.ready.memory")
		r.keep(other, []string{"check"})
		if diff := cmp.Diff([]string{"check.ready.memory"}, ids(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDocumentIsRewritten(t *testing.T) {
	dir := t.TempDir()
	document := filepath.Join(dir, "performance.md")
	const frame = "# Before\n" + tableBegin + "\n%s" + tableEnd + "\nafter\n" + startBegin + "\nold start\n" + startEnd +
		"\n"
	if err := os.WriteFile(document, []byte(strings.Replace(frame, "%s", "old\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rewriteDocument(document, dir); err == nil || !strings.Contains(err.Error(), "make bench") {
		t.Errorf("without results: %v", err)
	}
	r := sample("abc", "get.1.time")
	r.Figures = append(r.Figures, judge(measureOf("get.1000.time"), []float64{500, 410, 420}))
	if err := r.write(dir); err != nil {
		t.Fatal(err)
	}
	if err := rewriteDocument(document, dir); err == nil || !strings.Contains(err.Error(), "make bench-start") {
		t.Errorf("without the start: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, startName), []byte("BenchmarkStart 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // again, over what the first time wrote
		if err := rewriteDocument(document, dir); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	want := strings.Replace(frame, "%s", table(r), 1)
	if want = strings.Replace(want, "old start", "```\nBenchmarkStart 1\n```", 1); text != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, text))
	}
	for _, want := range []string{
		"| get | list 1 cluster: time | under 60 ms | 1 ms | 1 | `hcctl get clusters -A` |\n",
		"| under 400 ms | **420 ms, missed** | 3: 410 to 500 |",
		"| over 15 clusters/s | not measured |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if r.Machine.Load = 30; !strings.Contains(table(r), "times are noise") || strings.Contains(text, "times are noise") {
		t.Error("that the machine was busy is told if it was, and only then")
	}
	if strings.Contains(text, "old\n") {
		t.Error("what stood there is still there")
	}
	if _, err := measuring.Rewritten("no marks\n", tableBegin, tableEnd, ""); err == nil {
		t.Error("a text without marks is rewritten")
	}
}
