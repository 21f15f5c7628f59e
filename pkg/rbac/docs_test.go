package rbac

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/golden"
)

// rulesPage is the generated part of docs/rbac.md.
func rulesPage() string {
	var b strings.Builder
	for _, a := range Purposes() {
		fmt.Fprintf(&b, "### %s\n\nWho has it may %s: `%s`.", a.Purpose, a.Short, strings.Join(a.Commands, "`, `"))
		for _, p := range a.Includes {
			fmt.Fprintf(&b, " It includes %s.", p)
		}
		fmt.Fprintf(&b, "\n\n- %s\n\n| resources | names | verbs | where | for |\n| --- | --- | --- | --- | --- |\n",
			strings.Join(a.Mind, "\n- "))
		for _, r := range table() {
			if !slices.Contains(r.For, a.Purpose) {
				continue
			}
			why := r.Why
			if len(r.Features) > 0 {
				why += fmt.Sprintf(" (only with %s)", r.Features[0])
			}
			if r.Unless != "" {
				why += fmt.Sprintf(" (not with %s)", r.Unless)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", strings.ReplaceAll(r.Resources, " ", "<br>"),
				strings.ReplaceAll(r.Names, " ", "<br>"), r.Verbs, r.At, why)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestThePageHasTheTable(t *testing.T) {
	const begin, end = "<!-- rules: make update -->\n", "<!-- end of rules -->"
	path := filepath.Join("..", "..", "docs", "rbac.md")
	golden.Section(t, path, begin, end, rulesPage())
}
