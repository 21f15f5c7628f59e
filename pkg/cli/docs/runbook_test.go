package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
)

// docsFolder is where the pages are.
var docsFolder = filepath.Join("..", "..", "..", "docs")

// TestRunbook holds docs/runbook.md and the pages of docs/runbook to what hcctl explain knows, and to the facts.
func TestRunbook(t *testing.T) {
	golden.Section(t, filepath.Join(docsFolder, "runbook.md"), "<!-- conditions:begin (make update writes this) -->\n",
		"<!-- conditions:end -->", runbookIndex())
	words, err := contracts.ReadWords()
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	for _, p := range runbookPages() {
		made[filepath.FromSlash(p.name+".md")] = true
		golden.File(t, filepath.Join(docsFolder, filepath.FromSlash(p.name)+".md"), p.text+origins(t, words, p.title))
	}
	// A file system that knows no case would mix up two pages.
	lower := map[string]bool{}
	for _, word := range RunbookWords() {
		if lower[strings.ToLower(word)] {
			t.Errorf("two words differ in their case only: %s", word)
		}
		lower[strings.ToLower(word)] = true
	}
	files, err := filepath.Glob(filepath.Join(docsFolder, "runbook", "*"))
	if err != nil || len(files) < 50 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	for _, file := range files {
		if name, _ := filepath.Rel(docsFolder, file); !made[name] {
			t.Errorf("%s is about nothing that hcctl knows: delete it", file)
		}
	}
}

// runbookIndex lists the pages, by the kind whose conditions they are about.
func runbookIndex() string {
	var b strings.Builder
	for _, kind := range []string{hostedcluster.HostedClusterKind, hostedcluster.NodePoolKind} {
		fmt.Fprintf(&b, "\n## %s\n\n| condition | healthy | another status means | reasons that are known |\n| --- | --- | --- | --- |\n",
			kind)
		for _, word := range RunbookWords() {
			row := ""
			for _, e := range Explanations(word) {
				switch {
				case e.Kind != kind || e.Condition != word:
				case e.Reason == "":
					row = fmt.Sprintf("| [%s](runbook/%[1]s.md) | %s | %s | ", word, e.Good, e.Weight)
				case e.Terminal:
					row += fmt.Sprintf("[%s](runbook/%[1]s.md) (waiting does not help) ", e.Reason)
				default:
					row += fmt.Sprintf("[%s](runbook/%[1]s.md) ", e.Reason)
				}
			}
			if row != "" {
				b.WriteString(row + "|\n")
			}
		}
	}
	return b.String()
}

// origins says which versions of HyperShift have the word, for each kind that it is about, and where it was read.
func origins(t *testing.T, words *contracts.Words, word string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("\n## Where it comes from\n\n| of | HyperShift of OpenShift | source |\n| --- | --- | --- |\n")
	var kinds []string
	for _, e := range Explanations(word) {
		if slices.Contains(kinds, e.Kind) {
			continue
		}
		kinds = append(kinds, e.Kind)
		found := words.Find(word)
		i := slices.IndexFunc(found, constantOf(strings.ToLower(e.Kind)))
		if i < 0 { // A NodePool may have a condition by the name of the HostedCluster's.
			i = slices.IndexFunc(found, constantOf(""))
		}
		if i < 0 {
			t.Errorf("contracts/hypershift.yaml does not say where %s of a %s comes from", word, e.Kind)
			continue
		}
		file, branch, _ := strings.Cut(strings.TrimPrefix(found[i].Source, "hs:"), "@")
		fmt.Fprintf(&b, "| %s | %s | `%s` of openshift/hypershift, %s |\n", e.Kind, spans(found[i].Releases), file, branch)
	}
	return b.String()
}

// constantOf finds a constant of HyperShift's API that is a condition or a reason of a kind; of any, without one.
func constantOf(kind string) func(contracts.Word) bool {
	return func(w contracts.Word) bool {
		file, _, _ := strings.Cut(w.Source, "@")
		return w.Component == "hypershift" && strings.HasSuffix(file, kind+"_conditions.go")
	}
}

// spans are releases as a person reads them.
func spans(releases contracts.Releases) string {
	if len(releases) == 0 {
		return "newer than 4.21"
	}
	var parts []string
	for _, s := range releases {
		first, last := s.First.String(), s.Last.String()
		switch {
		case first == last:
			parts = append(parts, first)
		case last == "4.21":
			parts = append(parts, first+" and later")
		default:
			parts = append(parts, first+" to "+last)
		}
	}
	return strings.Join(parts, ", ")
}

// TestWhoDecides: who decides a condition is what HyperShift's sources say.
func TestWhoDecides(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "contracts", "hypershift.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var facts struct {
		WrittenBy []struct {
			Value      string
			Conditions []string
		} `yaml:"written_by"`
	}
	if err := yaml.Unmarshal(raw, &facts); err != nil || len(facts.WrittenBy) == 0 {
		t.Fatalf("%v, %v", facts, err)
	}
	by := map[string]string{}
	for _, f := range facts.WrittenBy {
		for _, c := range f.Conditions {
			by[c] = f.Value
		}
	}
	for _, e := range follow.Explanations() {
		want, copied := by[e.Condition]
		if !copied || e.Kind == hostedcluster.NodePoolKind {
			want = "hypershift-operator"
		}
		if e.By != want {
			t.Errorf("%s %s is said to be decided by %s, and is by %s", e.Kind, e.Condition, e.By, want)
		}
	}
	for c := range by {
		if len(Explanations(c)) == 0 {
			t.Errorf("hcctl does not know %s", c)
		}
	}
}

// TestRunbookPage: a page answers what the person on call asks.
func TestRunbookPage(t *testing.T) {
	for word, wants := range map[string][]string{
		"InvalidImage": {"# InvalidImage\n", "## Reason of ValidReleaseImage", "exit code 5", "hypershift-operator",
			"1. The operator does not try again", "hcctl dump NAME"},
		"EtcdAvailable": {"## Condition of a HostedCluster", "hcctl logs NAME control-plane-operator", "exit code 4",
			"- [EtcdWaitingForQuorum](EtcdWaitingForQuorum.md): Fewer pods", `@.type=="EtcdAvailable"`},
		"validreleaseimage": {"# ValidReleaseImage\n", "## Condition of a HostedCluster", "## Condition of a NodePool",
			"oc get nodepool POOL"},
	} {
		text := RunbookPage(word, Explanations(word))
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", word, want, text)
			}
		}
	}
	for _, p := range runbookPages() {
		if !strings.Contains(p.text, "\n1. ") || !strings.Contains(p.text, "**What it says:**") || strings.Contains(p.text, "%!") {
			t.Errorf("%s says too little:\n%s", p.name, p.text)
		}
	}
	if text := RunbookPage("NoSuchWord", Explanations("NoSuchWord")); text != "" {
		t.Errorf("%q", text)
	}
}
