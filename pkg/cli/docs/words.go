package docs

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/docs"
	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// wordRow is a row of docs/words.md.
type wordRow struct {
	section       string
	words         []string
	means, action string
}

// wordRows reads the tables of docs/words.md. The rows of its last section have only an operator and its words.
func wordRows() []wordRow {
	text, _ := docs.Pages.ReadFile("words.md") // embedded, so it exists
	var rows []wordRow
	section := ""
	for line := range strings.Lines(string(text)) {
		if title, is := strings.CutPrefix(line, "## "); is {
			section = strings.TrimSpace(title)
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "| "), " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") {
			continue
		}
		row := wordRow{section, strings.Split(cells[0], ", "), cells[1], cells[2]}
		switch cells[0] {
		case "word":
			continue
		case "operator":
			section = ""
			continue
		}
		if section == "" { // operator, words, and where they appear
			row = wordRow{cells[0], strings.Split(cells[1], ", "), "A condition, reason or phase that " + cells[0] +
				" writes. hcctl knows no more of it: the message beside it says what it means", cells[2]}
		}
		rows = append(rows, row)
	}
	return rows
}

// WordsOfThePage returns the words of docs/words.md, sorted.
func WordsOfThePage() []string {
	var words []string
	for _, row := range wordRows() {
		words = append(words, row.words...)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// WordText returns the text of a word of docs/words.md, or "" if it has none. It ignores case, and names in a
// step's ID: "pool-kv-00/nodes" is pool/nodes, "kv-00/objects/name" is objects/name.
func WordText(word string) string {
	for _, same := range []func(known string) bool{
		func(known string) bool { return strings.EqualFold(known, word) },
		func(known string) bool { return known == pool.ReplaceAllString(word, "pool/") },
		func(known string) bool {
			group := placeholder.ReplaceAllString(known, "/")
			return group != known && strings.HasPrefix(word, group) && strings.Count(word, "/") == 1
		},
	} {
		var parts []string
		for _, row := range wordRows() {
			if slices.ContainsFunc(row.words, same) {
				parts = append(parts, row.section+": "+row.means+".\n\nWhat to do: "+row.action+".\n")
			}
		}
		if len(parts) > 0 {
			return "# " + word + "\n\n" + strings.Join(parts, "\n")
		}
	}
	if _, below, is := strings.Cut(word, "/"); is && strings.Contains(below, "/") {
		return WordText(below)
	}
	return ""
}

// bracketed matches a reason in brackets, as conditions are printed. likeReason matches a word that looks like a
// reason.
var (
	bracketed  = lazyregexp.New(`\((\w+)\)`)
	likeReason = lazyregexp.New(`\b([A-Z]+[a-z]+[A-Z]\w*|[A-Z]{2,}[a-z]\w+)\b`)
)

// FirstExplained returns the word of a message that explain knows most about: a reason in brackets, else the
// first known word. It returns "" if the message has none.
func FirstExplained(message string) string {
	for _, pattern := range []*lazyregexp.Regexp{bracketed, likeReason} {
		for _, m := range pattern.FindAllStringSubmatch(message, -1) {
			if len(Explanations(m[1])) > 0 || WordText(m[1]) != "" {
				return m[1]
			}
		}
	}
	return ""
}

// placeholder matches the variable part of a step's ID, such as the GOAL of wait/GOAL.
var placeholder = lazyregexp.New(`/[A-Z]+$`)

// pool matches the beginning of the ID of a step about one of several node pools.
var pool = lazyregexp.New(`^pool-[^/]+/`)
