// Package status implements hcctl status, for one hosted cluster and for all.
package status

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/docs"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// statusFlags are the flags of status.
type statusFlags struct {
	output, selector string
	all              bool
	watch, problems  bool
	expiry           bool
	timeout          time.Duration
}

// wide reports whether the output leaves nothing out.
func (f *statusFlags) wide() bool { return f.output == "wide" }

// New returns the command status.
func New(a *cmdutil.Factory) *cobra.Command {
	f, through := &statusFlags{}, false
	cmd := &cobra.Command{
		Use:     "status [NAME]",
		GroupID: "hosted",
		Short:   "Show the health of a hosted cluster or of all of them, and what blocks it",
		Long: `status NAME shows a hosted cluster on one screen: its conditions, the pods of its control plane, its node
pools, their VMs, its own nodes and cluster operators. It compares them with what is wanted, counts what is healthy and
names everything else with the reason. It also names what it could not read: unknown never counts as good. Of a cluster
that is being deleted it says what that waits for. Of platforms other than KubeVirt it says that their machines are
not judged, which counts neither as good nor as bad. It changes nothing.

Without a name it shows all hosted clusters of the namespace (or with -A of all), one line each, the worst first,
with the message that says what blocks it. Of at most twenty clusters it reads what status NAME reads, so that both
say the same. Of more it reads HostedClusters and NodePools, two requests however many there are, and looks closer at
the first twenty that fail or are being deleted; a cluster that is well "by its conditions alone" was not looked at
closer.

With --problems it shows only what is not ok: of one cluster its parts, of many the clusters. -o wide leaves nothing
out: every part, whole messages, and for each of many clusters its API server, control plane version and node pools.

With --expiry it also shows when that ends by which a cluster is entered and served: the administrator's kubeconfig,
the certificates of the API server, of *.apps and of Dex, Argo CD's token, and all certificates of the control plane.
It is a warning within 30 days, failing once it has ended, and unknown where Secrets may not be read; hcctl rbac --for
viewer,expiry prints a role. What HyperShift renews by itself, 30 days before its end, is a warning when only 14 days
are left. That takes at least four more requests for each cluster. Without a name the hosted API servers are not asked,
so that what they and *.apps show is not looked at.

With --watch it keeps running until interrupted (exit code 130), or until the one cluster is gone (exit code 0). On a
terminal the screen is drawn again, elsewhere a line is written for each cluster that changes; with -o json that is one
document on a line. It reads when a HostedCluster or a NodePool changes, and every ten seconds.

With --hub it shows the hosted clusters of all management clusters of a hub, by what their sites last reported. A
cluster whose site is not available is unknown, with what was known before. There --watch writes lines.

Health is one of
  ok           everything works
  warning      it works, and there is something to know
  unknown      something could not be read
  progressing  something is in progress that usually succeeds on its own, and has taken less than an hour
  failing      something is wrong, or has been in progress for longer; it may recover on its own
  broken       waiting will not fix it

The exit code is 0 for ok and warning, 3 for progressing and failing, 5 for broken, and 1 where nothing worse is
known than that something could not be looked at. Of many clusters the worst counts, with --problems, too. A cluster
without workers, as asked for, one that is stopped and one that is paused are warnings.`,
		Example: `  hcctl status kv-00
  hcctl status kv-00 -o json
  hcctl status kv-00 --watch
  hcctl status kv-00 --expiry
  hcctl status -A --expiry --problems
  hcctl status --hub -A
  hcctl status -A -l env=lab -o wide`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cmdutil.Misuse(cmd, fmt.Errorf("%s takes one name, or none for all: for several use -l", cmd.CommandPath()))
			}
			return cmdutil.Named(cmd, "hosted cluster", args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			selector, err := f.validate(args)
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if through && f.expiry {
				return cmdutil.Misuse(cmd, errors.New("--expiry: a hub does not know it; ask the management clusters"))
			}
			if through && f.output == cmdutil.FormatJUnit {
				return cmdutil.Misuse(cmd, errors.New("--output junit: not with --hub; ask the management clusters"))
			}
			if through {
				return statusThroughHub(cmd.Context(), a, f, args)
			}
			if len(args) == 1 {
				return clusterStatus(a, cmd, f, args[0])
			}
			return fleetStatus(cmd.Context(), a, f, selector)
		},
	}
	hubrun.Bind(cmd, &through)
	cmdutil.OutputFlag(cmd, &f.output, "wide", "json", "yaml", cmdutil.FormatJUnit)
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "keep running and show each change, until interrupted")
	cmd.Flags().BoolVar(&f.problems, "problems", false, "show only what is not ok; the exit code is the same")
	cmd.Flags().BoolVar(&f.expiry, "expiry", false, "also show when kubeconfigs, certificates and tokens end")
	cmd.Flags().BoolVarP(&f.all, "all-namespaces", "A", false, "without a name: the clusters in all namespaces")
	cmd.Flags().StringVarP(&f.selector, "selector", "l", "", "without a name: the clusters whose labels match, such as "+
		"env=lab,tier!=dev")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 30*time.Second, "time limit for reading; what has not answered by "+
		"then is unknown")
	return cmd
}

// statusThroughHub shows the hosted clusters of a hub.
func statusThroughHub(ctx context.Context, a *cmdutil.Factory, f *statusFlags, names []string) error {
	l := hubrun.List{Choice: hubrun.Choice{Names: names, Selector: f.selector, All: f.all}, Output: f.output,
		Problems: f.problems}
	if f.watch {
		return l.Watch(ctx, a)
	}
	health, err := l.Print(a.Limit.Within(ctx, f.timeout), a)
	if err != nil {
		return err
	}
	return verdictOn(health)
}

