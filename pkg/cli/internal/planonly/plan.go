// Package planonly has the flags and output of the commands that only plan work on the management cluster:
// update management and maintenance.
package planonly

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// Flags are the flags of both commands.
type Flags struct {
	plan    bool
	output  string
	timeout time.Duration
}

// Bind adds the flags to a command.
func (f *Flags) Bind(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.plan, "plan", false, "plan only, and change nothing (required: hcctl does only that)")
	cmd.Flags().DurationVar(&f.timeout, "timeout", time.Minute, "time limit for reading; what has not answered by "+
		"then is unknown")
	cmdutil.OutputFlag(cmd, &f.output, "json", "yaml")
}

// Validate returns an error for invalid flags. what describes the command, such as "plans an update".
func (f *Flags) Validate(what string) error {
	switch {
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: give a time above zero, such as 1m", f.timeout)
	case !f.plan:
		return errors.New("give --plan: hcctl " + what + ", and changes nothing")
	}
	return nil
}

// Plan is the result of either command.
type Plan struct {
	Document any
	State    step.State
	// Print writes the plan for a user.
	Print func() error
}

// Run reads a plan within --timeout, and writes it. The error carries the exit code of the plan's verdict.
func (f *Flags) Run(ctx context.Context, a *cmdutil.Factory,
	read func(ctx context.Context, t *cmdutil.Target) (*Plan, error),
) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	readCtx := a.Limit.Within(ctx, f.timeout)
	p, err := read(readCtx, t)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return t.Clarify(readCtx, err)
	}
	written, err := f.write(a, p.Document)
	if !written && err == nil {
		err = p.Print()
	}
	if err != nil {
		return err
	}
	return endWith(p.State)
}

// write writes a document. It returns false if the output format is text.
func (f *Flags) write(a *cmdutil.Factory, document any) (written bool, err error) {
	switch f.output {
	case "json":
		return true, cmdutil.WriteJSON(a.Streams.Out, document)
	case "yaml":
		return true, cmdutil.WriteYAML(a.Streams.Out, document)
	}
	return false, nil
}

// endWith returns the exit code of a verdict as an error. The exit codes are a contract with scripts; see the
// help of both commands.
func endWith(v step.State) error {
	switch v {
	case step.StateOK:
		return nil
	case step.StateFailing:
		return cmdutil.Ended(cmdutil.ExitMissing)
	}
	return cmdutil.Ended(cmdutil.ExitError)
}

// MaxLines is the maximum number of findings of one verdict, or pods of one kind, on a screen.
const MaxLines = 20

// Branches returns the findings as lines, the first MaxLines of each verdict.
func Branches(a *cmdutil.Factory, findings []step.Finding) []report.Branch {
	var out []report.Branch
	shown := map[step.State]int{}
	for i := range findings {
		f := &findings[i]
		if shown[f.State]++; shown[f.State] <= MaxLines {
			out = append(out, report.Branch{Mark: cmdutil.StateMark(f.State), Title: f.Object, Text: f.Message,
				Hint: a.Call.Render(f.Hint)})
			continue
		}
		if last := i == len(findings)-1 || findings[i+1].State != f.State; last {
			out = append(out, report.Branch{Mark: cmdutil.StateMark(f.State),
				Text: fmt.Sprintf("and %d more; -o json has them all", shown[f.State]-MaxLines)})
		}
	}
	return out
}

// Conclusion counts the findings that block.
func Conclusion(findings []step.Finding, of string) string {
	blocked, unknown := step.Count(findings, step.StateFailing), step.Count(findings, step.StateUnknown)
	switch {
	case blocked > 0 && unknown > 0:
		return fmt.Sprintf("%s against %s now, and %s.", plural.Count(blocked, "finding"), of, undetermined(unknown))
	case blocked > 0:
		return fmt.Sprintf("%s against %s now.", plural.Count(blocked, "finding"), of)
	case unknown > 0:
		return fmt.Sprintf("Nothing known blocks %s, but %s.", of, undetermined(unknown))
	}
	return fmt.Sprintf("Nothing blocks %s.", of)
}

func undetermined(n int) string {
	if n == 1 {
		return "1 thing could not be determined"
	}
	return fmt.Sprintf("%d things could not be determined", n)
}
