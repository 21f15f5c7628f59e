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
