package plural_test

import (
	"testing"

	"github.com/hcctl/hcctl/internal/plural"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 hosted clusters", 1: "1 hosted cluster", 2: "2 hosted clusters"} {
		if got := plural.Count(n, "hosted cluster"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFew(t *testing.T) {
	for limit, want := range map[int]string{1: "a and 2 more", 2: "a, b and 1 more", 3: "a, b, c", 4: "a, b, c"} {
		if got := plural.Few([]string{"a", "b", "c"}, limit); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTally(t *testing.T) {
	itself := func(s string) string { return s }
	for want, items := range map[string][]string{"": nil, "1 a": {"a"}, "2 a, 1 b": {"a", "a", "b"}} {
		if got := plural.Tally(items, itself); got != want {
			t.Errorf("%v: got %q, want %q", items, got, want)
		}
	}
}
