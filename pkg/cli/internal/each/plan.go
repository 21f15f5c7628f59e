package each

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/step"
)

// plan prints what would be changed.
func (c *runner) plan(ctx context.Context, chosen []fleet.ClusterName) error {
	var p *prepared
	planned, err := cmdutil.PlanFleet(ctx, c.t, c.run, func(dry *cmdutil.Target) (steps []step.Step, err error) {
		if p, err = c.prepare(ctx, dry, chosen); err != nil {
			return nil, err
		}
		return p.steps(), nil
	})
	if err != nil || c.alone && p.only().None && c.run.Output == "" {
		return err
	}
	if !c.alone || len(p.Members) == 0 {
		p.tellRemoval()
	}
	p.tellNotes()
	if asksAboutCreating(c.selection) {
		c.selection.Expect.Warn(c.a, len(chosen), p.creating())
	}
	if c.Deletes && len(p.Members) == 0 && c.run.Output == "" {
		return c.nothing()
	}
	return cmp.Or(c.print(planned, p), planned.Verdict())
}

func (c *runner) print(planned *cmdutil.Planned, p *prepared) error {
	if c.alone && c.PrintOne != nil {
		return c.PrintOne(c.t, planned, p.only())
	}
	would := "change " + cmp.Or(c.Through, "on")
	if c.Deletes {
		would = "remove from"
	}
	title := fmt.Sprintf("What hcctl %s would %s %s", c.Command, would, c.t)
	if planned.Noun = runNoun(c.noun); !c.alone {
		for _, m := range p.Members {
			planned.Removes(m.Subject(), p.changes[m.Subject()].Lost, p.changes[m.Subject()].Outside)
		}
		return c.a.Plans.PrintFleet(planned, c.Kind, title, c.run.Output)
	}
	err := c.a.Plans.Print(planned, c.run.Output, c.Kind, title)
	if err == nil && c.run.Output == "" {
		cmdutil.Tell(c.a.Streams.Err, "Nothing was changed.\n")
	}
	return err
}

// runNoun returns the word for a subject of a run; empty for a hosted cluster.
func runNoun(noun string) string {
	if noun == clusterNoun {
		return ""
	}
	return noun
}
