package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/nodepool"
	"github.com/hcctl/hcctl/pkg/step"
)

// changeFlags are the flags that commands share which change hosted clusters that exist.
type changeFlags struct {
	dryRun           bool
	output           string
	timeout, trouble time.Duration
}

// change is one such change, decided on.
type change struct {
	// command as events call it, such as "scale nodepool".
	command string
	// question is put on a terminal; heading and done are told before and after, and notes after the heading.
	question, heading text
	done              string
	notes             []string
	// next is the next command, if there is one worth telling.
	next string
	// kind of the plan document, such as "ScalePlan".
	kind string
	// steps of it for a client.
	steps func(*target) ([]step.Step, error)
}

func (f *changeFlags) bind(cmd *cobra.Command, a *app, timeout time.Duration) {
	cmd.Flags().DurationVar(&f.timeout, "timeout", timeout, "how long the whole may take")
	cmd.Flags().DurationVar(&f.trouble, "trouble-timeout", 10*time.Minute, "how long trouble that stays the same is waited for, such as a VM that fits on no node; 0 means as long as --timeout")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would be changed, as a diff, and change nothing; exits 3 if there is anything to do")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "output format: json, one event a line while it runs; with --dry-run json or yaml, the plan")
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "do not ask before changing anything")
	complete(cmd, "output", "json", "yaml")
}

func (f *changeFlags) validate() error {
	if err := times(f.timeout, f.trouble); err != nil {
		return err
	}
	if f.dryRun {
		return oneOf(f.output, "", "json", "yaml")
	}
	return oneOf(f.output, "", "json")
}

func (f *changeFlags) shape(o *step.Options) { o.Timeout, o.TroubleTimeout = f.timeout, f.trouble }

// carryOut plans the change, or asks, makes it and follows it.
func (a *app) carryOut(ctx context.Context, t *target, f *changeFlags, c change) error {
	if f.dryRun {
		return a.planChange(ctx, t, f, c)
	}
	if err := a.confirm(ctx, c.question); err != nil {
		return err
	}
	steps, err := c.steps(t)
	if err != nil {
		return err
	}
	graph, err := step.New(steps...)
	if err != nil {
		return err
	}
	if f.output == "json" {
		for _, note := range c.notes {
			tell(a.streams.Err, "Note: %s\n", note)
		}
		return a.streamGraph(ctx, t, graph, f.shape, c.command, func(r step.Report) string {
			if r.Err() != nil {
				return ""
			}
			return c.next
		})
	}
	heading := c.heading
	for _, note := range c.notes {
		heading = lines(heading, textf("Note: %s", note))
	}
	r, err := a.runGraph(ctx, t, heading, graph, f.shape)
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		if r.Changed() == 0 {
			return err
		}
		return withResume(err, "what is written stays: the same command goes on from there")
	}
	if c.done != "" {
		tell(a.streams.Err, "%s\n", c.done)
	}
	if c.next != "" {
		tell(a.streams.Err, "Next: %s\n", a.here(c.next))
	}
	return nil
}

func (a *app) planChange(ctx context.Context, t *target, f *changeFlags, c change) error {
	build := func(t *target) (*step.Graph, error) {
		steps, err := c.steps(t)
		if err != nil {
			return nil, err
		}
		return step.New(steps...)
	}
	p, err := planWrites(ctx, t, build, func(opt *step.Options) { opt.Timeout = planTimeout })
	if err != nil {
		return err
	}
	for _, note := range c.notes {
		tell(a.streams.Err, "Note: %s\n", note)
	}
	if err := a.printPlan(p, f.output, c.kind, fmt.Sprintf("What hcctl %s would change on %s", c.command, t)); err != nil {
		return err
	}
	if f.output == "" {
		tell(a.streams.Err, "Nothing was changed.\n")
	}
	return p.verdict()
}

// given is the value of an int32 flag, nil if it was not given.
func given(cmd *cobra.Command, flag string, value int32) *int32 {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return &value
}

// bindWait makes the flag --wait, which takes these values.
func bindWait(cmd *cobra.Command, wait *nodepool.Wait, values ...nodepool.Wait) {
	words, list := make([]string, 0, len(values)), ""
	for i, v := range values {
		words = append(words, string(v))
		if i > 0 {
			list += " or "
		}
		list += string(v)
	}
	cmd.Flags().StringVar((*string)(wait), "wait", string(*wait), "what to wait for: "+list)
	complete(cmd, "wait", words...)
}
