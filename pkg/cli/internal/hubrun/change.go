package hubrun

import (
	"context"
	"fmt"
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
	// Command is its name in events, such as "stop cluster"; Kind that of the plan document.
	Command, Kind string
	// Ask begins the question, Heading the heading, each with "%s" for the clusters. Without Ask nothing is asked.
	Ask, Heading string
	Destroys     bool
	// Wave and AtOnce put the clusters into batches, each of which begins when the one before has ended well.
	Wave   hub.Wave
	AtOnce int
	// Absent is whether names that do not exist are left out.
	Absent bool
	// Expect is how many are expected, for a change that needs that number where some are still being created; else nil.
	Expect *each.Expectation
	// Warn says what to know of a cluster beforehand; empty for nothing.
	Warn func(*hub.Cluster) string
	// Steps are those for one cluster.
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
	build := func(client *kube.Client) ([]step.Step, error) { return c.build(ctx, client, chosen) }
	if c.Run.DryRun {
		return c.plan(ctx, a, t, build)
	}
	steps, err := build(t.Client)
	if err != nil {
		return err
	}
	if c.Ask != "" {
		ask := cmdutil.Textf(c.Ask+" (%s), through the hub, %s?", plural.Count(len(chosen), "hosted cluster"),
			subjects(chosen), t.Named())
		q := cmdutil.Question{Ask: ask}
		if c.Destroys {
			q = cmdutil.Destruction(c.Command, ask)
			if line := each.StillCreated(creating); line != "" {
				q.Details = append(q.Details, line)
			}
			q.Count = len(chosen)
		}
		if err := a.Prompter.Consent(ctx, q); err != nil {
			return err
		}
	}
	_, err = a.Runner.RunFleet(ctx, t, steps, cmdutil.FleetRun{FleetFlags: c.Run, Command: c.Command,
		Heading: cmdutil.Textf(c.Heading+" through the hub %s", plural.Count(len(chosen), "hosted cluster"), t),
		Resume:  hint.New("what is written stays: the same command continues from there")})
	return err
}

// build makes the steps of all clusters, in the order of the waves.
func (c Change) build(ctx context.Context, client *kube.Client, chosen []*hub.Cluster) ([]step.Step, error) {
	at, inOrder := map[fleet.ClusterName][]*hub.Cluster{}, []*hub.Cluster{}
	for _, one := range chosen {
		at[one.ClusterName()] = append(at[one.ClusterName()], one)
	}
	for _, rows := range at {
		one, err := hub.Current(rows)
		if err != nil {
			one = rows[0] // its steps are this error
		}
		inOrder = append(inOrder, one)
	}
	prepared, err := fleet.PrepareEach(ctx, namesOf(chosen), c.Run.ParallelReads(),
		func(n fleet.ClusterName) ([]step.Step, error) {
			one, err := hub.Current(at[n])
			if err != nil {
				return nil, err
			}
			return c.Steps(client, one)
		})
	if err != nil {
		return nil, err
	}
	steps := prepared.Steps()
	if c.Wave != hub.NoWave || c.AtOnce > 0 {
		steps = hub.InOrder(steps, c.Wave.Batches(inOrder, c.AtOnce))
	}
	return steps, nil
}

// plan says what the change would write.
func (c Change) plan(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target,
	build func(*kube.Client) ([]step.Step, error)) error {
	p, err := cmdutil.PlanFleet(ctx, t, c.Run, func(dry *cmdutil.Target) ([]step.Step, error) { return build(dry.Client) })
	if err != nil {
		return err
	}
	title := fmt.Sprintf("What hcctl %s would change through the hub %s", c.Command, t)
	if err := a.Plans.PrintFleet(p, c.Kind, title, nil, c.Run.Output); err != nil {
		return err
	}
	return p.Verdict()
}
