// Package sanitize makes text that others wrote fit for a terminal: messages of conditions, answers of servers, names.
// Control characters in it could move the cursor, change the title or write over what is on the screen; characters of
// format, which show nothing, could turn the order of what is read.
package sanitize

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is s with such characters as escapes, such as \x1b and \u202e; line breaks and tabs stay.
func Text(s string) string {
	return escaped(s, func(r rune) bool { return Hidden(r) && r != '\n' && r != '\t' })
}

// Line is s on one line: as Text, and line breaks and tabs are spaces.
func Line(s string) string {
	if strings.ContainsAny(s, "\r\n\t\v\f") {
		s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("\r\n\t\v\f", r) }), " ")
	}
	return escaped(s, Hidden)
}

// LongestValue is how many characters of one value are shown.
const LongestValue = 4000

// cutNote is room for the note of a cut, so that what is cut stays as it is when it comes in again.
const cutNote = 40

// Value is one value of somebody else's as part of a line: as Line, and any white space is one space, so that none
// fills up the line and has the rest of the value begin the next. What is longer than LongestValue is cut, and says by
// how much.
func Value(s string) string {
	if strings.ContainsFunc(s, blank) {
		s = strings.Join(strings.FieldsFunc(s, blank), " ")
	}
	s = escaped(stacked(s), Hidden)
	if len(s) <= LongestValue+cutNote {
		return s
	}
	runes := []rune(s)
	if len(runes) <= LongestValue+cutNote {
		return s
	}
	return fmt.Sprintf("%s… (%d more characters)", string(runes[:LongestValue]), len(runes)-LongestValue)
}

// Values are values joined by commas, each as Value.
func Values(list []string) string {
	shown := make([]string, 0, len(list))
	for _, s := range list {
		shown = append(shown, Value(s))
	}
	return strings.Join(shown, ", ")
}

// Hidden tells what a terminal obeys or does not show: controls (C0, DEL, C1), what formats (bidirectional controls,
// zero widths, tags), separators of lines, fillers, variation selectors, and code points that are no characters or
// nobody's.
func Hidden(r rune) bool {
	if r >= ' ' && r <= '~' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs,
		unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point) || r == brailleBlank
}

// brailleBlank is drawn as nothing and is no white space.
const brailleBlank = '\u2800'

// blank tells white space of any width. What separates lines, but for the usual, is Hidden.
func blank(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r':
		return true
	}
	return r > '~' && unicode.Is(unicode.Zs, r)
}

// mostMarks is how many marks may stand on one character: more of them reach into the lines above and below.
const mostMarks = 4

// stacked is s with no more marks on a character than languages have.
func stacked(s string) string {
	if plain(s) || !strings.ContainsFunc(s, mark) {
		return s
	}
	marks := 0
	return strings.Map(func(r rune) rune {
		if !mark(r) {
			marks = 0
			return r
		}
		if marks++; marks > mostMarks {
			return -1
		}
		return r
	}, s)
}

func mark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me) && !Hidden(r) }

// escaped is s with escapes for the runes of which escape is true, and for bytes that are no text: a terminal may take
// those for controls.
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

// plain tells quickly what most texts are: printable ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
