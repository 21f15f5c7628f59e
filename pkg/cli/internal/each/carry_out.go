// Package each changes hosted clusters, node pools or other objects, or waits for them: one that is named alone is
// shown step by step, several with a line for each, prepared and changed several at a time, each failing for itself.
package each

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// Work is what is done to each object, such as a hosted cluster.
type Work struct {
	// Command is its name in events, such as "pause cluster", Kind that of the plan document.
	Command, Kind string
	// Ask begins the question, and Heading the heading of a run over several, each with "%s" for the clusters, such as
	// "Pause %s and their node pools".
	Ask, Heading string
	// Next is the command after a run over several, if there is a useful one.
	Next hint.Text
	// Strict is whether nothing is changed if one of those that are named does not exist.
	Strict bool
	// Waits is whether nothing is changed: nothing is asked, and it is an error if there is nothing to wait for.
	Waits bool
	// Prepare decides on the change of one object, reading only, with the client of the target. A dry run has one that
	// changes nothing.
	Prepare func(context.Context, *cmdutil.Target, fleet.ClusterName) (Change, error)
}

// Change is the change of one object.
type Change struct {
	// Question is the confirmation on a terminal, on one line, below the lines of Details. Destroys is whether the change
	// destroys something, so that it needs --yes without a terminal.
	Question cmdutil.Text
	Details  []cmdutil.Text
	Destroys bool
	// Word is what a user types to agree, such as the cluster's name; empty for y.
	Word string
	// About says in one line what is changed, for a question about several clusters.
	About cmdutil.Text
	// Heading is printed before the run, Notes after the heading, Done at the end.
	Heading cmdutil.Text
	Done    string
	Notes   []string
	// Next is the next command, if there is a useful one.
	Next hint.Text
	// None is whether there is nothing to change, and nothing to say about a run.
	None  bool
	Steps []step.Step
}

// CarryOut makes the change in the clusters or pools of the command line. The error has the gravest exit code of all.
func CarryOut(ctx context.Context, a *cmdutil.Factory, f *Flags, flags *cmdutil.ChangeFlags, names []string,
	w Work) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	if f.Chosen, err = f.Choose(ctx, a, t, names); err != nil {
		return err
	}
	if len(f.Chosen) == 0 && w.Waits {
		return cmdutil.Missing(errors.New("there is nothing to wait for"),
			"%s lists all hosted clusters with their labels", hint.Run("get clusters").Flag("A").Flag("show-labels"))
	}
	if len(f.Chosen) == 0 && flags.Output == "" {
		return nil
	}
	c := carrier{Work: w, a: a, t: t, flags: flags, parallel: f.Parallel, noun: f.noun(), alone: f.One(names)}
	return c.carryOut(ctx, f.Chosen)
}

// Only makes the change of one object. Its name is only in the texts of the change.
func Only(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, flags *cmdutil.ChangeFlags, w Work) error {
	c := carrier{Work: w, a: a, t: t, flags: flags, alone: true}
	return c.carryOut(ctx, []fleet.ClusterName{{}})
}

// carrier carries out a work.
type carrier struct {
	Work
	a        *cmdutil.Factory
	t        *cmdutil.Target
	flags    *cmdutil.ChangeFlags
	parallel int
	noun     string
	// alone is whether the command line names one object, whose texts are about it alone.
	alone bool
}

func (c *carrier) carryOut(ctx context.Context, chosen []fleet.ClusterName) error {
	if c.flags.DryRun {
		return c.plan(ctx, chosen)
	}
	p, err := c.prepare(ctx, c.t, chosen)
	if err != nil {
		return err
	}
	if c.alone && p.only().None && c.flags.Output == "" {
		return nil
	}
	if p.able() > 0 && !c.Waits {
		if err := c.a.Prompter.Consent(ctx, p.question()); err != nil {
			return err
		}
	}
	next, err := c.run(ctx, p)
	if err != nil || c.flags.Output != "" {
		return err
	}
	if c.alone && p.only().Done != "" {
		cmdutil.Tell(c.a.Streams.Err, "%s\n", p.only().Done)
	}
	if !next.IsZero() {
		cmdutil.Tell(c.a.Streams.Err, "Next: %s\n", c.a.Call.Render(next))
	}
	return nil
}

// run runs the steps of the changes, and returns the next command.
func (c *carrier) run(ctx context.Context, p *prepared) (next hint.Text, err error) {
	resume := hint.New("what is written stays: the same command continues from there")
	if c.Waits {
		resume = hint.New("run the same command again to keep waiting")
	}
	if !c.alone {
		p.tellNotes()
		_, err := c.a.Runner.RunFleet(ctx, c.t, p.Steps(), cmdutil.FleetRun{FleetFlags: c.flags.Fleet(c.parallel),
			Command: c.Command, Heading: cmdutil.Textf(c.Heading+" on %s", plural.Count(len(p.Members), c.noun), c.t),
			Noun: runNoun(c.noun), Resume: resume})
		return c.Next, err
	}
	one := p.only()
	if c.flags.Output != "" {
		p.tellNotes()
	} else {
		one.Heading = cmdutil.Lines(append([]cmdutil.Text{one.Heading}, cmdutil.Notes(one.Notes)...)...)
	}
	r, err := c.a.Runner.Run(ctx, c.t, cmdutil.Run{Steps: one.Steps, Timeout: c.flags.Timeout, Heading: one.Heading,
		Shape:  func(o *step.Options) { o.TroubleTimeout = c.flags.TroubleTimeout },
		Output: c.flags.Output, Command: c.Command, Next: cmdutil.AfterSuccess(one.Next)})
	if err == nil && r.Err() != nil && r.Changed() > 0 && c.flags.Output == "" {
		return hint.Text{}, cmdutil.WithResume(r.Err(), "%s", resume)
	}
	return one.Next, cmp.Or(err, r.Err())
}

