package cmdutil

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// FormatJUnit is the format of results for CI servers.
const FormatJUnit = "junit"

// RunFormat returns an error if output is not a format of a run.
func RunFormat(output string) error { return CheckFormat(output, "json", FormatJUnit) }

// WriteJUnit writes the results of a command with -o junit after the command has ended: those of its runs, of
// checks that failed before them, or the error that prevented the start, such as wrong usage. It returns the
// error of the command, or that of the write.
func (a *Factory) WriteJUnit(cmd *cobra.Command, err error) error {
	output := cmd.Flags().Lookup("output")
	if !isFormat(output) || output.Value.String() != FormatJUnit {
		return err
	}
	collected, rest := a.Runner.collected, err
	if errors.Is(err, ErrFindings) {
		rest = nil
	} else if run, ok := step.AsRunError(err); ok {
		if rest = nil; len(collected.Results) == 0 {
			collected = a.Call.RenderReport(step.Report{Results: run.Results})
		}
	} else if collected.Err() != nil {
		rest = nil
	}
	if failed := report.JUnit(a.Streams.Out, cmd.CommandPath(), collected, rest); failed != nil {
		return failed
	}
	return err
}

// Take stores results for JUnit that no run produced, such as those of a check.
func (r *Runner) Take(results step.Report) { r.collected = results }
