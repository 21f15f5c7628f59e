package each

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

func TestAge(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90m": 90 * time.Minute, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "1d12h": 36 * time.Hour,
		"1h30m": 90 * time.Minute, "0.5h": 30 * time.Minute, "1s": time.Second,
		"": 0, "0": 0, "0d": 0, "0h": 0, "-1h": 0, "-1d": 0, "1d-1h": 0, "7": 0, "d": 0, "1w": 0, "7 d": 0, "1.5d": 0, "1d1d": 0,
		"99999d": 0, "65535d2562047h": 0, "24h7d": 0, "seven": 0,
	} {
		var age Age
		if err := age.Set(text); time.Duration(age) != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %s, %v, want %s", text, time.Duration(age), err, want)
		}
	}
}

func TestExpectation(t *testing.T) {
	for given, tc := range map[string]struct {
		matched, creating string
		selects           bool
		check, compare    string
		agree             string
	}{
		"":           {"a b", "", true, "", "", ""},
		"no number":  {"a b", "b", true, "", "", "of the 2 that match, 1 is still being created: b; --yes needs --expect 2 here"},
		"--expect=2": {"a b", "a b", true, "", "", ""},
		"--expect=3": {"a b", "a", true, "", "--expect 3: 2 hosted clusters match, and nothing was deleted: a, b", ""},
		"--expect=1": {"", "", true, "", "--expect 1: none matches", ""},
		"--expect=0": {"", "", true, "1 or more", "", ""},
		"--expect=4": {"", "", false, "it needs --selector or --older-than", "--expect 4: none matches", ""},
	} {
		var e Expectation
		cmd := &cobra.Command{}
		e.Bind(cmd, "hosted cluster")
		if err := cmd.ParseFlags(strings.Fields(strings.TrimPrefix(given, "no number"))); err != nil {
			t.Fatal(err)
		}
		matched, creating := strings.Fields(tc.matched), strings.Fields(tc.creating)
		for call, got := range map[[2]string]error{
			{"check", tc.check}:     e.Check(tc.selects),
			{"compare", tc.compare}: e.Compare("hosted cluster", matched),
			{"agree", tc.agree}:     e.Agree(true, len(matched), creating),
		} {
			if want := call[1]; (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
				t.Errorf("%q, %s: %v, want %q", given, call[0], got, want)
			}
		}
		if err := e.Agree(false, len(matched), creating); err != nil {
			t.Errorf("%q: refused, though it is asked about: %v", given, err)
		}
	}
}
