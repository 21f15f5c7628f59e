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
		{ExitInterrupted, "interrupted"},
	}
}

// NewExitCodes is a help topic: a command without RunE shows its long text.
func NewExitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("hcctl's exit codes are a contract for scripts:\n\n")
	for _, e := range ExitCodes() {
		fmt.Fprintf(&b, "  %-3d  %s\n", e.Code, e.Meaning)
	}
	b.WriteString(`
If several apply to a run, the first of these counts: 130, 5, 4, 1, 3. check changes nothing and has neither 4 nor 5;
there 3 comes before 1, so 1 means only that something could not be read. status does the same, but exits 5 for what
waiting will not cure.`)
	return &cobra.Command{Use: "exit-codes", Short: "What hcctl's exit codes mean", Long: b.String()}
}
