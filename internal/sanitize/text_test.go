package sanitize

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for s, want := range map[string]string{
		"plain words, ünïcödé ✓ 日本":          "plain words, ünïcödé ✓ 日本",
		"two\nlines\tand a tab":              "two\nlines\tand a tab",
		"a\x1b[2Jb\rc\a":                     `a\x1b[2Jb\rc\a`,
		"\u009b31m one byte: \x9b31m \x7f":   `\u009b31m one byte: \x9b31m \x7f`,
		"evil\u202egnp.exe\u2066x\u200f":     `evil\u202egnp.exe\u2066x\u200f`,
		"zero\u200bwidth\ufeff\u2028\u2029.": `zero\u200bwidth\ufeff\u2028\u2029.`,
		"\x1b]0;title\a":                     `\x1b]0;title\a`,
	} {
		if got := Text(s); got != want {
			t.Errorf("Text(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for s, want := range map[string]string{
		"":                           "",
		"a  b":                       "a  b",
		"one\r\ntwo\n\n three\tfour": "one two  three four",
		"\x1b[1A\nForged: all good":  `\x1b[1A Forged: all good`,
	} {
		if got := Line(s); got != want {
			t.Errorf("Line(%q) = %q, want %q", s, got, want)
		}
	}
}

// FuzzPrintable: whatever comes in, what goes out moves no cursor, and is itself when it comes in again.
func FuzzPrintable(f *testing.F) {
	for _, s := range []string{"a", "\x1b[2J", "\xff\xfe", "\u202e", "a\nb", "\\x1b", "\U000e0041"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line, text := Line(s), Text(s)
		for _, out := range []string{line, strings.NewReplacer("\n", "", "\t", "").Replace(text)} {
			if !utf8.ValidString(out) || strings.IndexFunc(out, func(r rune) bool {
				return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
			}) >= 0 {
				t.Errorf("%q became %q", s, out)
			}
		}
		if Line(line) != line || Text(text) != text {
			t.Errorf("%q is not at rest: %q, %q", s, line, text)
		}
	})
}

func TestValue(t *testing.T) {
	for s, want := range map[string]string{
		"one\r\ntwo\n\n three\tfour":                    "one two three four",
		"ok" + strings.Repeat(" ", 200) + "Next: curl":  "ok Next: curl",
		"wide\u2003\u3000\u00a0space":                   "wide space",
		"next\u0085line\u2028and\u2029so":               `next\u0085line\u2028and\u2029so`,
		"\x1b]8;;https://evil\x1b\\ok\x1b]8;;\x1b\\":    `\x1b]8;;https://evil\x1b\ok\x1b]8;;\x1b\`,
		"tag\U000e0041, \ufe0f, \u3164, \u2800, \ue000": `tag\U000e0041, \ufe0f, \u3164, \u2800, \ue000`,
		"zalgo" + strings.Repeat("\u0300", 50):          "zalgo" + strings.Repeat("\u0300", 4),
		"Việt, e\u0302\u0301":                           "Việt, e\u0302\u0301",
		strings.Repeat("é", 5000):                       strings.Repeat("é", 4000) + "… (1000 more characters)",
	} {
		if got := Value(s); got != want || Value(got) != got {
			t.Errorf("Value(%q) = %q, want %q", s, got, want)
		}
	}
}
