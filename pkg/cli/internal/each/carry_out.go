// Package each changes hosted clusters, node pools or other objects, or waits for them: one that is named alone is
// shown step by step, several with a line for each, prepared and changed several at a time, each failing for itself.
package each

import (
	"cmp"
	"context"
	"errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/step"
)

// Work is what is done to each object, such as a hosted cluster.
type Work struct {
	// Command is its name in events, such as "pause", Kind that of the plan document.
	Command, Kind string
	// Ask begins the question, and Heading the heading of a run over several, each with "%s" for the clusters, such as
	// "Pause %s and their node pools".
	Ask, Heading string
	// Question is asked in place of one about each of several; it may be nil.
	Question *cmdutil.Question
	// Through is the way to the clusters, such as "through the hub"; empty for the cluster itself.
	Through string
	// Next is the command after a run over several, if there is a useful one.
	Next hint.Text
	// Strict is whether nothing is changed if one of those that are named does not exist. IgnoreAbsent leaves those out.
	Strict, IgnoreAbsent bool
	// Waits is whether nothing is changed: nothing is asked, and it is an error if there is nothing to wait for.
	Waits bool
	// Deletes is whether hosted clusters are removed, which the texts say.
	Deletes bool
	// Begin reads what the changes of all need; it may be nil.
	Begin func(context.Context, *cmdutil.Target, []fleet.ClusterName) error
	// Prepare decides on the change of one object, reading only, with the client of the target. A dry run has one that
	// changes nothing.
	Prepare func(context.Context, *cmdutil.Target, fleet.ClusterName) (Change, error)
	// Order puts the steps of several in order; it may be nil.
	Order func([]step.Step) []step.Step
	// PrintOne prints the plan of one that is named alone, if it has a form of its own; it may be nil.
	PrintOne func(*cmdutil.Target, *cmdutil.Planned, Change) error
	// Ended is called for each object whose change ended well; it may be nil.
	Ended func(context.Context, *cmdutil.Target, fleet.ClusterName)
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
	// Next is the next command, if there is a useful one; Again the one that continues after a failure.
	Next, Again hint.Text
	// Goes is whether the change goes on after the run, so that Again is the next command.
	Goes bool
	// Exists says after an interruption what exists now; it may be nil.
	Exists func() hint.Text
	// None is whether there is nothing to change, and nothing to say about a run.
	None bool
	// Removal is what else is to know of a cluster that is deleted.
	Removal
	Steps []step.Step
}

// Removal is what is to know before a hosted cluster is deleted.
type Removal struct {
	// Creating is whether somebody may still be creating it.
	Creating bool
	// Outside is what is deleted outside of its own namespaces, Lost what is lost for good, Left what stays and why.
	Outside, Lost, Left []string
}

// CarryOut makes the change in the clusters or pools of the command line. The error has the gravest exit code of all.
func CarryOut(ctx context.Context, a *cmdutil.Factory, f *Flags, flags *cmdutil.ChangeFlags, names []string,
	w Work) error {
	return Several(ctx, a, f, flags.Fleet(f.Parallel), names, w)
}

// Several is CarryOut with the flags of a run over many.
func Several(ctx context.Context, a *cmdutil.Factory, f *Flags, run cmdutil.FleetFlags, names []string, w Work) error {
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
	if len(f.Chosen) == 0 && run.Output == "" && !w.Deletes {
		return nil
	}
	c := carrier{Work: w, a: a, t: t, run: run, noun: noun(f), alone: f.One(names), selection: f}
	return c.carryOut(ctx, f.Chosen)
}

// Through makes the change in hosted clusters that were chosen elsewhere.
func Through(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, chosen []fleet.ClusterName,
	run cmdutil.FleetFlags, w Work) error {
	c := carrier{Work: w, a: a, t: t, run: run, noun: clusterNoun, selection: &Flags{}}
	return c.carryOut(ctx, chosen)
}

// Only makes the change of one object. Its name is only in the texts of the change.
func Only(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, flags *cmdutil.ChangeFlags, w Work) error {
	c := carrier{Work: w, a: a, t: t, run: flags.Fleet(0), alone: true, selection: &Flags{}}
	return c.carryOut(ctx, []fleet.ClusterName{{}})
}

// carrier carries out a work.
type carrier struct {
	Work
	a    *cmdutil.Factory
	t    *cmdutil.Target
	run  cmdutil.FleetFlags
	noun string
	// alone is whether the command line names one object, whose texts are about it alone.
	alone bool
	// selection is how the objects were chosen.
	selection *Flags
}

