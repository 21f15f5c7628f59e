// Package sanitize makes foreign text safe for a terminal: messages of conditions, answers of servers, names. Control
// characters could move the cursor, change the title or overwrite the screen, and invisible format characters could
// reorder the text.
package sanitize

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s with Hidden characters escaped, such as \x1b and \u202e. Line breaks and tabs remain.
func Text(s string) string {
	return escaped(s, func(r rune) bool { return Hidden(r) && r != '\n' && r != '\t' })
}

// Line is Text on one line: line breaks and tabs become spaces.
func Line(s string) string {
	if strings.ContainsAny(s, "\r\n\t\v\f") {
		s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("\r\n\t\v\f", r) }), " ")
	}
	return escaped(s, Hidden)
}

// MaxValue is the maximum number of characters of a value.
const MaxValue = 4000

// cutNote is the maximum length of the note about a cut. It is tolerated above MaxValue, so that sanitizing a value
// twice changes nothing.
const cutNote = 40

// Value returns a value for use in a line. It is Line with each sequence of white space as one space. A value longer
// than MaxValue is cut, with a note of the cut length.
func Value(s string) string {
	if strings.ContainsFunc(s, blank) {
		s = strings.Join(strings.FieldsFunc(s, blank), " ")
	}
	s = escaped(limitMarks(s), Hidden)
	if len(s) <= MaxValue+cutNote {
		return s
	}
	runes := []rune(s)
	if len(runes) <= MaxValue+cutNote {
		return s
	}
	return fmt.Sprintf("%s… (%d more characters)", string(runes[:MaxValue]), len(runes)-MaxValue)
}

// Hidden reports whether a terminal interprets a character or does not show it: controls (C0, DEL, C1), format
// characters (bidirectional controls, zero widths, tags), line separators, fillers, variation selectors, and invalid or
// unassigned code points.
func Hidden(r rune) bool {
	if r >= ' ' && r <= '~' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs,
		unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point) || r == brailleBlank
}

// brailleBlank looks empty but is not white space.
const brailleBlank = '\u2800'

// blank reports whether r is white space of any width. Unusual line separators are Hidden.
func blank(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r':
		return true
	}
	return r > '~' && unicode.Is(unicode.Zs, r)
}

// maxMarks is the maximum number of combining marks on a character. More would reach into other lines.
const maxMarks = 4

// limitMarks removes excess combining marks.
func limitMarks(s string) string {
	if plain(s) || !strings.ContainsFunc(s, mark) {
		return s
	}
	marks := 0
	return strings.Map(func(r rune) rune {
		if !mark(r) {
			marks = 0
			return r
		}
		if marks++; marks > maxMarks {
			return -1
		}
		return r
	}, s)
}

func mark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me) && !Hidden(r) }

// escaped escapes the selected runes and invalid bytes, which a terminal may interpret as controls.
func escaped(s string, escape func(rune) bool) string {
	if plain(s) || strings.IndexFunc(s, escape) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case escape(r):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
		s = s[size:]
	}
	return b.String()
}

// plain reports whether a text is printable ASCII, like most texts. It is a fast check.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
