package support

import (
	"errors"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/management/support"
)

// TestEnded: scripts tell by the exit code whether a cluster is within what was tested, and nothing more is printed.
func TestEnded(t *testing.T) {
	for v, want := range map[support.Verdict]int{support.Tested: 0, support.Known: 0, support.Untested: cmdutil.ExitMissing,
		support.Unknown: cmdutil.ExitError, "": 0} {
		err := exitOf(v)
		if got := cmdutil.ExitCode(err); got != want || err != nil && !errors.Is(err, cmdutil.ErrFindings) {
			t.Errorf("%q: exit %d (%v), want %d", v, got, err, want)
		}
		if v != "" && verdict(v) == "" {
			t.Errorf("%q is not told in words", v)
		}
	}
}
