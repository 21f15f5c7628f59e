package density

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/create"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/fleet/density"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// densityFlags are the flags of density.
type densityFlags struct {
	density.Options
	file, output string
	wait         options.Wait
	dryRun       bool
}

// New returns the command density.
func New(a *cmdutil.Factory) *cobra.Command {
	var f densityFlags
	cmd := &cobra.Command{
		Use:     "density --count N",
		GroupID: "hosted",
		Short:   "Measure how many hosted clusters this management cluster carries, and how fast they come and go",
		Long: `density creates many hosted clusters from one template, several at a time, notes when each reached which
milestone, and deletes them again. The template is a Cluster document (--file); without one, its defaults. create
cluster --save-config writes one from flags. density reports P50, P95 and P99 (nearest rank) of each milestone and of
deletion, under the names and in the milliseconds of kube-burner, and writes into the directory --out: density.json with
every value, density.html with charts, and documents as kube-burner writes them.

It stops at the first sign of harm to the management cluster: pods that stay Pending (--max-pending), nodes that are
no longer ready or under pressure, cluster operators that degrade, an API server that refuses or fails; and before a
cluster for which there is no room on the nodes, in the load balancer's pools or by the hypershift addon's count. It
says which, with numbers, and exits with 3. --ignore leaves signs out.

--etcd-storage-class compares two classes in one run: the clusters have etcd on the one and the other in turn
(A B B A), and the results have the times of both, with their ratio.

It deletes only what has its run's label, hcctl.dev/density-run. After an interruption, the same command continues
from what is in the directory. --dry-run compares what the clusters would need with what is available, and changes
nothing; it exits with 3 if not all of them fit.`,
		Example: `  hcctl density --count 20 --dry-run
  hcctl density --count 20 --parallel 5 --wait complete
  hcctl density --count 20 --parallel 1 --wait api --etcd-storage-class fast,slow
  hcctl density --count 3 -f cluster.yaml --name "load-%02d" --out runs/monday --yes
  hcctl density --count 100 -f cluster.yaml --parallel 10 --keep -o json > density.json`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(f.Validate(), cmdutil.Times(f.Timeout, f.TroubleTimeout)); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			o := options.Defaults()
			o.Name, o.Wait = density.NameOf(f.Name, 0), f.wait
			cmd.Flags().Lookup("name").Changed = true // ignores a name in the file
			if len(f.EtcdClasses) > 0 {
				o.EtcdStorageClass = f.EtcdClasses[0]
			}
			template, err := (&create.Flags{File: f.file}).Validated(a, o, cmd.Flags())
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			f.Template = template.Given()
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return runDensity(cmd.Context(), a, f)
		},
	}
	f.bind(cmd, a)
	return cmd
}

func (f *densityFlags) bind(cmd *cobra.Command, a *cmdutil.Factory) {
	flags, limits := cmd.Flags(), density.DefaultLimits()
	flags.IntVar(&f.Count, "count", 0, fmt.Sprintf("how many hosted clusters, up to %d (required)", density.MaxClusters))
	flags.IntVar(&f.Parallel, "parallel", 5, "how many clusters to work on at once; 0 means all")
	flags.StringVar(&f.Name, "name", "density-%03d",
		"names of the clusters, with a place for the number, which begins at 0")
	flags.StringVarP(&f.file, "file", "f", "",
		"file with a document of kind Cluster, the template; - is standard input")
	a.Files.BindAllowed(flags)
	flags.StringSliceVar(&f.EtcdClasses, "etcd-storage-class", nil,
		"two StorageClasses of etcd's volumes to compare, with a comma in between: clusters have the one and the other in "+
			"turn")
	flags.StringVar((*string)(&f.wait), "wait", string(options.Defaults().Wait),
		"how far each cluster is followed: none, api, nodes or complete")
	flags.StringVar(&f.Out, "out", "hcctl-density", "directory for the record and the results; an unfinished run "+
		"continues from there")
	flags.StringVar(&f.Run, "run", "", "the run's ID, by default a new one; with that of a run whose directory is lost, "+
		"and another --out, its clusters are taken up by their label")
	flags.BoolVar(&f.Keep, "keep", false, "leave the clusters; the same command without it deletes them")
	flags.IntVar(&f.Limits.MaxPending, "max-pending", limits.MaxPending,
		"how many pods, in any namespace, may stay Pending for longer than --pending-grace; those from before the run do "+
			"not count")
	flags.DurationVar(&f.Limits.PendingGrace, "pending-grace", limits.PendingGrace,
		"how long a pod may be Pending without a node, or without any of its containers having started")
	flags.IntVar(&f.Limits.MaxErrors, "max-errors", limits.MaxErrors, "how many of hcctl's requests the API server may "+
		"answer with 429 or 5xx within a minute")
	flags.StringSliceVar(&f.Limits.Ignore, "ignore", nil, "signs of harm to leave out: "+
		strings.Join(density.StopRules(), ", ")+" (repeatable)")
	flags.DurationVar(&f.Limits.Interval, "interval", limits.Interval, "time between two checks of the management cluster")
	cmdutil.TimeoutFlag(flags, &f.Timeout, 30*time.Minute, "time limit for each cluster, from when its turn comes, "+
		"and each deletion")
	flags.DurationVar(&f.TroubleTimeout, "trouble-timeout", config.Default().TroubleTimeout,
		"how long the same problem, such as a VM that fits on no node, may last before density gives up on that cluster; 0 "+
			"means until its timeout")
	flags.StringSliceVar(&f.SkipPreflight, "skip-preflight", nil, "checks to leave out before the clusters are created, "+
		"by ID, or all (repeatable)")
	flags.BoolVar(&f.dryRun, "dry-run", false,
		"compare what the clusters would need with what is available, and change nothing")
	flags.BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before changing the cluster")
	cmdutil.OutputFlag(cmd, &f.output, "table", "json")
	cmdutil.Complete(cmd, "ignore", density.StopRules()...)
	cmdutil.CompleteWaits(cmd)
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	_ = cmd.MarkFlagDirname("out")
}

