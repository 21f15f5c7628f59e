package each

import (
	"context"
	"fmt"
	"sync"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
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
	// Prepare decides on the change of one cluster, reading only, with the client of the target.
	Prepare func(context.Context, *cmdutil.Target, fleet.ClusterName) (cmdutil.Change, error)
}

// CarryOut makes the change in the hosted clusters of the command line. One that is named alone is shown step by step,
// several with one line for each. The error has the gravest exit code of all.
func (f *Flags) CarryOut(ctx context.Context, a *cmdutil.Factory, change *cmdutil.ChangeFlags, names []string,
	w Work) error {
	t, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	if f.One(names) {
		c, err := w.Prepare(ctx, t, fleet.ClusterName{Namespace: cmdutil.ClustersNamespace(a), Name: names[0]})
		if err != nil {
			return err
		}
		return a.CarryOut(ctx, t, change, c)
	}
	chosen, err := f.Chosen(ctx, a, t, names)
	if err != nil || len(chosen) == 0 && change.Output == "" {
		return err
	}
	if change.DryRun {
		return f.plan(ctx, a, t, change, chosen, w)
	}
	prepared, changes, err := prepare(ctx, t, chosen, change.Fleet(f.parallel), w)
	if err != nil {
		return err
	}
	if len(prepared.Prepared()) > 0 {
		if err := a.Consent(ctx, question(prepared, changes, t, w)); err != nil {
			return err
		}
	}
	tellNotes(a, prepared, changes)
	_, err = a.RunFleet(ctx, t, prepared.Steps(), cmdutil.FleetRun{
		FleetFlags: change.Fleet(f.parallel), Command: w.Command,
		Heading: cmdutil.Textf(w.Heading+" on %s", count(len(chosen)), t),
		Resume:  "what is written stays: the same command continues from there"})
	if err == nil && w.Next != "" && change.Output == "" {
		cmdutil.Tell(a.Streams.Err, "Next: %s\n", a.WithConnection(w.Next))
	}
	return err
}

// count is a number of hosted clusters in words.
func count(n int) string { return plural.Count(n, "hosted cluster") }

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
func question(prepared *fleet.Each, changes map[string]cmdutil.Change, t *cmdutil.Target, w Work) cmdutil.Question {
	q := cmdutil.Question{}
	var details []cmdutil.Text
	able := prepared.Prepared()
	for _, m := range prepared.Members {
		if m.Err != nil {
			details = append(details, cmdutil.Textf("  %s: left as it is: %s", m.Subject(), cmdutil.Sentence(m.Err)))
			continue
		}
		c := changes[m.Subject()]
		q.Destroys = q.Destroys || c.Destroys
		details = append(details, cmdutil.Textf("  %s%s", m.Subject(), about(c)))
		for _, line := range c.Details {
			details = append(details, "  "+line)
		}
	}
	ask := cmdutil.Textf(w.Ask+", on %s?", count(len(able)), t.Named())
	if q.Destroys {
		q = cmdutil.Destruction(w.Command, ask, details...)
		q.Count = len(able)
	}
	q.Details, q.Ask = details, ask
	return q
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
	p, err := a.PlanFleet(ctx, t, change.Fleet(f.parallel), func(dry *cmdutil.Target) (steps []step.Step, err error) {
		if prepared, changes, err = prepare(ctx, dry, chosen, change.Fleet(f.parallel), w); err != nil {
			return nil, err
		}
		return prepared.Steps(), nil
	})
	if err != nil {
		return err
	}
	tellNotes(a, prepared, changes)
	title := fmt.Sprintf("What hcctl %s would change on %s", w.Command, t)
	if err := a.PrintFleetPlan(p, w.Kind, title, nil, change.Output); err != nil {
		return err
	}
	return p.Verdict()
}
