package sanitize

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	for s, want := range map[string]string{
		"plain ✓\n\tand a tab":              "plain ✓\n\tand a tab",
		"\x1b[32m✓\x1b[0m own":              "\x1b[32m✓\x1b[0m own",
		"\x1b[2J\x1b[8m\x1b[1;31m\x1b[5A\r": `\x1b[2J\x1b[8m\x1b[1;31m\x1b[5A\r`,
		"\x1b\x1b[1mx":                      `\x1b` + "\x1b[1mx",
		"\u009b2J\xff\u202e\x7f\x1b":        `\u009b2J\xff\u202e\x7f\x1b`,
	} {
		var out bytes.Buffer
		n, err := Guard(Guard(&out)).Write([]byte(s))
		if out.String() != want || n != len(s) || err != nil {
			t.Errorf("%q: %q, want %q (%d, %v)", s, out.String(), want, n, err)
		}
	}
	var out bytes.Buffer
	if Unwrap(Guard(&out)) != io.Writer(&out) || Unwrap(&out) != io.Writer(&out) {
		t.Error("the writer is not behind its guard")
	}
}

// FuzzScreen: nothing reaches the screen that it obeys, but hcctl's own colours.
func FuzzScreen(f *testing.F) {
	for _, s := range []string{"a", "\x1b[32mx\x1b[0m", "\x1b[", "\x1b[32", "\u009b", "\xc2", "\x1b\x1b[0m"} {
		f.Add(s)
	}
	own := regexp.MustCompile(`\x1b\[([012]|3[123])m`)
	f.Fuzz(func(t *testing.T, s string) {
		out := Screen(s)
		if !fits([]byte(own.ReplaceAllString(out, ""))) {
			t.Errorf("%q became %q", s, out)
		}
		if Screen(out) != out {
			t.Errorf("%q is not at rest", out)
		}
		if value := Value(s); strings.ContainsFunc(value, Hidden) || strings.Contains(value, "  ") {
			t.Errorf("%q became the value %q", s, value)
		}
	})
}