// plan prints what would be changed.
func (c *carrier) plan(ctx context.Context, chosen []fleet.ClusterName) error {
	var p *prepared
	planned, err := cmdutil.PlanFleet(ctx, c.t, c.flags.Fleet(c.parallel),
		func(dry *cmdutil.Target) (steps []step.Step, err error) {
			if p, err = c.prepare(ctx, dry, chosen); err != nil {
				return nil, err
			}
			if c.alone {
				return p.only().Steps, nil
			}
			return p.Steps(), nil
		})
	if err != nil || c.alone && p.only().None && c.flags.Output == "" {
		return err
	}
	p.tellNotes()
	title := fmt.Sprintf("What hcctl %s would change on %s", c.Command, c.t)
	if planned.Noun = runNoun(c.noun); !c.alone {
		err = c.a.Plans.PrintFleet(planned, c.Kind, title, nil, c.flags.Output)
	} else if err = c.a.Plans.Print(planned, c.flags.Output, c.Kind, title); err == nil && c.flags.Output == "" {
		cmdutil.Tell(c.a.Streams.Err, "Nothing was changed.\n")
	}
	return cmp.Or(err, planned.Verdict())
}

// runNoun is what a subject of a run is; empty for a cluster.
func runNoun(noun string) string {
	if noun == clusterNoun {
		return ""
	}
	return noun
}

// prepared are the changes, by the names of their objects.
type prepared struct {
	*fleet.Each
	carrier *carrier
	t       *cmdutil.Target
	changes map[string]Change
}

// prepare decides on the change of each object. The error is one of all, or of the only one.
func (c *carrier) prepare(ctx context.Context, t *cmdutil.Target, chosen []fleet.ClusterName) (*prepared, error) {
	var mu sync.Mutex
	p := &prepared{carrier: c, t: t, changes: map[string]Change{}}
	if c.Waits {
		t.SharedReads = informer.NewSharedReads(ctx)
	}
	var err error
	run := c.flags.Fleet(c.parallel)
	p.Each, err = fleet.PrepareEach(ctx, chosen, run.ParallelReads(),
		func(one fleet.ClusterName) ([]step.Step, error) {
			change, err := c.Prepare(ctx, t, one)
			if err != nil {
				return nil, cmdutil.NameFlags(err)
			}
			mu.Lock()
			defer mu.Unlock()
			p.changes[one.Namespace+"/"+one.Name] = change
			return change.Steps, nil
		})
	var absent []error
	for _, m := range p.Members {
		if c.alone {
			return p, cmp.Or(m.Err, err)
		}
		if c.Strict && hostedcluster.IsNotFound(m.Err) {
			absent = append(absent, m.Err)
		}
	}
	return p, cmp.Or(err, errors.Join(absent...))
}

// only is the change of an object that is named alone.
func (p *prepared) only() Change { return p.changes[p.Members[0].Subject()] }

// able is how many of them the command can change.
func (p *prepared) able() int {
	n := 0
	for _, m := range p.Prepared() {
		if !p.changes[m.Subject()].None {
			n++
		}
	}
	return n
}

// question asks once for all, and names each with what is said of it. If it destroys something in more than one, the
// answer is their number.
func (p *prepared) question() cmdutil.Question {
	w := p.carrier.Work
	if p.carrier.alone {
		one := p.only()
		q := cmdutil.Question{Command: w.Command, Destroys: one.Destroys, Details: one.Details, Ask: one.Question}
		q.Word = one.Word
		return q
	}
	q := cmdutil.Question{Command: w.Command,
		Ask: cmdutil.Textf(w.Ask+", on %s?", plural.Count(p.able(), p.carrier.noun), p.t.Named())}
	for _, m := range p.Members {
		if m.Err != nil {
			q.Details = append(q.Details, cmdutil.Textf("  %s: left as it is: %s", m.Subject(), cmdutil.Sentence(m.Err)))
			continue
		}
		c := p.changes[m.Subject()]
		if c.None {
			continue
		}
		q.Destroys = q.Destroys || c.Destroys
		line := cmdutil.Textf("  %s", m.Subject())
		if c.About != "" {
			line += ": " + c.About
		}
		q.Details = append(q.Details, line)
		for _, detail := range c.Details {
			q.Details = append(q.Details, "  "+detail)
		}
	}
	if q.Destroys {
		q.Count = p.able()
	}
	return q
}

// tellNotes prints the notes on each.
func (p *prepared) tellNotes() {
	for _, m := range p.Members {
		for _, note := range p.changes[m.Subject()].Notes {
			if p.carrier.alone {
				cmdutil.Tell(p.carrier.a.Streams.Err, "Note: %s\n", note)
			} else {
				cmdutil.Tell(p.carrier.a.Streams.Err, "Note on %s: %s\n", m.Subject(), note)
			}
		}
	}
}
