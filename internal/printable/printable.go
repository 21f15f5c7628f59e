// Package printable makes text that others wrote fit for a terminal: messages of conditions, answers of servers, names. Control characters in it could
// move the cursor, change the title or write over what is on the screen; characters of format, which show nothing, could turn the order of what is read.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is s with such characters as escapes, such as \x1b and \u202e; line breaks and tabs stay.
func Text(s string) string {
	return escaped(s, func(r rune) bool { return hidden(r) && r != '\n' && r != '\t' })
}

// Line is s on one line: as Text, and line breaks and tabs are spaces.
func Line(s string) string {
	if strings.ContainsAny(s, "\r\n\t\v\f") {
		s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("\r\n\t\v\f", r) }), " ")
	}
	return escaped(s, hidden)
}

// hidden tells controls (C0, C1), what formats (bidirectional controls, zero widths) and separators of lines.
func hidden(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// escaped is s with escapes for the runes of which escape is true, and for bytes that are no text: a terminal may take those for controls.
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
