package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestDocsAsJSON: the list has titles alone, a page has its text, a search has lines.
func TestDocsAsJSON(t *testing.T) {
	type document struct {
		Pages   []struct{ Name, Title, Text string }
		Matches []struct{ Page, Heading, Line string }
	}
	for name, tc := range map[string]struct {
		args []string
		good func(document) bool
	}{
		"list": {nil, func(d document) bool { return len(d.Pages) > 20 && d.Pages[0].Title != "" && d.Pages[0].Text == "" }},
		"page": {[]string{"glossary"}, func(d document) bool {
			return len(d.Pages) == 1 && d.Pages[0].Name == "glossary" && len(d.Pages[0].Text) > 1000 && d.Matches == nil
		}},
		"search": {[]string{"--search", "pull secret"}, func(d document) bool {
			return len(d.Matches) > 3 && d.Matches[0].Page != "" && d.Matches[0].Line != "" && d.Pages == nil
		}},
	} {
		code, out, stderr := run(t, append([]string{"docs", "-o", "json"}, tc.args...)...)
		if code != 0 || stderr != "" {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
		conforms(t, "documentation", []byte(out))
		var d document
		if err := json.Unmarshal([]byte(out), &d); err != nil || !tc.good(d) {
			t.Errorf("%s: %v, %.300s", name, err, out)
		}
	}
	if code, out, _ := run(t, "docs", "-o", "yaml"); code != 2 || out != "" {
		t.Errorf("-o yaml: exit %d, %s", code, out)
	}
}

// TestCommandReference: the page commands has a part for each command that is not hidden, with all its flags.
func TestCommandReference(t *testing.T) {
	code, page, stderr := run(t, "docs", "commands")
	if code != 0 || !strings.HasPrefix(page, "# Commands\n") {
		t.Fatalf("exit %d, %s%.200s", code, stderr, page)
	}
	parts := map[string]string{}
	for part := range strings.SplitSeq(page, "\n## ") {
		path, text, _ := strings.Cut(part, "\n")
		parts[path] = text
	}
	visit(tree(), func(cmd *cobra.Command) {
		text, there := parts[cmd.CommandPath()]
		if there == cmd.Hidden {
			t.Errorf("%s: in the page is %v", cmd.CommandPath(), there)
		}
		if flags := flagGroups(cmd.LocalNonPersistentFlags(), widestHelp); there &&
			!strings.Contains(text, indented(strings.Trim(flags, "\n"), "")) {
			t.Errorf("%s: the flags are not\n%s", cmd.CommandPath(), flags)
		}
	})
	if _, help, _ := run(t, "docs", "--search", "cleanup on failure"); !strings.Contains(help, "commands") {
		t.Errorf("a search does not look in the commands:\n%s", help)
	}
}

// TestSearchOfSeveralWords: words without quotes are a search, and the hint is that.
func TestSearchOfSeveralWords(t *testing.T) {
	const next = "hcctl docs --search 'pull secret is missing'"
	if code, _, said := run(t, "docs", "--search", "pull", "secret", "is", "missing"); code != 2 || !strings.Contains(said, next) {
		t.Errorf("%d: %s", code, said)
	}
}
