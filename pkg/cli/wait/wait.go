// Package wait implements hcctl wait cluster and wait nodepool.
package wait

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// New returns the command wait.
func New(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("wait", "Wait until a hosted cluster or a node pool reaches a state", newWaitCluster(a),
		newWaitNodePool(a))
	cmd.GroupID = "hosted"
	return cmd
}

// waitFlags are the flags of both wait commands.
type waitFlags struct {
	goals     []string
	stableFor time.Duration
	cmdutil.ChangeFlags
}

func (w *waitFlags) bind(cmd *cobra.Command, forms []string) {
	f := cmd.Flags()
	f.StringSliceVar(&w.goals, "for", w.goals, "what to wait for: "+strings.Join(forms, ", ")+
		"; repeatable, all of them have to be true")
	cmdutil.TimeoutFlag(f, &w.Timeout, 30*time.Minute, "time limit for the whole wait")
	f.DurationVar(&w.TroubleTimeout, "trouble-timeout", config.Default().TroubleTimeout,
		"how long the same problem, such as a VM that fits on no node, may last before it gives up; 0 means until the "+
			"timeout")
	cmdutil.OutputFlag(cmd, &w.Output, "json", cmdutil.FormatJUnit)
	words := make([]string, 0, len(forms))
	for _, form := range forms {
		word, _, _ := strings.Cut(form, "=")
		if word != form {
			word += "="
		}
		words = append(words, word)
	}
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions(words,
		cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

func (w *waitFlags) validate() error {
	return cmdutil.Times(w.Timeout, w.TroubleTimeout)
}

func newWaitCluster(a *cmdutil.Factory) *cobra.Command {
	w, several, through := waitFlags{goals: []string{string(options.WaitComplete)},
		stableFor: options.Defaults().StableFor}, each.Flags{}, false
	cmd := &cobra.Command{
		Use:   each.Use,
		Short: "Wait until a hosted cluster reaches a state",
		Long: `wait cluster waits for a hosted cluster that exists, milestone by milestone as create cluster does: until
its API server answers (api), its nodes are ready (nodes), its operators have rolled out (complete), status has
called it healthy for --stable-for (healthy), it has completed a version,
	a condition of the HostedCluster has a status, or it is deleted.

It ends at once in a state that waiting does not fix (exit code 5), and after --timeout with the latest information
on what is missing (exit code 4). While it waits for a condition to be False or Unknown, only the timeout ends it.

With --hub it waits for hosted clusters of any management cluster of a hub, for what their sites report: api, nodes,
complete, deleted, a version, and the conditions Available, Degraded and ValidConfiguration.`,
		Example: `  hcctl wait cluster kv-00
  hcctl wait cluster kv-00 --for api --timeout 10m
  hcctl wait cluster kv-00 --for healthy --stable-for 2m
  hcctl wait cluster kv-00 --for version=4.20.4,condition=Degraded=False
  hcctl wait cluster kv-00 kv-01 --for deleted
  hcctl wait cluster -l fleet=lab --for nodes`,
		Args: several.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			goals, err := follow.ParseClusterGoals(w.goals...)
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			healthy := slices.Contains(w.goals, string(options.WaitHealthy))
			if err := errors.Join(w.validate(), cmdutil.CheckStableFor(cmd.Flags(), w.stableFor, "--for healthy",
				healthy)); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if through {
				return waitThroughHub(cmd, a, &several, args, goals, w)
			}
			return waitClusters(cmd.Context(), a, &several, args, goals, w)
		},
	}
	several.Bind(cmd)
	hubrun.Bind(cmd, &through)
	cmdutil.StableForFlag(cmd.Flags(), &w.stableFor, "--for healthy")
	w.bind(cmd, follow.ClusterGoals())
	return cmd
}

// waitThroughHub waits for hosted clusters of a hub.
func waitThroughHub(cmd *cobra.Command, a *cmdutil.Factory, several *each.Flags, names []string, goals []follow.Goal,
	w waitFlags) error {
	if _, err := hub.WaitFor(nil, &hub.Cluster{}, goals); err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	return hubrun.Change{Choice: hubrun.Choice{Names: names, Selector: several.Selector, All: several.All},
		Command: "wait cluster",
		Run:     w.Fleet(several.Parallel), Heading: "Waiting for %s",
		Absent: goals[0].Name == "deleted",
		Steps: func(c *kube.Client, one *hub.Cluster) ([]step.Step, error) {
			return hub.WaitFor(c, one, goals)
		}}.Carry(cmd.Context(), a)
}

func newWaitNodePool(a *cmdutil.Factory) *cobra.Command {
	w := waitFlags{goals: []string{"ready"}}
	cmd := &cobra.Command{
		Use:   "nodepool NAME",
		Short: "Wait until a node pool reaches a state",
		Long: `wait nodepool waits for a node pool that exists: until all its VMs and nodes are ready and it is not updating
(ready), it has the given number of nodes, all of them run a version, a condition of the NodePool has a status, or it
is deleted.

It ends at once in a state that waiting does not fix (exit code 5), and after --timeout with the latest information
on what is missing (exit code 4).`,
		Example: `  hcctl wait nodepool kv-00
  hcctl wait nodepool kv-00 --for replicas=5 --timeout 15m
  hcctl wait nodepool kv-00 --for deleted`,
		Args: cmdutil.OneName("node pool"),
		RunE: func(cmd *cobra.Command, args []string) error {
			goals, err := follow.ParsePoolGoals(w.goals...)
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := w.validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return waitNodePool(cmd.Context(), a, args[0], goals, w)
		},
	}
	w.bind(cmd, follow.PoolGoals())
	return cmd
}

// warnCluster warns about what may block a wait for a hosted cluster. It returns an error for a goal that a
// hosted cluster cannot have.
func warnCluster(a *cmdutil.Factory, hc *hyperv1.HostedCluster, goals []follow.Goal, now time.Time) error {
	unknown, err := follow.CheckClusterConditions(hc, goals)
	if err != nil {
		return cmdutil.NameFlags(err)
	}
	warnUnknown(a, unknown, "hosted cluster")
	warnPaused(a, hostedcluster.CheckNotPaused(hc, nil, now))
	return nil
}

// waitClusters waits until each hosted cluster has reached its goals.
func waitClusters(ctx context.Context, a *cmdutil.Factory, several *each.Flags, names []string, goals []follow.Goal,
	w waitFlags) error {
	var mu sync.Mutex
	return each.CarryOut(ctx, a, several, &w.ChangeFlags, names, each.Work{Command: "wait cluster", Waits: true,
		Heading: "Waiting for %s",
		Prepare: func(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName) (each.Change, error) {
			if goals[0].Name != "deleted" {
				hc, err := hostedcluster.Find(ctx, t.Reader(t.SharedReads.Cache(ctx)), one.Namespace, one.Name)
				if err != nil {
					return each.Change{}, err
				}
				mu.Lock()
				defer mu.Unlock()
				if err := warnCluster(a, hc, goals, t.Now()); err != nil {
					return each.Change{}, err
				}
			}
			f := follow.New(t.Client, one.Namespace, one.Name)
			f.StableFor = w.stableFor
			return each.Change{Heading: cmdutil.Textf("Waiting for hosted cluster %s/%s on %s", one.Namespace, one.Name, t),
				Steps: f.GoalSteps(goals)}, nil
		}})
}

func waitNodePool(ctx context.Context, a *cmdutil.Factory, name string, goals []follow.Goal, w waitFlags) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a.Call)
	return each.Only(ctx, a, t, &w.ChangeFlags, each.Work{Command: "wait nodepool", Waits: true,
		Prepare: func(ctx context.Context, t *cmdutil.Target, _ fleet.ClusterName) (each.Change, error) {
			if goals[0].Name != "deleted" {
				np, err := hostedcluster.FindPool(ctx, t.Reader(t.SharedReads.Cache(ctx)), namespace, name)
				if err != nil {
					return each.Change{}, err
				}
				unknown, err := follow.CheckPoolConditions(np, goals)
				if err != nil {
					return each.Change{}, err
				}
				warnUnknown(a, unknown, "node pool")
				warnPaused(a, hostedcluster.CheckNotPaused(nil, np, t.Now()))
			}
			return each.Change{Heading: cmdutil.Textf("Waiting for node pool %s/%s on %s", namespace, name, t),
				Steps: follow.PoolGoalSteps(t.Client, namespace, name, goals)}, nil
		}})
}

// warnUnknown warns about conditions that may never appear, so that only the timeout would end the wait.
func warnUnknown(a *cmdutil.Factory, conditions []string, thing string) {
	for _, c := range conditions {
		a.Notices.Warn(fmt.Sprintf("--for condition=%s: the %s has no such condition, and this hcctl does not know it", c,
			thing),
			hint.New("hcctl waits for it nevertheless; Ctrl-C ends that"))
	}
}

// warnPaused warns that an operator does not work on a paused object, and how to resume it.
func warnPaused(a *cmdutil.Factory, err error) {
	if paused := (*hostedcluster.PausedError)(nil); errors.As(err, &paused) {
		a.Notices.Warn(fmt.Sprintf("%s is paused %s (spec.pausedUntil): its operator changes nothing meanwhile, so that the "+
			"wait may end only with its time", paused.Object, paused.Pause), paused.Resume)
	}
}
