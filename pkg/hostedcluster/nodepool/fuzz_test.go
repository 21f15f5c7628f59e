package nodepool

import (
	"strings"
	"testing"
	"time"
)

// FuzzUntil: what is taken is a time to come that the CRD takes, and reads as itself.
func FuzzUntil(f *testing.F) {
	for _, s := range []string{"", "true", "2h", "2030-01-02T03:04:05+01:00", "-1h", "0", "9223372036854775807ns",
		"9999-12-31T23:59:59-23:59"} {
		f.Add(s)
	}
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseUntil(s, now)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Fatalf("want one line: %q", err)
			}
			return
		}
		if got == "true" {
			return
		}
		at, err := time.Parse(time.RFC3339, got)
		if err != nil || at.Before(now) || len(got) > 35 {
			t.Fatalf("%q gives %q, %v", s, got, err)
		}
		if at.After(now) {
			if second, err := ParseUntil(got, now); err != nil || second != got {
				t.Fatalf("%q reads as %q, %v", got, second, err)
			}
		}
	})
}
