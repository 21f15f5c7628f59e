// Package check implements hcctl check, also for the management clusters of a hub.
package check

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/cli/internal/probing"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// New returns the command check.
func New(a *cmdutil.Factory) *cobra.Command {
	output, s := "", &cmdutil.Settings{Flags: config.Default(), OwnTimeout: true}
	var probes probing.Flags
	publish, through := false, false
	s.Flags.Timeout = time.Minute
	cmd := &cobra.Command{
		Use:     "check [NAME]",
		GroupID: "management",
		Short:   "Show what the management cluster has or lacks, and what to do",
		Long: `check looks at every prerequisite of hosted clusters on this management cluster and changes
nothing.

With --probe it tries out as well what hosted clusters need: it claims and writes volumes, asks for a load balancer's
address, has a wildcard Route admitted, starts a VM and moves it, reads the release image's manifest. Each probe works
in a namespace of its own, which is deleted however it ends; what a killed run has left is deleted by the next.

With --publish it also writes what the management cluster has room for into ConfigMap hcctl/capacity, for a hub of Open
Cluster Management that places hosted clusters (hcctl apply --hub). It is 0 while a prerequisite is missing or broken.

With --hub it shows, for every management cluster of a hub of Open Cluster Management, what bootstrap --hub has brought
and what the operators there say of it. --publish then makes what those have counted their scores for Placements.

With the name of a hosted cluster and --probe it tries out that cluster instead: a claim of its default StorageClass
becomes a volume that is plugged into a worker VM, and a pod writes to it.

It exits with 0 if everything is there, with 3 if something is missing or broken, and with 1 if the only problem is
that something could not be read: what is unknown is never reported as good.

-o junit is for CI servers: a suite for each group, a case for each step. What is missing, pending or broken is a
failure, and what could not be read is an error; a warning passes, and its text is in system-out. -o name lists the
IDs of the steps.`,
		Example: `  hcctl check
  hcctl check --only storage,load-balancer
  hcctl check -o junit > check.xml
  hcctl check --probe
  hcctl check --probe=storage,load-balancer --probe-latency
  hcctl check --publish
  hcctl check --hub
  hcctl check --hub --publish
  hcctl check kv-00 --probe`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return cmdutil.OneName("hosted cluster")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := probes.Validate(cmd); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := hubrun.OnlyWithSites(cmd, through); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			switch {
			case through && len(args) > 0:
				return cmdutil.Misuse(cmd, errors.New("--hub: it is about management clusters, not with a name"))
			case through:
				return runCheckHub(a, cmd, output, s.Flags.Timeout, publish)
			}
			if len(args) > 0 {
				if err := validateInside(cmd, args[0], &probes); err != nil {
					return cmdutil.Misuse(cmd, err)
				}
				return runCheckInside(a, cmd, output, args[0], &probes)
			}
			c, err := s.Choose(cmd, a.Files, a.Getenv)
			if err != nil {
				return err
			}
			if publish && len(c.Only) > 0 {
				return cmdutil.Misuse(cmd, errors.New("--publish: it needs all checks, not --only"))
			}
			return runCheck(a, cmd, output, c, &probes, publish)
		},
	}
	cmdutil.OutputFlag(cmd, &output, "json", "yaml", cmdutil.FormatJUnit, "name")
	s.Bind(cmd)
	probes.Bind(cmd)
	hubrun.BindSites(cmd, &through)
	cmd.Flags().BoolVar(&publish, "publish", false, "write the room for hosted clusters into ConfigMap hcctl/capacity, "+
		"for the hub of Open Cluster Management; with --hub, the scores of all management clusters")
	cmd.Flags().Lookup("timeout").Usage = "time limit for the whole check, without probes"
	return cmd
}

func runCheck(a *cmdutil.Factory, cmd *cobra.Command, output string, c *cmdutil.Choice, probes *probing.Flags,
	publish bool) error {
	ctx := cmd.Context()
	t, r, err := cmdutil.CheckPrerequisites(ctx, a.Connection, a.Limit, c)
	if err != nil {
		return err
	}
	if publish && ctx.Err() == nil {
		if err := publishRoom(ctx, a, t, r); err != nil {
			return err
		}
	}
	if probes.Asked() && ctx.Err() == nil {
		o := probes.Options()
		o.Found = r.Get
		tried, err := probing.Run(ctx, a, t, o)
		if err != nil {
			return err
		}
		r.Results, r.Elapsed = append(r.Results, tried.Results...), r.Elapsed+tried.Elapsed
	}
	return printReport(a, output, r, probes, func() error { return printCheck(a, t, c, r) })
}

// printReport prints a report in the format of --output. text prints it for users.
func printReport(a *cmdutil.Factory, output string, r step.Report, probes *probing.Flags,
	text func() error) (err error) {
	switch output {
	case "json":
		err = report.CheckJSON(a.Streams.Out, r)
	case "yaml":
		err = report.CheckYAML(a.Streams.Out, r)
	case cmdutil.FormatJUnit:
		a.Runner.Take(r)
	case "name":
		err = report.CheckNames(a.Streams.Out, r)
	default:
		if err := r.Err(); cmdutil.WasInterrupted(err) {
			return cmdutil.Interrupted(err, probing.Remains(probes))
		}
		err = text()
	}
	if err != nil {
		return err
	}
	if run, ok := step.AsRunError(r.Err()); ok {
		return cmdutil.FoundBy(run)
	}
	return nil
}

func printCheck(a *cmdutil.Factory, t *cmdutil.Target, c *cmdutil.Choice, r step.Report) error {
	if err := cmdutil.Say(a.Streams.Out, "Management cluster %s\n\n", t); err != nil {
		return err
	}
	if err := report.Check(a.Streams.Out, r, a.Streams.ScreenOut()); err != nil {
		return err
	}
	return cmdutil.Say(a.Streams.Out, "%s\n", a.Call.Render(afterCheck(c, r)))
}

// needsFlag reports whether a hint is to run bootstrap with a flag.
func needsFlag(h hint.Text) bool {
	c, is := h.Command()
	return is && c.Name() == "bootstrap" && c.String() != hint.Run("bootstrap").String()
}

// afterCheck returns the next step after a check.
func afterCheck(c *cmdutil.Choice, r step.Report) hint.Text {
	appliable, others, install := 0, 0, hint.Run("bootstrap").Text()
	for _, res := range r.Results {
		switch {
		case report.Appliable(res):
			appliable++
		case res.Outcome == step.OutcomeMissing && res.Finding.Final && needsFlag(res.Finding.Hint):
			appliable, install = appliable+1, res.Finding.Hint // bootstrap needs this flag; without it the step has no Apply
		case !res.Good():
			others++
		}
	}
	switch {
	case appliable == 0 && others == 0 && c.Partial():
		return hint.Plain(c.Ready())
	case appliable == 0 && others == 0:
		return hint.New("%s Next: %s", c.Ready(), c.Next(r))
	case others == 0:
		return hint.New("Next: %s. It installs what is missing (%d).", install, appliable)
	case appliable == 0:
		return hint.New("Next: what is left (%d) needs a manual step, see above.", others)
	default:
		return hint.New("Next: %s. It installs %d of them; what is left (%d) waits for those, or needs a manual step, "+
			"see above.", install, appliable, others)
	}
}
