package cmdutil

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// FormatJUnit is the format of results for CI servers.
const FormatJUnit = "junit"

// RunFormat refuses what is no format of a run.
func RunFormat(output string) error { return CheckFormat(output, "json", FormatJUnit) }

// WriteJUnit writes the results of a command with -o junit once it has ended: of its runs, of checks that failed before
// them, and the error that let it not begin, such as wrong usage. It returns the error of the command, or that of the
// write.
func (a *Factory) WriteJUnit(cmd *cobra.Command, err error) error {
	output := cmd.Flags().Lookup("output")
	if !isFormat(output) || output.Value.String() != FormatJUnit {
		return err
	}
	taken, rest := a.Runner.taken, err
	if errors.Is(err, ErrFindings) {
		rest = nil
	} else if run, ok := step.AsRunError(err); ok {
		if rest = nil; len(taken.Results) == 0 {
			taken = a.Call.RenderReport(step.Report{Results: run.Results})
		}
	} else if taken.Err() != nil {
		rest = nil
	}
	if failed := report.JUnit(a.Streams.Out, cmd.CommandPath(), taken, rest); failed != nil {
		return failed
	}
	return err
}

// Take keeps results that were not run for JUnit, such as those of a check.
func (r *Runner) Take(results step.Report) { r.taken = results }
