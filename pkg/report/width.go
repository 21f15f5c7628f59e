package report

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// cells returns the number of terminal columns of a text: two for wide characters, none for combining ones. Package
// sanitize has escaped format characters, so no two characters join to one.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n += runeCells(r)
	}
	return n
}

func runeCells(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) || r >= 0x1160 && r <= 0x11ff:
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	case width.Neutral, width.EastAsianAmbiguous, width.EastAsianNarrow, width.EastAsianHalfwidth:
	}
	return 1
}

// cutEnd shortens a text to a number of columns, with an ellipsis at its end.
func cutEnd(s string, columns int) string {
	if cells(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	return head(s, columns-1) + "…"
}

// cutMiddle shortens a text to a number of columns, with an ellipsis in its middle, because the ends of names
// distinguish objects.
func cutMiddle(s string, columns int) string {
	if cells(s) <= columns {
		return s
	}
	if columns < 1 {
		return ""
	}
	first := columns / 2
	runes, rest := []rune(s), columns-1-first
	from := len(runes)
	for from > 0 && rest >= runeCells(runes[from-1]) {
		from--
		rest -= runeCells(runes[from])
	}
	return head(s, first) + "…" + string(runes[from:])
}

// head returns the longest prefix of a text that fits into a number of columns.
func head(s string, columns int) string {
	for i, r := range s {
		if columns -= runeCells(r); columns < 0 {
			return s[:i]
		}
	}
	return s
}

// padded appends spaces up to a number of columns.
func padded(s string, columns int) string { return s + strings.Repeat(" ", max(0, columns-cells(s))) }
