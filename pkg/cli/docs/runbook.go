package docs

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/docs"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
)

// RunbookWords returns the conditions and reasons that have a section in the runbook, sorted.
func RunbookWords() []string {
	var words []string
	for _, e := range conditions.Explanations() {
		words = append(words, e.Condition, e.Reason)
	}
	slices.Sort(words)
	return slices.DeleteFunc(slices.Compact(words), func(w string) bool { return w == "" })
}

// runbookPages splits docs/runbook.md into the page runbook, which lists the words, and a page for each section
// whose heading is one word, such as runbook/EtcdAvailable.
func runbookPages() []page {
	text, _ := docs.Pages.ReadFile("runbook.md") // embedded, so it exists
	parts := strings.Split(strings.TrimSpace(string(text)), "\n## ")
	all := []page{{"runbook", TitleOf(parts[0]), strings.TrimSpace(parts[0]) + "\n"}}
	for _, part := range parts[1:] {
		part = strings.TrimSpace(part) + "\n"
		if word, _, _ := strings.Cut(part, "\n"); strings.Contains(word, " ") {
			all[0].text += "\n## " + part
		} else {
			all = append(all, page{"runbook/" + word, word, "# " + part})
		}
	}
	return all
}

// Explanations returns the explanations of a condition with all its reasons, or of a reason. It ignores case.
func Explanations(word string) []conditions.Explanation {
	return slices.DeleteFunc(conditions.Explanations(), func(e conditions.Explanation) bool {
		return !strings.EqualFold(e.Condition, word) && !strings.EqualFold(e.Reason, word)
	})
}

// RunbookText returns the section of a word, or "" if the runbook has none.
func RunbookText(word string) string {
	text := ""
	for _, p := range runbookPages() {
		if strings.EqualFold(p.title, word) {
			text += p.text
		}
	}
	return text
}
