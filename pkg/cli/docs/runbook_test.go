package docs

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
)

// docsDirectory is where the pages are.
var docsDirectory = filepath.Join("..", "..", "..", "docs")

// TestRunbook holds docs/runbook.md to what hcctl explain knows, and to the facts.
func TestRunbook(t *testing.T) {
	words, err := contracts.ReadWords()
	if err != nil {
		t.Fatal(err)
	}
	made, lower := runbookIndex(), map[string]bool{}
	for _, word := range RunbookWords() {
		made += runbookPart(t, words, word)
		// A link to a part knows no case.
		if lower[strings.ToLower(word)] {
			t.Errorf("two words differ in their case only: %s", word)
		}
		lower[strings.ToLower(word)] = true
	}
	file := filepath.Join(docsDirectory, "runbook.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin = "<!-- make update writes the rest -->\n"
	byHand, _, found := strings.Cut(string(page), begin)
	if !found {
		t.Fatalf("%s has no line %q", file, begin)
	}
	golden.File(t, file, byHand+begin+made)
}

// runbookIndex lists the words, by the kind whose conditions they are about.
func runbookIndex() string {
	var b strings.Builder
	for _, kind := range []string{hostedcluster.HostedClusterKind, hostedcluster.NodePoolKind} {
		fmt.Fprintf(&b, "\n## Conditions of a %s\n\n| condition | healthy | another status means | reasons that are known |\n"+
			"| --- | --- | --- | --- |\n", kind)
		for _, word := range RunbookWords() {
			row := ""
			for _, e := range Explanations(word) {
				switch {
				case e.Kind != kind || e.Condition != word:
				case e.Reason == "":
					row = fmt.Sprintf("| %s | %s | %s | ", linkTo(word), e.Good, e.Bad)
				case e.Terminal:
					row += linkTo(e.Reason) + " (waiting does not help) "
				default:
					row += linkTo(e.Reason) + " "
				}
			}
			if row != "" {
				b.WriteString(row + "|\n")
			}
		}
	}
	return b.String()
}

// linkTo is a link to a word's part of the page.
func linkTo(word string) string { return "[" + word + "](#" + strings.ToLower(word) + ")" }

// runbookPart is a word's part of the page: a paragraph for each condition that it is about.
func runbookPart(t *testing.T, words *contracts.Words, word string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n", word)
	about := Explanations(word)
	for _, e := range about {
		isReason := strings.EqualFold(e.Reason, word)
		// A condition's reasons are listed in its part, and have parts of their own.
		if e.Reason != "" && !isReason {
			continue
		}
		if isReason {
			fmt.Fprintf(&b, "\n**A reason of %s of a %s**\n", linkTo(e.Condition), e.Kind)
		} else {
			fmt.Fprintf(&b, "\n**A condition of a %s**\n", e.Kind)
		}
		writeMeaning(&b, e)
		fmt.Fprintf(&b, "- **Where it comes from:** %s\n", origin(t, words, word, e.Kind))
		writeActions(&b, e)
		if !isReason {
			writeReasons(&b, e, about)
		}
	}
	return b.String()
}

// writeMeaning says what is known of a condition, and what hcctl does.
func writeMeaning(b *strings.Builder, e conditions.Explanation) {
	fmt.Fprintf(b, "\n- **What it says:** %s\n", cmp.Or(e.Means, "HyperShift reports it; hcctl does not judge it."))
	if e.Good != "" {
		fmt.Fprintf(b, "- **On a healthy cluster:** %s is %s. Another status means: %s.\n", e.Condition, e.Good, e.Bad)
	}
	if e.Does != "" {
		fmt.Fprintf(b, "- **What hcctl does:** %s\n", e.Does)
	}
	if e.By != "" {
		fmt.Fprintf(b, "- **Who says it:** %s; its log: `hcctl logs NAME %[1]s`\n", e.By)
	}
}

// writeActions says how a user sees the condition, and what to do.
func writeActions(b *strings.Builder, e conditions.Explanation) {
	object := "hostedcluster NAME"
	if e.Kind == hostedcluster.NodePoolKind {
		object = "nodepool POOL"
	}
	fmt.Fprintf(b, "\nSee it:\n\n    hcctl status NAME\n    oc get %s -n NAMESPACE "+
		"-o jsonpath='{.status.conditions[?(@.type==%q)]}'\n", object, e.Condition)
	b.WriteString("\nWhat to do:\n\n")
	steps := []string{}
	if !e.Hint.IsZero() {
		steps = append(steps, sentence(e.Hint.String()))
	}
	if e.Look != "" {
		steps = append(steps, "Look at: "+e.Look+".")
	}
	for i, s := range append(steps, "If that does not help: `hcctl dump NAME`, and [report it](bugs.md).") {
		fmt.Fprintf(b, "%d. %s\n", i+1, s)
	}
}

// writeReasons lists the known reasons of a condition.
func writeReasons(b *strings.Builder, of conditions.Explanation, all []conditions.Explanation) {
	begin := "\nReasons that are known:\n\n"
	for _, e := range all {
		if e.Kind != of.Kind || e.Condition != of.Condition || e.Reason == "" {
			continue
		}
		fmt.Fprintf(b, "%s- %s: %s", begin, linkTo(e.Reason), e.Means)
		if e.Terminal {
			b.WriteString(" Waiting does not help.")
		}
		b.WriteString("\n")
		begin = ""
	}
}

// sentence is a hint as a sentence of its own. A command at its begin keeps its small letter.
func sentence(hint string) string {
	if hint == "" {
		return ""
	}
	if strings.HasPrefix(hint, "hcctl ") {
		return hint + "."
	}
	return strings.ToUpper(hint[:1]) + hint[1:] + "."
}

// origin says which versions of HyperShift have the word of a kind, and where it was read.
func origin(t *testing.T, words *contracts.Words, word, kind string) string {
	t.Helper()
	found := words.Find(word)
	i := slices.IndexFunc(found, constantOf(strings.ToLower(kind)))
	if i < 0 { // A NodePool may have a condition by the name of the HostedCluster's.
		i = slices.IndexFunc(found, constantOf(""))
	}
	if i < 0 {
		t.Errorf("contracts/hypershift.yaml does not say where %s of a %s comes from", word, kind)
		return ""
	}
	file, branch, _ := strings.Cut(strings.TrimPrefix(found[i].Source, "hs:"), "@")
	return fmt.Sprintf("HyperShift of OpenShift %s: `%s` of openshift/hypershift, %s", spans(found[i].Releases), file, branch)
}

// constantOf finds a constant of HyperShift's API that is a condition or a reason of a kind; of any, without one.
func constantOf(kind string) func(contracts.Word) bool {
	return func(w contracts.Word) bool {
		file, _, _ := strings.Cut(w.Source, "@")
		return w.Component == "hypershift" && strings.HasSuffix(file, kind+"_conditions.go")
	}
}

// spans are releases as a user reads them.
func spans(releases contracts.Releases) string {
	if len(releases) == 0 {
		return "newer than 5.1"
	}
	var parts []string
	for _, s := range releases {
		first, last := s.First.String(), s.Last.String()
		switch {
		case first == last:
			parts = append(parts, first)
		case last == "5.1":
			parts = append(parts, first+" and later")
		default:
			parts = append(parts, first+" to "+last)
		}
	}
	return strings.Join(parts, ", ")
}

// TestRunbookPages: a word's page answers what the user on call asks, and runbook lists the words alone.
func TestRunbookPages(t *testing.T) {
	texts := map[string]string{}
	for _, p := range runbookPages() {
		texts[p.name] = p.text
		if p.name != "runbook" && (!strings.Contains(p.text, "\n1. ") || !strings.Contains(p.text, "**What it says:**") ||
			strings.Contains(p.text, "%!")) {
			t.Errorf("%s says too little:\n%s", p.name, p.text)
		}
	}
	if len(texts) != len(RunbookWords())+1 {
		t.Errorf("%d pages of %d words", len(texts), len(RunbookWords()))
	}
	for name, wants := range map[string][]string{
		"runbook": {"# Runbook: ", "## Conditions of a HostedCluster", "## Conditions of a NodePool", "[EtcdAvailable](#etcdavailable) |"},
		"runbook/InvalidImage": {"# InvalidImage\n", "**A reason of [ValidReleaseImage](#validreleaseimage)", "exit code 5",
			"hypershift-operator", "1. The operator does not try again", "hcctl dump NAME"},
		"runbook/EtcdAvailable": {"**A condition of a HostedCluster**", "hcctl logs NAME control-plane-operator", "exit code 4",
			"- [EtcdWaitingForQuorum](#etcdwaitingforquorum): Fewer pods", `@.type=="EtcdAvailable"`, "OpenShift 4.12 and later"},
		"runbook/ValidReleaseImage": {"# ValidReleaseImage\n", "**A condition of a HostedCluster**",
			"**A condition of a NodePool**", "oc get nodepool POOL"},
	} {
		for _, want := range wants {
			if !strings.Contains(texts[name], want) {
				t.Errorf("%s: no %q in\n%s", name, want, texts[name])
			}
		}
	}
	if strings.Contains(texts["runbook"], "What it says") {
		t.Error("runbook has the parts of words, too")
	}
}
