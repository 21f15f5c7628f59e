package docs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
)

// runbookFolder is where the runbook's pages are among those of docs: runbook/EtcdAvailable.
const runbookFolder = "runbook/"

// RunbookWords are the conditions and reasons that have a page in the runbook, sorted.
func RunbookWords() []string {
	var words []string
	for _, e := range follow.Explanations() {
		words = append(words, e.Condition, e.Reason)
	}
	slices.Sort(words)
	return slices.DeleteFunc(slices.Compact(words), func(w string) bool { return w == "" })
}

// runbookPages are made when they are asked for, so that nothing of them is built in twice.
func runbookPages() []page {
	var all []page
	for _, word := range RunbookWords() {
		all = append(all, page{runbookFolder + word, word, RunbookPage(word, Explanations(word))})
	}
	return all
}

// Explanations are those of a condition with all its reasons, or of a reason, in any case of letters.
func Explanations(word string) []follow.Explanation {
	return slices.DeleteFunc(follow.Explanations(), func(e follow.Explanation) bool {
		return !strings.EqualFold(e.Condition, word) && !strings.EqualFold(e.Reason, word)
	})
}

// RunbookPage is the page of a word as Markdown: a part for each condition that it is about. It is empty if nothing is
// known.
func RunbookPage(word string, about []follow.Explanation) string {
	var b strings.Builder
	for _, e := range about {
		isReason := strings.EqualFold(e.Reason, word)
		// A condition's reasons are listed in its part, and have pages of their own.
		if e.Reason != "" && !isReason {
			continue
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "# %s\n", cmp.Or(e.Reason, e.Condition))
		}
		if isReason {
			fmt.Fprintf(&b, "\n## Reason of %s\n\nA reason of the condition [%[1]s](%[1]s.md) of a %s.\n", e.Condition, e.Kind)
		} else {
			fmt.Fprintf(&b, "\n## Condition of a %s\n", e.Kind)
		}
		writeMeaning(&b, e)
		writeActions(&b, e)
		if !isReason {
			writeReasons(&b, e, about)
		}
	}
	return b.String()
}

// writeMeaning says what is known of a condition, and what hcctl does.
func writeMeaning(b *strings.Builder, e follow.Explanation) {
	fmt.Fprintf(b, "\n- **What it says:** %s\n", cmp.Or(e.Means, "HyperShift reports it; hcctl does not judge it."))
	if e.Good != "" {
		fmt.Fprintf(b, "- **On a healthy cluster:** %s is %s. Another status means: %s.\n", e.Condition, e.Good, e.Weight)
	}
	if e.Does != "" {
		fmt.Fprintf(b, "- **What hcctl does:** %s\n", e.Does)
	}
	if e.By != "" {
		fmt.Fprintf(b, "- **Who says it:** %s; its log: `hcctl logs NAME %[1]s`\n", e.By)
	}
}

// writeActions says how a person sees the condition, and what to do.
func writeActions(b *strings.Builder, e follow.Explanation) {
	object := "hostedcluster NAME"
	if e.Kind == hostedcluster.NodePoolKind {
		object = "nodepool POOL"
	}
	fmt.Fprintf(b, "\nSee it:\n\n    hcctl status NAME\n    oc get %s -n NAMESPACE "+
		"-o jsonpath='{.status.conditions[?(@.type==%q)]}'\n", object, e.Condition)
	b.WriteString("\nWhat to do:\n\n")
	steps := []string{}
	if e.Hint != "" {
		steps = append(steps, sentence(e.Hint))
	}
	if e.Look != "" {
		steps = append(steps, "Look at: "+e.Look+".")
	}
	for i, s := range append(steps, "If that does not help: `hcctl dump NAME`, and [report it](../bugs.md).") {
		fmt.Fprintf(b, "%d. %s\n", i+1, s)
	}
}

// writeReasons lists the known reasons of a condition.
func writeReasons(b *strings.Builder, of follow.Explanation, all []follow.Explanation) {
	begin := "\nReasons that have pages of their own:\n\n"
	for _, e := range all {
		if e.Kind != of.Kind || e.Condition != of.Condition || e.Reason == "" {
			continue
		}
		fmt.Fprintf(b, "%s- [%s](%[2]s.md): %s", begin, e.Reason, e.Means)
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
