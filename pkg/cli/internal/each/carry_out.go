// Package each changes hosted clusters, node pools or other objects, or waits for them. A single named object is
// shown step by step; several have one line each, run in parallel, and fail independently.
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

// Work describes what is done to each object, such as a hosted cluster.
type Work struct {
	// Command is the name of the work in events, such as "pause". Kind is the kind of its plan document.
	Command, Kind string
	// Ask begins the question, Heading the heading of a run over several. Each has "%s" for the clusters, such
	// as "Pause %s and their node pools".
	Ask, Heading string
	// Question replaces the question that is made from the changes of several objects; it may be nil.
	Question *cmdutil.Question
	// Through says how the clusters are reached, such as "through the hub"; empty for the cluster itself.
	Through string
	// Next is the command to suggest after a run over several objects, if any.
	Next hint.Text
	// Strict changes nothing if one of the named objects does not exist. IgnoreAbsent leaves such objects out.
	Strict, IgnoreAbsent bool
	// Waits is set for work that only waits: it asks nothing, and returns an error if there is nothing to wait
	// for.
	Waits bool
	// Deletes is set for work that removes hosted clusters; it changes the texts.
	Deletes bool
	// Begin reads what all changes need; it may be nil.
	Begin func(context.Context, *cmdutil.Target, []fleet.ClusterName) error
	// Prepare decides the change of one object. It only reads, with the client of the target; in a dry run that
	// client changes nothing.
	Prepare func(context.Context, *cmdutil.Target, fleet.ClusterName) (Change, error)
	// Order sorts the steps of several objects; it may be nil.
	Order func([]step.Step) []step.Step
	// PrintOne prints the plan of a single named object in its own format; it may be nil.
	PrintOne func(*cmdutil.Target, *cmdutil.Planned, Change) error
	// Ended is called for each object whose change succeeded; it may be nil.
	Ended func(context.Context, *cmdutil.Target, fleet.ClusterName)
}

// Change is the change of one object.
type Change struct {
	// Question is the confirmation on a terminal, on one line, below the lines of Details. Destroys is set if
	// the change destroys something, so that it needs --yes without a terminal.
	Question cmdutil.Text
	Details  []cmdutil.Text
	Destroys bool
	// Word is what the user types to agree, such as the cluster's name; empty for y.
	Word string
	// About describes the change in one line, for a question about several clusters.
	About cmdutil.Text
	// Heading is printed before the run, Notes after the heading, Done at the end.
	Heading cmdutil.Text
	Done    string
	Notes   []string
	// Next is the next command to suggest, if any. Again is the command that continues after a failure.
	Next, Again hint.Text
	// Goes is set if the change continues after the run, so that Again is the next command.
	Goes bool
	// Exists returns, after an interruption, what exists now; it may be nil.
	Exists func() hint.Text
	// None is set if there is nothing to change and nothing to report about a run.
	None bool
	// Removal has more facts about a cluster that is deleted.
	Removal
	Steps []step.Step
}

// Removal holds what the user must know before a hosted cluster is deleted.
type Removal struct {
	// Creating is set if another client may still be creating the cluster.
	Creating bool
	// Outside lists what is deleted outside the cluster's own namespaces, Lost what is lost for good, Left what
	// stays and why.
	Outside, Lost, Left []string
}

// CarryOut makes the change in the clusters or pools of the command line. The error has the most severe exit
// code of all.
func CarryOut(ctx context.Context, a *cmdutil.Factory, f *Flags, flags *cmdutil.ChangeFlags, names []string,
	w Work) error {
	return Several(ctx, a, f, flags.Fleet(f.Parallel), names, w)
}

// Several is CarryOut with the flags of a run over many clusters.
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
	c := runner{Work: w, a: a, t: t, run: run, noun: noun(f), alone: f.One(names), selection: f}
	return c.carryOut(ctx, f.Chosen)
}

// Through makes the change in hosted clusters that the caller has chosen.
func Through(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, chosen []fleet.ClusterName,
	run cmdutil.FleetFlags, w Work) error {
	c := runner{Work: w, a: a, t: t, run: run, noun: clusterNoun, selection: &Flags{}}
	return c.carryOut(ctx, chosen)
}

// Only makes the change of one object, whose name is only in the texts of the change.
func Only(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, flags *cmdutil.ChangeFlags, w Work) error {
	c := runner{Work: w, a: a, t: t, run: flags.Fleet(0), alone: true, selection: &Flags{}}
	return c.carryOut(ctx, []fleet.ClusterName{{}})
}

// runner runs a Work.
type runner struct {
	Work
	a    *cmdutil.Factory
	t    *cmdutil.Target
	run  cmdutil.FleetFlags
	noun string
	// alone is set if the command line names exactly one object, so that the texts are about it alone.
	alone bool
	// selection holds the flags that chose the objects.
	selection *Flags
}

func (c *runner) carryOut(ctx context.Context, chosen []fleet.ClusterName) error {
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
	if p.changeable() > 0 && !c.Waits {
		if c.a.Prompter.Asks() {
			c.t.SharedReads = nil // the cached reads may be stale when the user answers
		}
		if err := c.a.Prompter.Consent(ctx, p.question()); err != nil {
			return err
		}
	}
	next, err := c.runSteps(ctx, p)
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

// nothing prints that there is nothing to delete. For a single named object that is printed already.
func (c *runner) nothing() error {
	if c.alone {
		return nil
	}
	return cmdutil.Say(c.a.Streams.Err, "There is nothing to delete.\n")
}

// resume returns how to continue after a failure.
func (c *runner) resume() hint.Text {
	switch {
	case c.Waits:
		return hint.New("run the same command again to keep waiting")
	case c.Deletes:
		return hint.New("what is deleted stays deleted: the same command continues with the rest")
	}
	return hint.New("what is written stays: the same command continues from there")
}

// runSteps runs the steps of the changes, and returns the next command.
func (c *runner) runSteps(ctx context.Context, p *prepared) (next hint.Text, err error) {
	if c.alone {
		return c.runOne(ctx, p)
	}
	p.tellNotes()
	r, err := c.a.Runner.RunFleet(ctx, c.t, p.steps(), cmdutil.FleetRun{FleetFlags: c.run, Command: c.Command,
		Heading: cmdutil.Textf(c.Heading+" %s %s", plural.Count(len(p.Members), c.noun), cmp.Or(c.Through, "on"), c.t),
		Noun:    runNoun(c.noun), Resume: c.resume()})
	for _, m := range p.Members {
		if c.Ended != nil && succeeded(r, m.Subject()) {
			c.Ended(context.WithoutCancel(ctx), c.t, fleet.ClusterName{Namespace: m.Namespace, Name: m.Name})
		}
	}
	return c.Next, err
}

// runOne runs the steps of the only change.
func (c *runner) runOne(ctx context.Context, p *prepared) (next hint.Text, err error) {
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

// succeeded reports whether all steps of a subject succeeded.
func succeeded(r step.Report, subject string) bool {
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
