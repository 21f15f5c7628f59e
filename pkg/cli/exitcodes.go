package cli

import "github.com/spf13/cobra"

// newExitCodes is a help topic: a command without RunE shows its long text.
func newExitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What hcctl's exit codes mean",
		Long: `hcctl's exit codes are a contract for scripts:

  0    done
  1    error
  2    wrong usage: a flag, an argument or a file
  3    a prerequisite is missing or broken
  4    timed out; the message names what was still missing
  5    reached a state that waiting will not cure
  130  interrupted

Where several are true of a run, the gravest counts: 130 before 5, 4, 1 and 3. check, which changes nothing, has 3 before 1
and neither 4 nor 5: it exits 1 only where nothing worse is known than that something could not be looked at.`,
	}
}
