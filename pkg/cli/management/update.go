package management

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/management/finding"
	"github.com/hcctl/hcctl/pkg/management/update"
	"github.com/hcctl/hcctl/pkg/report"
)

// NewUpgradeManagement returns the command upgrade management.
func NewUpgradeManagement(a *cmdutil.Factory) *cobra.Command {
	f, to := &planFlags{}, ""
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
			err := f.validate("plans an update of the management cluster")
			if err == nil {
				err = update.Validate(to)
			}
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return planUpdate(cmd.Context(), a, f, to)
		},
	}
	f.bind(cmd)
	cmd.Flags().StringVar(&to, "to", "", "version of OpenShift to plan for, such as 4.20.8 (default the newest that is "+
		"recommended)")
	return cmd
}

func planUpdate(ctx context.Context, a *cmdutil.Factory, f *planFlags, to string) error {
	return f.run(ctx, a, func(ctx context.Context, t *cmdutil.Target) (*plan, error) {
		p, err := update.Of(ctx, t.Client, to)
		if err != nil {
			return nil, err
		}
		return &plan{p, p.Verdict, func() error { return printUpdate(a, t, p) }}, nil
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
	screen := a.ScreenOut()
	if err := report.Tree(a.Streams.Out, screen, branches(a, p.Findings)...); err != nil {
		return err
	}
	var b strings.Builder
	if len(p.Order) > 0 {
		b.WriteString("\nIn this order:\n")
		for i, s := range p.Order {
			cmdutil.Tell(&b, "%3d. %s\n", i+1, cmdutil.UpperFirst(s.Do))
			if s.Command != "" {
				cmdutil.Tell(&b, "     → %s\n", a.WithConnection(s.Command))
			}
		}
	}
	if p.Target == "" && len(p.Offers) > 0 {
		b.WriteString("\nOn offer:\n")
		for _, o := range p.Offers[:min(len(p.Offers), maxLines)] {
			cmdutil.Tell(&b, "  %s (%s)\n", cmdutil.ShownVersion(o.Version), string(o.Source))
		}
	}
	cmdutil.Tell(&b, "\n%s\n", conclusion(p.Findings, "the update"))
	return cmdutil.Say(a.Streams.Out, "%s", cmdutil.Text(b.String()))
}

// maxLines is how many findings of one verdict, or pods of one kind, a screen shows.
const maxLines = 20

// branches are the findings as lines: of each verdict the first ones.
func branches(a *cmdutil.Factory, findings []finding.Finding) []report.Branch {
	var out []report.Branch
	shown := map[finding.Verdict]int{}
	for i := range findings {
		f := &findings[i]
		if shown[f.Verdict]++; shown[f.Verdict] <= maxLines {
			out = append(out, report.Branch{Mark: mark(f.Verdict), Title: f.Object, Text: f.Message,
				Hint: a.WithConnection(f.Hint)})
			continue
		}
		if last := i == len(findings)-1 || findings[i+1].Verdict != f.Verdict; last {
			out = append(out, report.Branch{Mark: mark(f.Verdict),
				Text: fmt.Sprintf("and %d more; -o json has them all", shown[f.Verdict]-maxLines)})
		}
	}
	return out
}

func mark(v finding.Verdict) report.Mark {
	switch v {
	case finding.Clear:
		return report.MarkGood
	case finding.Blocked:
		return report.MarkBad
	case finding.Unknown:
	}
	return report.MarkUnknown
}

// conclusion counts what is in the way.
func conclusion(findings []finding.Finding, of string) string {
	blocked, unknown := finding.Count(findings, finding.Blocked), finding.Count(findings, finding.Unknown)
	switch {
	case blocked > 0 && unknown > 0:
		return fmt.Sprintf("%s against %s now, and %s.", plural.Count(blocked, "finding"), of, untold(unknown))
	case blocked > 0:
		return fmt.Sprintf("%s against %s now.", plural.Count(blocked, "finding"), of)
	case unknown > 0:
		return fmt.Sprintf("Nothing known blocks %s, but %s.", of, untold(unknown))
	}
	return fmt.Sprintf("Nothing blocks %s.", of)
}

func untold(n int) string {
	if n == 1 {
		return "1 thing could not be determined"
	}
	return fmt.Sprintf("%d things could not be determined", n)
}