func (c *carrier) carryOut(ctx context.Context, chosen []fleet.ClusterName) error {
	if c.run.DryRun {
		return c.plan(ctx, chosen)
	}
	p, err := c.prepare(ctx, c.t, chosen)
	if err != nil {
		return err
	}
	if c.alone && p.only().None && c.run.Output == "" {
		return nil
	}
	p.tellRemoval()
	if len(p.Members) == 0 && c.Deletes && (!c.alone || c.run.Output == "") {
		return c.nothing()
	}
	if asksAboutCreating(c.selection) {
		if err := c.selection.Expect.Agree(c.a.Prompter.Yes, len(chosen), p.creating()); err != nil {
			return err
		}
	}
	if p.able() > 0 && !c.Waits {
		if c.a.Prompter.Asks() {
			c.t.SharedReads = nil // what was read may be old when the user answers
		}
		if err := c.a.Prompter.Consent(ctx, p.question()); err != nil {
			return err
		}
	}
	next, err := c.carry(ctx, p)
	if err != nil || c.run.Output != "" {
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

// nothing says that nothing is to be deleted; of one that is named alone it has been said.
func (c *carrier) nothing() error {
	if c.alone {
		return nil
	}
	return cmdutil.Say(c.a.Streams.Err, "There is nothing to delete.\n")
}

// resume is how to continue after a failure.
func (c *carrier) resume() hint.Text {
	switch {
	case c.Waits:
		return hint.New("run the same command again to keep waiting")
	case c.Deletes:
		return hint.New("what is deleted stays deleted: the same command continues with the rest")
	}
	return hint.New("what is written stays: the same command continues from there")
}

// carry runs the steps of the changes, and returns the next command.
func (c *carrier) carry(ctx context.Context, p *prepared) (next hint.Text, err error) {
	if c.alone {
		return c.carryOne(ctx, p)
	}
	p.tellNotes()
	r, err := c.a.Runner.RunFleet(ctx, c.t, p.steps(), cmdutil.FleetRun{FleetFlags: c.run, Command: c.Command,
		Heading: cmdutil.Textf(c.Heading+" %s %s", plural.Count(len(p.Members), c.noun), cmp.Or(c.Through, "on"), c.t),
		Noun:    runNoun(c.noun), Resume: c.resume()})
	for _, m := range p.Members {
		if c.Ended != nil && endedWell(r, m.Subject()) {
			c.Ended(context.WithoutCancel(ctx), c.t, fleet.ClusterName{Namespace: m.Namespace, Name: m.Name})
		}
	}
	return c.Next, err
}

// carryOne runs the steps of the only change.
func (c *carrier) carryOne(ctx context.Context, p *prepared) (next hint.Text, err error) {
	one := p.only()
	if c.run.Output != "" {
		p.tellNotes()
	} else {
		one.Heading = cmdutil.Lines(append([]cmdutil.Text{one.Heading}, cmdutil.Notes(one.Notes)...)...)
	}
	r, err := c.a.Runner.Run(ctx, c.t, cmdutil.Run{Steps: one.Steps, Timeout: c.run.Timeout, Heading: one.Heading,
		Shape:  func(o *step.Options) { o.TroubleTimeout = c.run.TroubleTimeout },
		Output: c.run.Output, Command: c.Command, Next: func(r step.Report) hint.Text {
			if r.Err() != nil || one.Goes {
				return one.Again
			}
			return one.Next
		}})
	switch {
	case cmp.Or(err, r.Err()) == nil:
		for _, m := range p.Members {
			if c.Ended != nil {
				c.Ended(ctx, c.t, fleet.ClusterName{Namespace: m.Namespace, Name: m.Name})
			}
		}
	case err != nil || c.run.Output != "":
	case one.Exists != nil && ctx.Err() != nil:
		err = cmdutil.Interrupted(r.Err(), one.Exists())
	case !one.Again.IsZero():
		err = cmdutil.WithResume(r.Err(), "what is deleted stays deleted; the same command continues: %s", one.Again)
	case r.Changed() > 0:
		err = cmdutil.WithResume(r.Err(), "%s", c.resume())
	}
	return one.Next, cmp.Or(err, r.Err())
}

// endedWell reports whether all steps of a subject ended well.
func endedWell(r step.Report, subject string) bool {
	found := false
	for _, res := range r.Results {
		if res.Step.Subject != subject {
			continue
		}
		if found = true; !res.Good() {
			return false
		}
	}
	return found
}
