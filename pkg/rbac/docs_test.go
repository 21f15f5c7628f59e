package rbac

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rulesPage is the generated part of docs/rbac.md.
func rulesPage() string {
	var b strings.Builder
	for _, a := range Purposes() {
		fmt.Fprintf(&b, "### %s\n\nWho has it may %s: `%s`.", a.Purpose, a.Short, strings.Join(a.Commands, "`, `"))
		for _, p := range a.Includes {
			fmt.Fprintf(&b, " It includes %s.", p)
		}
		fmt.Fprintf(&b, "\n\n- %s\n\n| resources | names | verbs | where | for |\n| --- | --- | --- | --- | --- |\n", strings.Join(a.Mind, "\n- "))
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
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", strings.ReplaceAll(r.Resources, " ", "<br>"), strings.ReplaceAll(r.Names, " ", "<br>"), r.Verbs, r.At, why)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestThePageHasTheTable(t *testing.T) {
	const begin, end = "<!-- rules: UPDATE=1 go test ./pkg/rbac -->\n", "<!-- end of rules -->"
	path := filepath.Join("..", "..", "docs", "rbac.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	have, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the rules", path)
	}
	want := rulesPage()
	if os.Getenv("UPDATE") != "" { //nolint:forbidigo // how tests are told to write what they compare with
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have != want {
		t.Errorf("the rules in %s are not those of the code: UPDATE=1 go test ./pkg/rbac", path)
	}
}
