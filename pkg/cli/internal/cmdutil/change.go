package cmdutil

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/step"
)

// ChangeFlags are the flags of the commands that change existing hosted clusters.
type ChangeFlags struct {
	DryRun           bool
	Output           string
	timeout, trouble time.Duration
}

// Change is one change of a hosted cluster.
type Change struct {
	// Command is its name in events, such as "scale nodepool".
	Command string
	// Question is the confirmation on a terminal, on one line, below the lines of Details. Destroys is whether the change
	// destroys something, so that it needs --yes without a terminal.
	Question Text
	Details  []Text
	Destroys bool
	// Word is what a person types to agree, such as the cluster's name; empty for y.
	Word string
	// About says in one line what is changed, for a question about several clusters.
	About Text
	// Heading is printed before the run, Notes after the heading, Done at the end.
	Heading Text
	Done    string
	Notes   []string
	// Next is the next command, if there is a useful one.
	Next string
	// None is whether there is nothing to change, and nothing to say about a run.
	None bool
	// Kind is that of the plan document, such as "ScalePlan".
	Kind string
	// Steps returns the steps for a client.
	Steps func(*Target) ([]step.Step, error)
}

// Bind adds the flags to a command.
func (f *ChangeFlags) Bind(cmd *cobra.Command, a *Factory, timeout time.Duration) {
	TimeoutFlag(cmd.Flags(), &f.timeout, timeout, "time limit for the whole command")
	cmd.Flags().DurationVar(&f.trouble, "trouble-timeout", 10*time.Minute,
		"how long the same problem, such as a VM that fits on no node, may last before the command gives up; 0 means as "+
			"long as --timeout")
	cmd.Flags().BoolVar(&f.DryRun, "dry-run", false, "say what would be changed, as a diff, and change nothing; "+
		DryRunExits)
	cmd.Flags().StringVarP(&f.Output, "output", "o", "", "output format: json, one event a line while it runs; with "+
		"--dry-run json, yaml or html, the plan")
	cmd.Flags().BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before changing anything")
	CompletePlan(cmd)
}

// Validate refuses flags that exclude each other. It fails with a usage error.
func (f *ChangeFlags) Validate() error {
	if err := Times(f.timeout, f.trouble); err != nil {
		return err
	}
	if f.DryRun {
		return PlanFormat(f.Output)
	}
	return OneOf(f.Output, "", "json")
}

// Fleet are the flags for a run over many clusters: the timeout is that of each.
func (f *ChangeFlags) Fleet(parallel int) FleetFlags {
	return FleetOf(parallel, f.timeout, f.trouble, f.Output, f.DryRun)
}

func (f *ChangeFlags) configure(o *step.Options) { o.Timeout, o.TroubleTimeout = f.timeout, f.trouble }

// CarryOut plans the change, or asks for confirmation, makes it and follows it.
func (f *ChangeFlags) CarryOut(ctx context.Context, a *Factory, t *Target, c Change) error {
	if c.None && f.Output == "" {
		return nil
	}
	if f.DryRun {
		return planChange(ctx, a, t, f, c)
	}
	q := Question{Details: c.Details, Ask: c.Question}
	if c.Destroys {
		q = Destruction(c.Command, c.Question, c.Details...)
	}
	q.Word = c.Word
	if err := a.Prompter.Consent(ctx, q); err != nil {
		return err
	}
	steps, err := c.Steps(t)
	if err != nil {
		return err
	}
	if f.Output == "json" {
		for _, note := range c.Notes {
			Tell(a.Streams.Err, "Note: %s\n", note)
		}
		r, err := a.Runner.Run(ctx, t, Run{Steps: steps, Shape: f.configure, Output: f.Output, Command: c.Command,
			Next: AfterSuccess(c.Next)})
		return cmp.Or(err, r.Err())
	}
	heading := c.Heading
	for _, note := range c.Notes {
		heading = Lines(heading, Textf("Note: %s", note))
	}
	r, err := a.Runner.Run(ctx, t, Run{Steps: steps, Shape: f.configure, Heading: heading})
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		if r.Changed() == 0 {
			return err
		}
		return WithResume(err, "what is written stays: the same command continues from there")
	}
	if c.Done != "" {
		Tell(a.Streams.Err, "%s\n", c.Done)
	}
	if c.Next != "" {
		Tell(a.Streams.Err, "Next: %s\n", a.Call.WithConnection(c.Next))
	}
	return nil
}

func planChange(ctx context.Context, a *Factory, t *Target, f *ChangeFlags, c Change) error {
	build := func(t *Target) (*step.Graph, error) {
		steps, err := c.Steps(t)
		if err != nil {
			return nil, err
		}
		return step.New(steps...)
	}
	p, err := PlanWrites(ctx, t, build, func(opt *step.Options) { opt.Timeout = PlanTimeout })
	if err != nil {
		return err
	}
	for _, note := range c.Notes {
		Tell(a.Streams.Err, "Note: %s\n", note)
	}
	if err := a.Plans.Print(p, f.Output, c.Kind, fmt.Sprintf("What hcctl %s would change on %s", c.Command, t)); err != nil {
		return err
	}
	if f.Output == "" {
		Tell(a.Streams.Err, "Nothing was changed.\n")
	}
	return p.Verdict()
}

// Given returns the value of an int32 flag, nil if it was not given.
func Given(cmd *cobra.Command, flag string, value int32) *int32 {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return &value
}

// BindWait adds the flag --wait with these values.
func BindWait(cmd *cobra.Command, wait *nodepool.Wait, values ...nodepool.Wait) {
	words, list := make([]string, 0, len(values)), ""
	for i, v := range values {
		words = append(words, string(v))
		if i > 0 {
			list += " or "
		}
		list += string(v)
	}
	cmd.Flags().StringVar((*string)(wait), "wait", string(*wait), "what to wait for: "+list)
	Complete(cmd, "wait", words...)
}
