package each

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

// Work is what is done to each hosted cluster.
type Work struct {
	// Command is its name in events, such as "pause cluster", Kind that of the plan document.
	Command, Kind string
	// Ask begins the question, and Heading the heading of a run over several, each with "%s" for the clusters, such as
	// "Pause %s and their node pools".
	Ask, Heading string
	// Next is the command after a run over several, if there is a useful one.
	Next string
	// Strict is whether nothing is changed if one of those that are named does not exist.
	Strict bool
	// Prepare decides on the change of one cluster, reading only, with the client of the target.
	Prepare func(context.Context, *cmdutil.Target, fleet.ClusterName) (cmdutil.Change, error)
}

// CarryOut makes the change in the hosted clusters of the command line. One that is named alone is shown step by step,
// several with one line for each. The error has the gravest exit code of all.
func (f *Flags) CarryOut(ctx context.Context, a *cmdutil.Factory, change *cmdutil.ChangeFlags, names []string,
	w Work) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	if f.One(names) {
		c, err := w.Prepare(ctx, t, fleet.ClusterName{Namespace: cmdutil.ClustersNamespace(a.Call), Name: names[0]})
		if err != nil {
			return err
		}
		return change.CarryOut(ctx, a, t, c)
	}
	chosen, err := f.Chosen(ctx, a, t, names)
	if err != nil || len(chosen) == 0 && change.Output == "" {
		return err
	}
	f.chosen = chosen
	if change.DryRun {
		return f.plan(ctx, a, t, change, chosen, w)
	}
	prepared, changes, err := prepare(ctx, t, chosen, change.Fleet(f.parallel), w)
	if err != nil {
		return err
	}
	if err := absent(prepared, w); err != nil {
		return err
	}
	if able(prepared, changes) > 0 {
		if err := a.Prompter.Consent(ctx, question(prepared, changes, t, w, f.noun())); err != nil {
			return err
		}
	}
	tellNotes(a, prepared, changes)
	_, err = a.Runner.RunFleet(ctx, t, prepared.Steps(), cmdutil.FleetRun{
		FleetFlags: change.Fleet(f.parallel), Command: w.Command,
		Heading: cmdutil.Textf(w.Heading+" on %s", plural.Count(len(chosen), f.noun()), t), Noun: f.runNoun(),
		Resume: "what is written stays: the same command continues from there"})
	if err == nil && w.Next != "" && change.Output == "" {
		cmdutil.Tell(a.Streams.Err, "Next: %s\n", a.Call.WithConnection(w.Next))
	}
	return err
}

// runNoun is what a subject of a run is; empty for a cluster.
func (f *Flags) runNoun() string {
	if f.Pools {
		return f.noun()
	}
	return ""
}

// absent fails if the command must not go on because one of those that are named does not exist.
func absent(prepared *fleet.Each, w Work) error {
	var errs []error
	for _, m := range prepared.Members {
		if w.Strict && hostedcluster.IsNotFound(m.Err) {
			errs = append(errs, m.Err)
		}
	}
	return errors.Join(errs...)
}

// prepare decides on the change of each cluster. The changes are by the cluster's subject.
func prepare(ctx context.Context, t *cmdutil.Target, chosen []fleet.ClusterName, run cmdutil.FleetFlags,
	w Work) (*fleet.Each, map[string]cmdutil.Change, error) {
	var mu sync.Mutex
	changes := map[string]cmdutil.Change{}
	prepared, err := fleet.PrepareEach(ctx, chosen, run.ParallelReads(), func(one fleet.ClusterName) ([]step.Step, error) {
		c, err := w.Prepare(ctx, t, one)
		if err != nil {
			return nil, cmdutil.NameFlags(err)
		}
		mu.Lock()
		changes[one.Namespace+"/"+one.Name] = c
		mu.Unlock()
		return c.Steps(t)
	})
	return prepared, changes, err
}

// question asks once for all clusters, and names each with what is said of it. If it destroys something in more than
// one, the answer is their number.
func question(prepared *fleet.Each, changes map[string]cmdutil.Change, t *cmdutil.Target, w Work,
	noun string) cmdutil.Question {
	q := cmdutil.Question{}
	var details []cmdutil.Text
	number := able(prepared, changes)
	for _, m := range prepared.Members {
		if m.Err != nil {
			details = append(details, cmdutil.Textf("  %s: left as it is: %s", m.Subject(), cmdutil.Sentence(m.Err)))
			continue
		}
		c := changes[m.Subject()]
		if c.None {
			continue
		}
		q.Destroys = q.Destroys || c.Destroys
		details = append(details, cmdutil.Textf("  %s%s", m.Subject(), about(c)))
		for _, line := range c.Details {
			details = append(details, "  "+line)
		}
	}
	ask := cmdutil.Textf(w.Ask+", on %s?", plural.Count(number, noun), t.Named())
	if q.Destroys {
		q = cmdutil.Destruction(w.Command, ask, details...)
		q.Count = number
	}
	q.Details, q.Ask = details, ask
	return q
}

// able is how many of them the command can change.
func able(prepared *fleet.Each, changes map[string]cmdutil.Change) int {
	n := 0
	for _, m := range prepared.Prepared() {
		if !changes[m.Subject()].None {
			n++
		}
	}
	return n
}

// about is what is said of a change after the name of its cluster.
func about(c cmdutil.Change) cmdutil.Text {
	if c.About == "" {
		return ""
	}
	return ": " + c.About
}

// tellNotes tells the notes on each cluster.
func tellNotes(a *cmdutil.Factory, prepared *fleet.Each, changes map[string]cmdutil.Change) {
	for _, m := range prepared.Members {
		for _, note := range changes[m.Subject()].Notes {
			cmdutil.Tell(a.Streams.Err, "Note on %s: %s\n", m.Subject(), note)
		}
	}
}

// plan prints what would be changed in each cluster.
func (f *Flags) plan(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, change *cmdutil.ChangeFlags,
	chosen []fleet.ClusterName, w Work) error {
	var prepared *fleet.Each
	var changes map[string]cmdutil.Change
	p, err := cmdutil.PlanFleet(ctx, t, change.Fleet(f.parallel), func(dry *cmdutil.Target) (steps []step.Step, err error) {
		if prepared, changes, err = prepare(ctx, dry, chosen, change.Fleet(f.parallel), w); err != nil {
			return nil, err
		}
		return prepared.Steps(), nil
	})
	if err != nil {
		return err
	}
	if err := absent(prepared, w); err != nil {
		return err
	}
	tellNotes(a, prepared, changes)
	p.Noun = f.runNoun()
	title := fmt.Sprintf("What hcctl %s would change on %s", w.Command, t)
	if err := a.Plans.PrintFleet(p, w.Kind, title, nil, change.Output); err != nil {
		return err
	}
	return p.Verdict()
}