func runDensity(ctx context.Context, a *cmdutil.Factory, f densityFlags) error {
	a.Connection.Meter = &kube.Meter{}
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	f.ManagementCluster = density.ManagementCluster{Server: t.Server, OpenShift: t.OpenShift, Kubernetes: t.Version}
	f.Needs = cmdutil.WantedBy
	run, err := density.Open(ctx, f.Options, t.Client, a.Connection.Meter, f.dryRun)
	if err != nil {
		return err
	}
	defer run.Close()
	if !a.Streams.Screen().Redraw { // a printed line would break a live display; the end reports it again
		run.Notify = func(line string) { cmdutil.Tell(a.Streams.Err, "%s\n", line) }
	}
	if run.Resumed {
		cmdutil.Tell(a.Streams.Err, "Continuing run %s (%s) from %s\n", run.ID(), run.Record().Phase, f.Out)
	}
	if f.dryRun {
		return densityPreview(ctx, a, run, f)
	}
	return densityRun(ctx, a, t, run, f)
}

// densityRun continues a run to its end.
func densityRun(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, run *density.Run, f densityFlags) error {
	engine := func(ctx context.Context, heading string, g *step.Graph, shape func(*step.Options)) (step.Report, error) {
		return a.Runner.Run(ctx, t, cmdutil.Run{Graph: g, Shape: shape, Noun: "cluster",
			Heading: cmdutil.Textf("%s on %s", heading, t)})
	}
	var created, deleted step.Report
	if run.Record().Phase == density.Creating {
		apply, err := densityPrepare(ctx, a, t, run, f)
		if err != nil {
			return err
		}
		if created, err = run.Create(ctx, apply, engine); err != nil {
			return densityInterrupted(ctx, run, err)
		}
	}
	if !f.Keep {
		var err error
		if deleted, err = run.Delete(ctx, engine); err != nil {
			return densityInterrupted(ctx, run, err)
		}
	}
	if err := run.Finish(ctx); err != nil {
		return err
	}
	if err := densityResult(a, run, f); err != nil {
		return err
	}
	return densityVerdict(a, run, created, deleted)
}

// densityInterrupted returns the error of an interrupted run, with what exists and how to continue.
func densityInterrupted(ctx context.Context, run *density.Run, err error) error {
	left := run.Remaining()
	if ctx.Err() == nil || len(left) == 0 {
		return err
	}
	return cmdutil.Interrupted(ctx.Err(), hint.New("Run %s may have left %s (%s); %s removes them",
		run.ID(), plural.Count(len(left), "hosted cluster"), cmdutil.Few(left), densityRemoval(run)))
}

// densityRemoval returns the command that deletes the remaining clusters of a run.
func densityRemoval(run *density.Run) hint.Command {
	return hint.Run("delete clusters").Flag("l", density.RunLabel+"="+run.ID()).
		Flag("namespace", run.Record().Plan.Namespace)
}

// densityVerdict returns the outcome as an error. Failed deletions come first, then a stopped run, then clusters
// that failed.
func densityVerdict(a *cmdutil.Factory, run *density.Run, created, deleted step.Report) error {
	if err := deleted.Err(); err != nil {
		return cmdutil.AlreadyReported(err, "not all of it could be deleted: the same command continues")
	}
	if run.Record().Phase == density.Kept {
		cmdutil.Tell(a.Streams.Err,
			"Kept: %s. The same command without --keep, or %s, removes them.\n",
			plural.Count(len(run.Remaining()), "hosted cluster"),
			a.Call.Render(densityRemoval(run).Text()))
	}
	if stop := run.Record().Stop; stop != nil {
		return cmdutil.WithExit(cmdutil.ExitMissing, cmdutil.WithHint(
			fmt.Errorf("stopped by a sign of harm (%s): %s", stop.Name, stop.Message),
			"what was measured until then is in the results; %s says more of the management cluster, and "+
				"--ignore %s continues in spite of it", hint.Run("check"), stop.Name))
	}
	if err := created.Err(); err != nil {
		return cmdutil.AlreadyReported(err, "not all clusters came up: density.json says why")
	}
	return nil
}
