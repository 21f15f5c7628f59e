package sanitize

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// Guard returns a writer that removes control sequences: line breaks, tabs and hcctl's own colours remain, and other
// Hidden characters are escaped. It is the last line of defence, because values are sanitized at their origin.
func Guard(w io.Writer) io.Writer {
	if g, is := w.(*guard); is {
		return g
	}
	return &guard{w}
}

// Unwrap returns the writer behind a Guard, or the writer itself.
func Unwrap(w io.Writer) io.Writer {
	if g, is := w.(*guard); is {
		return g.w
	}
	return w
}

type guard struct{ w io.Writer }

// Write implements io.Writer.
func (g *guard) Write(p []byte) (int, error) {
	if fits(p) {
		return g.w.Write(p)
	}
	if _, err := io.WriteString(g.w, Screen(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// colour matches one of hcctl's colour sequences at the beginning of a text.
var colour = lazyregexp.New(`^\x1b\[(?:[012]|3[123])m`)

// Screen is Text, but keeps hcctl's own colours.
func Screen(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b")
		b.WriteString(Text(before))
		if !found {
			return b.String()
		}
		rest = "\x1b" + rest
		sequence := colour.FindString(rest)
		if sequence == "" {
			b.WriteString(`\x1b`)
			s = rest[1:]
			continue
		}
		b.WriteString(sequence)
		s = rest[len(sequence):]
	}
}

// fits reports whether a text can be shown unchanged. It is a fast check.
func fits(p []byte) bool {
	for len(p) > 0 {
		if c := p[0]; c < utf8.RuneSelf {
			if (c < ' ' || c > '~') && c != '\n' && c != '\t' {
				return false
			}
			p = p[1:]
			continue
		}
		r, size := utf8.DecodeRune(p)
		if r == utf8.RuneError && size == 1 || Hidden(r) {
			return false
		}
		p = p[size:]
	}
	return true
}
