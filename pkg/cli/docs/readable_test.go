package docs

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPrintedPages: on a terminal of 80 columns no sentence of a page is cut by its edge, links are commands, and what
// is typed keeps its lines. Tables have columns.
func TestPrintedPages(t *testing.T) {
	const page = "# A page\n\nFirst [disks.md](disks.md#who) and then a sentence that is far longer than the terminal is wide, " +
		"so that it\ngoes on.\n- an item with [a link](https://example.com/x) that is so long that it goes on in a second line as well\n" +
		"\n    hcctl bootstrap --metallb-range 192.168.216.32-192.168.216.122 --storage existing --dry-run\n\n" +
		"| page | |\n| --- | --- |\n| [disks.md](disks.md) | which of the disks of a worker are taken for storage, and who agrees to that |\n" +
		"\n| | a |\n|-|-|\n| `x \\| y` | b |\n"
	want := "# A page\n\nFirst hcctl docs disks and then a sentence that is far longer than the terminal\n" +
		"is wide, so that it goes on.\n" +
		"- an item with a link (https://example.com/x) that is so long that it goes on\n  in a second line as well\n" +
		"\n    hcctl bootstrap --metallb-range 192.168.216.32-192.168.216.122 --storage existing --dry-run\n\n" +
		"page\n----------------  --------------------------------------------------------------\n" +
		"hcctl docs disks  which of the disks of a worker are taken for storage, and who\n" + strings.Repeat(" ", 18) +
		"agrees to that\n\n         a\n-------  -\n`x | y`  b\n"
	if got := readable(page, 80); got != want {
		t.Errorf("got:\n%s", got)
	}
	const records = "| a | b | c |\n| --- | --- | --- |\n| first | one of these words: supercalifragilisticexpialidocious | two |\n"
	const wantRecords = "first\n    b: one of these words:\n    supercalifragilisticexpialidocious\n    c: two\n"
	if got := readable(records, 40); got != wantRecords {
		t.Errorf("got:\n%s", got)
	}
	for _, p := range listed("# Commands\n") {
		for line := range strings.Lines(readable(p.text, 80)) {
			line = strings.TrimSuffix(line, "\n")
			if utf8.RuneCountInString(line) > 80 && len(strings.Fields(line)) > 1 &&
				!strings.HasPrefix(line, "    ") && !strings.ContainsAny(line, "{}$") && !strings.Contains(line, ": ") {
				t.Errorf("%s: %s", p.name, line)
			}
		}
	}
}

// noTyping are pages on which there is nothing to type.
var noTyping = []string{"README", "comparison", "glossary", "words", "security", "stability", "commands"}

// firstScreen is how many lines of a page are seen at first.
const firstScreen = 20

// TestTheFirstScreenIsWhatToType: each page for users has a command within its first lines.
func TestTheFirstScreenIsWhatToType(t *testing.T) {
	for _, p := range listed("# Commands\n") {
		lines := strings.Split(p.text, "\n")
		typed := false
		for _, line := range lines[:min(len(lines), firstScreen)] {
			command, is := strings.CutPrefix(line, "    ")
			word, _, _ := strings.Cut(command, " ")
			typed = typed || is && slices.Contains([]string{"hcctl", "oc", "kubectl", "git", "make"}, word)
		}
		is := false
		for _, name := range noTyping {
			is = is || name == p.name
		}
		if typed == is && p.name != "commands" {
			t.Errorf("%s: a command within %d lines: %t, and noTyping says otherwise", p.name, firstScreen, typed)
		}
	}
}
