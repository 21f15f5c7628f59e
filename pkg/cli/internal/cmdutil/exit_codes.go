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
Where several are true of a run, the gravest counts: 130 before 5, 4, 1 and 3. check, which changes nothing, has 3
before 1 and neither 4 nor 5: it exits 1 only where nothing worse is known than that something could not be looked
at. status does the same, and exits 5 for what waiting will not cure.`)
	return &cobra.Command{Use: "exit-codes", Short: "What hcctl's exit codes mean", Long: b.String()}
}
