package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInTurn(t *testing.T) {
	var order []side
	if err := alternate(3, func(_ int, of side) error { order = append(order, of); return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]side{theirs, ours, ours, theirs, theirs, ours}, order); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDifferences(t *testing.T) {
	ours, err := parse("kind: A\nmetadata: {name: x, labels: {" + infraLabel +
		": i}}\nspec: {same: 1, more: yes, none: {}}\nstatus: {a: 1}\n")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := parse("---\nkind: A\nmetadata: {name: x, creationTimestamp: null}\nspec: {same: 1, more: [a]}\n---\nkind: B\nmetadata: {name: z}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"A x.spec.more: hcctl true, hcp - a", "B z: hcctl nothing, hcp kind: B metadata: name: z"}
	if diff := cmp.Diff(want, differences("", ours, theirs)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTimeless(t *testing.T) {
	for text, want := range map[string]string{
		`{"level":"info","ts":"2026-01-01T00:00:00Z","msg":"Waiting"}`: "Waiting",
		"  1.5s  cluster/etcd   pending":                               "cluster/etcd   pending",
		"":                                                             "",
	} {
		if got := withoutTime(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestExample(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fips.yaml")
	if err := os.WriteFile(path, []byte("# --fips true --name kv-00\n---\nkind: A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args, err := example(path)
	if diff := cmp.Diff([]string{"--fips=true", "--name=kv-00"}, args); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	const help = "      --fips            Enables\n      --name string   A name\n"
	if !allKnown(help, args) || allKnown(help, append(args, "--fipsy=1")) || allKnown(help, nil) {
		t.Error("flags of a help are not told from others")
	}
}

func TestResults(t *testing.T) {
	dir := t.TempDir()
	r := &results{Commit: "abc", Date: "2026-01-01 00:00", Speed: "10", Figures: []figure{{Group: "start",
		What: "help: time", Unit: "ms",
		Other: hcp, Ours: []float64{10, 30, 20}, Theirs: []float64{40, 41,
			39}}}, Facts: []fact{{"broken", "a|b", hcp, "told", "not\ntold"}}}
	if err := r.write(dir); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "page.md")
	if err := os.WriteFile(page, []byte("before\n"+docsBegin+"\nold\n"+docsEnd+"\nafter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rewriteDocument(page, dir); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| help: time | hcp | **0.50** | 20 and 40 ms | `-only 'start'` |",
		`| broken | a\|b | hcp | told | not told |`,
		"--speed 10", "before\n", "after\n"} {
		if !strings.Contains(string(content), want) {
			t.Errorf("no %q in\n%s", want, content)
		}
	}
	if strings.Contains(string(content), "old\n"+docsEnd) {
		t.Error("what stood there is still there")
	}
	newer := &results{Commit: "abc", Speed: "10"}
	if err := newer.keep(dir, []string{"broken"}); err != nil || len(newer.Figures) != 1 || len(newer.Facts) != 0 {
		t.Errorf("kept %+v, %v", newer, err)
	}
	if other := (&results{Commit: "def", Speed: "10"}); other.keep(dir, nil) != nil || len(other.Figures) != 0 {
		t.Error("results of another commit are kept")
	}
}

// Each step's manifest is there, and each manifest is used.
func TestSteps(t *testing.T) {
	used := map[string]bool{}
	for _, s := range steps() {
		if s.manifest == "" {
			continue
		}
		used[s.manifest] = true
		if _, err := manifests.ReadFile("testdata/byhand/" + s.manifest); err != nil {
			t.Error(err)
		}
	}
	files, err := manifests.ReadDir("testdata/byhand")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !used[f.Name()] {
			t.Errorf("%s is applied by no step", f.Name())
		}
	}
}
