package cmdutil

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// ExitMeaning is one exit code with its meaning.
type ExitMeaning struct {
	Code    int
	Meaning string
}

// ExitCodes returns the documented exit codes in their order.
func ExitCodes() []ExitMeaning {
	return []ExitMeaning{
		{ExitDone, "done"},
		{ExitError, "error"},
		{ExitUsage, "wrong usage: a flag, an argument or a file"},
		{ExitMissing, "a prerequisite is missing or broken, or what was asked for is not there yet"},
		{ExitTimedOut, "timed out; the message names what was still missing"},
		{ExitBroken, "reached a state that waiting will not cure"},
		{ExitDiffers, "a dry run found something to do, and nothing that prevents it"},
		{ExitInterrupted, "interrupted"},
	}
}

// NewExitCodes makes the help topic exit-codes. A command without RunE shows its long text.
func NewExitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("hcctl's exit codes are a contract for scripts:\n\n")
	for _, e := range ExitCodes() {
		fmt.Fprintf(&b, "  %-3d  %s\n", e.Code, e.Meaning)
	}
	b.WriteString(`
If several apply to a run, the first of these counts: 130, 5, 4, 1, 3. That is so for the steps of one hosted cluster,
and for several hosted clusters, each of which fails for itself. check changes nothing and has neither 4 nor 5;
there 3 comes before 1, so 1 means only that something could not be read. status does the same, but exits 5 for what
waiting will not cure.

A dry run (--dry-run of any command) exits 0 if there is nothing to do, 6 if there is, and 3 if the command would not
work: a prerequisite is missing or broken, or a write is refused. It exits 1 if it cannot know because something could
not be read. create cluster --dry-run=client asks no server, so it knows no difference and exits 0.

dump exits 3 if the archive is written and something could not be read, 4 or 130 if it is written and the rest was not
asked for; 1 is that there is no archive.`)
	return &cobra.Command{Use: "exit-codes", Short: "What hcctl's exit codes mean", Long: b.String()}
}
