package hubrun

import (
	"context"
	"slices"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Change is one change of hosted clusters of the hub, or one wait for them.
type Change struct {
	Choice
	Run cmdutil.FleetFlags
	// Command is the name in events, such as "stop". Kind is the kind of the plan document.
	Command, Kind string
	// Ask begins the question, Heading the heading, each with "%s" for the clusters. Without Ask there is no
	// question.
	Ask, Heading string
	Destroys     bool
	// Wave and AtOnce divide the clusters into batches. A batch begins when the one before has succeeded.
	Wave   hub.Wave
	AtOnce int
	// Absent leaves out names that do not exist.
	Absent bool
	// Expect is the expected number of clusters, for a change that needs it while some are still being created;
	// else nil.
	Expect *each.Expectation
	// Warn returns a warning about a cluster before the change, or "".
	Warn func(*hub.Cluster) string
	// Steps returns the steps for one cluster.
	Steps func(*kube.Client, *hub.Cluster) ([]step.Step, error)
}

// Carry makes the change.
func (c Change) Carry(ctx context.Context, a *cmdutil.Factory) error {
	if err := a.Prompter.NeedsConsent(c.Command, c.Run.DryRun || !c.Destroys); err != nil {
		return err
	}
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	f, err := hub.Read(ctx, t.Client)
	if err != nil {
		return err
	}
	chosen, absent, err := c.of(a, f)
	if err == nil && len(absent) > 0 && !c.Absent {
		err = notFound(f, absent[0])
	}
	if err != nil {
		return err
	}
	var creating []string
	if c.Expect != nil && c.selects() {
		if err := c.Expect.Compare("hosted cluster", namesIn(chosen)); err != nil {
			return err
		}
		creating = namesIn(slices.DeleteFunc(slices.Clone(chosen), func(one *hub.Cluster) bool { return !one.Creating }))
		if c.Run.DryRun {
			c.Expect.Warn(a, len(namesIn(chosen)), creating)
		} else if err := c.Expect.Agree(a.Prompter.Yes, len(namesIn(chosen)), creating); err != nil {
			return err
		}
	}
	for _, name := range absent {
		cmdutil.Tell(a.Streams.Err, "Hosted cluster %s/%s does not exist on the hub.\n", name.Namespace, name.Name)
	}
	if len(absent) > 0 && len(chosen) == 0 {
		return cmdutil.Say(a.Streams.Err, "There is nothing to do.\n")
	}
	if len(chosen) == 0 {
		cmdutil.Tell(a.Streams.Err, "No hosted clusters of this hub match.\n")
		if c.Ask == "" {
			return cmdutil.Missing(errNothing, "%s lists all hosted clusters of the hub",
				hint.Run("get clusters").Flag("hub").Flag("A"))
		}
		return nil
	}
	for _, one := range chosen {
		if c.Warn == nil {
			break
		}
		if text := c.Warn(one); text != "" {
			a.Notices.Warn(text, hint.Text{})
		}
	}
	w := each.Work{Command: c.Command, Kind: c.Kind, Heading: c.Heading, Through: "through the hub", Waits: c.Ask == ""}
	c.prepare(&w, chosen)
	if c.Ask != "" {
		w.Question = c.question(chosen, creating, t)
	}
	return each.Through(ctx, a, t, namesOf(chosen), c.Run, w)
}

// question returns one question for all clusters, with their names.
func (c Change) question(chosen []*hub.Cluster, creating []string, t *cmdutil.Target) *cmdutil.Question {
	q := &cmdutil.Question{Ask: cmdutil.Textf(c.Ask+" (%s), through the hub, %s?",
		plural.Count(len(chosen), "hosted cluster"), subjects(chosen), t.Named())}
	if c.Destroys {
		q.Command, q.Destroys, q.Count = c.Command, true, len(chosen)
		if line := each.StillCreated(creating); line != "" {
			q.Details = append(q.Details, line)
		}
	}
	return q
}

// prepare sets how the steps of each cluster are made, and the order of the waves.
func (c Change) prepare(w *each.Work, chosen []*hub.Cluster) {
	at, inOrder := map[fleet.ClusterName][]*hub.Cluster{}, []*hub.Cluster{}
	for _, one := range chosen {
		at[one.ClusterName()] = append(at[one.ClusterName()], one)
	}
	for _, rows := range at {
		one, err := hub.Current(rows)
		if err != nil {
			one = rows[0] // its steps return this error
		}
		inOrder = append(inOrder, one)
	}
	w.Prepare = func(_ context.Context, t *cmdutil.Target, n fleet.ClusterName) (each.Change, error) {
		one, err := hub.Current(at[n])
		if err != nil {
			return each.Change{}, err
		}
		steps, err := c.Steps(t.Client, one)
		return each.Change{Steps: steps}, err
	}
	if c.Wave != hub.NoWave || c.AtOnce > 0 {
		w.Order = func(steps []step.Step) []step.Step { return hub.InOrder(steps, c.Wave.Batches(inOrder, c.AtOnce)) }
	}
}
