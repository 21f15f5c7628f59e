package management

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/management/finding"
)

// planFlags are the flags of both commands.
type planFlags struct {
	plan    bool
	output  string
	timeout time.Duration
}

func (f *planFlags) bind(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.plan, "plan", false, "plan only, and change nothing (required: hcctl does only that)")
	cmd.Flags().DurationVar(&f.timeout, "timeout", time.Minute, "time limit for reading; what has not answered by "+
		"then is unknown")
	cmdutil.OutputFlag(cmd, &f.output, "json", "yaml")
}

func (f *planFlags) validate(what string) error {
	if err := cmdutil.OneOf(f.output, "", "json", "yaml"); err != nil {
		return err
	}
	switch {
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: give a time above zero, such as 1m", f.timeout)
	case !f.plan:
		return errors.New("give --plan: hcctl " + what + ", and changes nothing")
	}
	return nil
}

// plan is what either command has worked out.
type plan struct {
	document any
	verdict  finding.Verdict
	// print writes it for a person.
	print func() error
}

// run reads a plan within the time there is, and writes it. The error carries the plan's verdict.
func (f *planFlags) run(ctx context.Context, a *cmdutil.Factory,
	read func(ctx context.Context, t *cmdutil.Target) (*plan, error),
) error {
	t, err := a.Dial()
	if err != nil {
		return err
	}
	ask, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	p, err := read(ask, t)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return t.Clarify(ask, err)
	}
	written, err := f.write(a, p.document)
	if !written && err == nil {
		err = p.print()
	}
	if err != nil {
		return err
	}
	return verdictOn(p.verdict)
}

// write writes a document; it returns false if text is wanted.
func (f *planFlags) write(a *cmdutil.Factory, document any) (written bool, err error) {
	switch f.output {
	case "json":
		return true, cmdutil.WriteJSON(a.Streams.Out, document)
	case "yaml":
		return true, cmdutil.WriteYAML(a.Streams.Out, document)
	}
	return false, nil
}

// verdict is a plan that is not clear as an error: it carries the exit code and prints nothing.
type verdict struct{ finding.Verdict }

func (v *verdict) Error() string        { return string(v.Verdict) }
func (v *verdict) Is(target error) bool { return target == cmdutil.ErrFindings }

// ExitCode is a contract with scripts, see the help of both commands.
func (v *verdict) ExitCode() int {
	if v.Verdict == finding.Blocked {
		return cmdutil.ExitMissing
	}
	return cmdutil.ExitError
}

func verdictOn(v finding.Verdict) error {
	if v == finding.Clear {
		return nil
	}
	return &verdict{v}
}