func (f *statusFlags) validate(names []string) (labels.Selector, error) {
	switch {
	case f.watch && f.expiry:
		return nil, errors.New("--expiry: not with --watch, which would read Secrets again and again")
	case f.watch && (f.output == "yaml" || f.output == cmdutil.FormatJUnit):
		return nil, fmt.Errorf("--watch: use -o json, which writes one document on a line; %s is not possible", f.output)
	case f.timeout <= 0:
		return nil, fmt.Errorf("--timeout %s: give a time above zero, such as 30s", f.timeout)
	case f.all && len(names) > 0:
		return nil, errors.New("--all-namespaces: with a name give the namespace (-n), names are only unique in one")
	case f.selector != "" && len(names) > 0:
		return nil, errors.New("--selector: give either a name or a selector")
	case f.selector == "":
		return nil, nil
	}
	selector, err := cmdutil.Selector(f.selector)
	if err != nil {
		return nil, err
	}
	return selector, nil
}

// verdictOn returns the exit code of a health as an error. The exit codes are a contract with scripts; see the
// help of status.
func verdictOn(h status.Health) error {
	switch h {
	case status.Broken:
		return cmdutil.Ended(cmdutil.ExitBroken)
	case status.Failing, status.Progressing:
		return cmdutil.Ended(cmdutil.ExitMissing)
	case status.OK, status.Warning:
		return nil
	case status.Unknown:
	}
	return cmdutil.Ended(cmdutil.ExitError)
}

// statusDocument is the document of status NAME.
type statusDocument struct {
	step.TypeMeta
	*status.Report
	// Next is the next command.
	Next string `json:"next,omitempty"`
}

func clusterStatus(a *cmdutil.Factory, cmd *cobra.Command, f *statusFlags, name string) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a.Call)
	read := func(ctx context.Context) ([]*status.Report, error) {
		r, err := status.Of(ctx, t.Client, namespace, name, cmdutil.Prerequisites(t.Client))
		if err == nil && f.expiry {
			err = status.AddExpiry(ctx, t.Client, r)
		}
		return []*status.Report{r}, err
	}
	document := func(r *status.Report) statusDocument {
		return statusDocument{step.NewTypeMeta("ClusterStatus"), f.chosen(r), a.Call.Render(afterStatus(r))}
	}
	render := func(w io.Writer, of []*status.Report, screen report.Screen) error {
		r := of[0]
		cmdutil.Tell(w, "Hosted cluster %s/%s at %s\n\n", r.Namespace, r.Name, t)
		return printStatus(a, w, f, r, a.Call.Render(afterStatus(r)), screen)
	}
	if f.watch {
		w := &statusWatch{a: a, t: t, f: f, read: read, render: render}
		w.document = func(_, changed []*status.Report, gone []string) any {
			if len(gone) > 0 {
				return fleetDocument{step.NewTypeMeta("FleetStatus"), status.OK, []*status.Report{}, gone}
			}
			return document(changed[0])
		}
		return w.run(cmd.Context(), namespace, name, nil)
	}
	ctx := a.Limit.Within(cmd.Context(), f.timeout)
	found, err := read(ctx)
	switch {
	case cmd.Context().Err() != nil:
		return cmd.Context().Err()
	case err != nil:
		return t.Clarify(ctx, err)
	}
	switch f.output {
	case "json":
		err = cmdutil.WriteJSON(a.Streams.Out, document(found[0]))
	case "yaml":
		err = cmdutil.WriteYAML(a.Streams.Out, document(found[0]))
	case cmdutil.FormatJUnit:
		a.Runner.Take(resultsOf(a, f, found))
	default:
		w := a.Streams.Out
		err = render(w, found, a.Streams.ScreenOut())
	}
	if err != nil {
		return err
	}
	return verdictOn(found[0].Health)
}

// chosen returns the report, with --problems only its parts that are not ok.
func (f *statusFlags) chosen(r *status.Report) *status.Report {
	if !f.problems {
		return r
	}
	return r.Problems()
}

// afterStatus returns the next command after the status of one cluster.
func afterStatus(r *status.Report) hint.Text {
	this := hostedcluster.Argument(r.Namespace, r.Name)
	switch {
	case r.Phase == status.Deleting:
		return hint.Run("delete cluster", this).Text()
	// Other problems come before the pause, because resuming does not solve them.
	case r.Phase == status.Paused && r.Health != status.Failing && r.Health != status.Broken:
		return hint.Run("resume", this).Text()
	case r.Phase == status.Stopped:
		return hint.Run("start", this).Text()
	case r.Health == status.Failing, r.Health == status.Broken:
		fix := r.Hint()
		if command, ok := fix.Command(); ok {
			return command.Text()
		}
		if word := docs.FirstExplained(r.Message); word != "" {
			return hint.Run("explain", word).Text()
		}
		if fix.IsOC() {
			return fix
		}
		return hint.Run("events", this).Text()
	case r.Health == status.Progressing:
		return hint.Run("wait cluster", this).Text()
	case r.Phase == status.NoWorkers:
		return hint.Run("get nodepools").Flag("cluster-name", this).Text()
	}
	return cmdutil.EnterCommand(r.Namespace, r.Name)
}
