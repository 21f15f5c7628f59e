package management

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/management/finding"
	"github.com/hcctl/hcctl/pkg/management/update"
	"github.com/hcctl/hcctl/pkg/report"
)

// planFlags are the flags of both commands.
type planFlags struct {
	plan    bool
	output  string
	timeout time.Duration
}

func (f *planFlags) bind(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.plan, "plan", false, "plan only, and change nothing (required: hcctl does no more than that)")
	cmd.Flags().DurationVar(&f.timeout, "timeout", time.Minute, "how long reading may take; what has not answered then "+
		"is unknown")
	cmdutil.OutputFlag(cmd, &f.output, "json", "yaml")
}

func (f *planFlags) validate(what string) error {
	if err := cmdutil.OneOf(f.output, "", "json", "yaml"); err != nil {
		return err
	}
	switch {
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: give a time above zero, such as 1m", f.timeout)
	case !f.plan:
		return errors.New("give --plan: hcctl " + what + ", and changes nothing")
	}
	return nil
}

// write writes a document; it returns false if text is wanted.
func (f *planFlags) write(a *cmdutil.Factory, document any) (written bool, err error) {
	switch f.output {
	case "json":
		return true, cmdutil.WriteJSON(a.Streams.Out, document)
	case "yaml":
		return true, cmdutil.WriteYAML(a.Streams.Out, document)
	}
	return false, nil
}

// verdict is a plan that is not clear as an error: it carries the exit code and prints nothing.
type verdict struct{ finding.Verdict }

func (v *verdict) Error() string        { return string(v.Verdict) }
func (v *verdict) Is(target error) bool { return target == cmdutil.ErrFindings }

// ExitCode is a contract with scripts, see the help of both commands.
func (v *verdict) ExitCode() int {
	if v.Verdict == finding.Blocked {
		return cmdutil.ExitMissing
	}
	return cmdutil.ExitError
}

func verdictOn(v finding.Verdict) error {
	if v == finding.Clear {
		return nil
	}
	return &verdict{v}
}

// NewUpgradeManagement returns the command upgrade management.
func NewUpgradeManagement(a *cmdutil.Factory) *cobra.Command {
	f, to := &planFlags{}, ""
	cmd := &cobra.Command{
		Use:   "management --plan",
		Short: "Plan an update of OpenShift on the management cluster, and change nothing",
		Long: `upgrade management --plan says what an update of OpenShift asks of the management cluster: which operators have
to move before it and which follow it, which hosted clusters and node pools it would leave out of support, in which
order to go, and what blocks it now. It changes nothing; oc adm upgrade does.

It looks at the ClusterVersion with the updates on offer and their risks, the ClusterOperators, MachineConfigPools,
PodDisruptionBudgets that let no pod go, APIs in use that the new Kubernetes no longer serves, the operators' versions
and channels, bundles that are not for the new OpenShift, and the hosted clusters with their node pools.

--to takes a newer patch, a version of the next minor, or between even minors of OpenShift 4 (EUS) the one after that,
in two steps with paused worker pools. Without it, it is the newest version that the update service recommends.

The exit code is 0 where nothing is in the way, 3 where something blocks, and 1 where nothing is known to block but
something could not be told. An update that the update service does not offer is unknown: hcctl never says that it is
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
	t, err := a.Dial()
	if err != nil {
		return err
	}
	ask, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	p, err := update.Of(ask, t.Client, to)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return t.Clarify(ask, err)
	}
	written, err := f.write(a, p)
	if !written && err == nil {
		err = printUpdate(a, t, p)
	}
	if err != nil {
		return err
	}
	return verdictOn(p.Verdict)
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
	screen := report.ScreenOf(a.Streams.Out, a.Getenv)
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
		return fmt.Sprintf("Nothing is known against %s, but %s.", of, untold(unknown))
	}
	return fmt.Sprintf("Nothing is against %s.", of)
}

func untold(n int) string {
	if n == 1 {
		return "1 thing could not be told"
	}
	return fmt.Sprintf("%d things could not be told", n)
}
