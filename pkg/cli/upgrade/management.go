package upgrade

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/planonly"
	"github.com/hcctl/hcctl/pkg/management/update"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// NewManagement returns the command upgrade management.
func NewManagement(a *cmdutil.Factory) *cobra.Command {
	f, to := &planonly.Flags{}, ""
	cmd := &cobra.Command{
		Use:   "management --plan",
		Short: "Plan an update of OpenShift on the management cluster, and change nothing",
		Long: `upgrade management --plan shows what an update of OpenShift requires of the management cluster: which
operators have to be updated before it and which after it, which hosted clusters and node pools would no longer be
supported, in which order to proceed, and what blocks it now. It changes nothing; oc adm upgrade does.

It looks at the ClusterVersion with the available updates and their risks, the ClusterOperators, MachineConfigPools,
PodDisruptionBudgets that let no pod go, APIs in use that the new Kubernetes no longer serves, the operators'
versions and channels, bundles that are not for the new OpenShift, and the hosted clusters with their node pools.

--to takes a newer patch, a version of the next minor, or between even minors of OpenShift 4 (EUS) the one after
that, in two steps with paused worker pools. The default is the newest version that the update service recommends.

The exit code is 0 if nothing is in the way, 3 if something blocks, and 1 if nothing is known to block but something
could not be determined. An update that the update service does not offer is unknown: hcctl never says that it is
possible.`,
		Example: `  hcctl upgrade management --plan
  hcctl upgrade management --plan --to 4.20.8
  hcctl upgrade management --plan --to 4.22.1 -o json`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := f.Validate("plans an update of the management cluster")
			if err == nil {
				err = update.Validate(to)
			}
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return planUpdate(cmd.Context(), a, f, to)
		},
	}
	f.Bind(cmd)
	cmd.Flags().StringVar(&to, "to", "", "version of OpenShift to plan for, such as 4.20.8 (default the newest that is "+
		"recommended)")
	return cmd
}

func planUpdate(ctx context.Context, a *cmdutil.Factory, f *planonly.Flags, to string) error {
	return f.Run(ctx, a, func(ctx context.Context, t *cmdutil.Target) (*planonly.Plan, error) {
		p, err := update.Of(ctx, t.Client, to)
		if err != nil {
			return nil, err
		}
		return &planonly.Plan{Document: p, State: step.State(p.Verdict),
			Print: func() error { return printUpdate(a, t, p) }}, nil
	})
}

func printUpdate(a *cmdutil.Factory, t *cmdutil.Target, p *update.Plan) error {
	target := "to no version yet"
	if p.Target != "" {
		target = "to " + p.Target
	}
	if p.Through != "" {
		target += " through " + p.Through + ", in two steps"
	}
	cmdutil.Tell(a.Streams.Out, "Update of OpenShift %s %s on %s; nothing is changed\n\n", p.Version, target, t)
	screen := a.Streams.ScreenOut()
	if err := report.Tree(a.Streams.Out, screen, planonly.Branches(a, p.Findings)...); err != nil {
		return err
	}
	var b strings.Builder
	if len(p.Order) > 0 {
		b.WriteString("\nIn this order:\n")
		for i, s := range p.Order {
			cmdutil.Tell(&b, "%3d. %s\n", i+1, cmdutil.UpperFirst(s.Do))
			if !s.Command.IsZero() {
				cmdutil.Tell(&b, "     → %s\n", a.Call.Render(s.Command))
			}
		}
	}
	if p.Target == "" && len(p.Offers) > 0 {
		b.WriteString("\nOn offer:\n")
		for _, o := range p.Offers[:min(len(p.Offers), planonly.MaxLines)] {
			cmdutil.Tell(&b, "  %s (%s)\n", cmdutil.ShownVersion(o.Version), string(o.Source))
		}
	}
	cmdutil.Tell(&b, "\n%s\n", planonly.Conclusion(p.Findings, "the update"))
	return cmdutil.Say(a.Streams.Out, "%s", cmdutil.Text(b.String()))
}
