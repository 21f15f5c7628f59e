// Package uninstall implements hcctl uninstall, also for the sites of a hub.
package uninstall

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/step"
)

// uninstallFlags are the flags of uninstall.
type uninstallFlags struct {
	prereqs.RemovalOptions
	dryRun  bool
	output  string
	timeout time.Duration
	hub     bool
}

// New returns the command uninstall.
func New(a *cmdutil.Factory) *cobra.Command {
	f := uninstallFlags{timeout: 2 * time.Hour}
	cmd := &cobra.Command{
		Use:     "uninstall",
		GroupID: "management",
		Short:   "Remove what bootstrap installed on the management cluster",
		Long: `uninstall removes what bootstrap created, in reverse order, and waits until it is gone: only objects that
carry hcctl's own label, and fields that hcctl set. What somebody else made, or installed before, stays as it is and is
reported. It refuses while there are hosted clusters. Storage stays unless --include-storage is given. CRDs stay.

With --hub it stops what bootstrap --hub delivers to the management clusters of a hub. What they have stays: nothing is
deleted there.`,
		Example: `  hcctl uninstall --dry-run
  hcctl uninstall --yes
  hcctl uninstall --include-storage
  hcctl uninstall --hub --dry-run`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.output != "" && !f.dryRun {
				return cmdutil.Misuse(cmd, errors.New("--output needs --dry-run"))
			}
			if f.timeout <= 0 {
				return cmdutil.Misuse(cmd, fmt.Errorf("--timeout %s: give a time above zero, such as 1h or 90m", f.timeout))
			}
			if err := hubrun.Without(cmd, f.hub, []string{"include-storage"}); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := a.Prompter.NeedsConsent("uninstall", f.dryRun); err != nil {
				return err
			}
			if f.hub {
				return runUninstallHub(cmd.Context(), a, f)
			}
			return runUninstall(cmd.Context(), a, f)
		},
	}
	cmd.Flags().BoolVar(&f.IncludeStorage, "include-storage", false, "remove storage too, with all data on it")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would be removed, and change nothing; "+
		cmdutil.DryRunExits)
	cmdutil.DescribedOutputFlag(cmd, &f.output, "with --dry-run: output format, json, yaml or html", "json", "yaml",
		cmdutil.FormatHTML)
	cmdutil.TimeoutFlag(cmd.Flags(), &f.timeout, f.timeout, "time limit for the whole command")
	cmd.Flags().BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before removing")
	hubrun.BindSites(cmd, &f.hub)
	return cmd
}

func runUninstall(ctx context.Context, a *cmdutil.Factory, f uninstallFlags) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	graph := func(t *cmdutil.Target) (*step.Graph, error) {
		return step.New(prereqs.Removal(t.Client, f.RemovalOptions)...)
	}
	p, err := cmdutil.PlanWrites(ctx, t, graph, func(opt *step.Options) { opt.Timeout = cmdutil.PlanTimeout })
	if err != nil {
		return err
	}
	if f.dryRun {
		return planUninstall(a, t, p, f)
	}
	if err := confirmUninstall(ctx, a, t, p, f); err != nil {
		return err
	}
	r, err := a.Runner.Run(ctx, t, cmdutil.Run{Steps: prereqs.Removal(t.Client, f.RemovalOptions), Timeout: f.timeout,
		Heading: cmdutil.Textf("Uninstalling from %s", t)})
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return cmdutil.WithResume(err, "what is left stays as it is: %s continues from there", hint.Run("uninstall"))
	}
	cmdutil.Tell(a.Streams.Err, "What hcctl installed is gone. CRDs stay; so does what others made. %s\n", storageWords(f))
	for _, line := range prereqs.LeftBehind(ctx, t.Client) {
		cmdutil.Tell(a.Streams.Err, "Left behind: %s\n", line)
	}
	return nil
}

func planUninstall(a *cmdutil.Factory, t *cmdutil.Target, p *cmdutil.Planned, f uninstallFlags) error {
	if err := a.Plans.Print(p, f.output, "UninstallPlan",
		fmt.Sprintf("What hcctl uninstall would remove from %s", t)); err != nil {
		return err
	}
	if f.output == "" {
		cmdutil.Tell(a.Streams.Err,
			"Nothing was changed. A namespace is removed only if nothing else is left in it; CRDs stay. %s\n", storageWords(f))
	}
	return p.Verdict()
}

// confirmUninstall shows what will be removed before it asks.
func confirmUninstall(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, p *cmdutil.Planned,
	f uninstallFlags) error {
	if !a.Prompter.Asks() || !p.Forecasts.Changes() {
		return nil
	}
	if err := a.Plans.Print(p, "", "", fmt.Sprintf("To be removed from %s", t)); err != nil {
		return err
	}
	if err := p.Forecasts.Err(); err != nil {
		return cmdutil.Ended(cmdutil.ExitCode(err))
	}
	question := cmdutil.Textf("Remove this from %s?", t)
	if f.IncludeStorage {
		question = cmdutil.Textf("Remove this from %s, with all data on its storage?", t)
	}
	return a.Prompter.Consent(ctx, cmdutil.Destruction("uninstall", question))
}

func storageWords(f uninstallFlags) string {
	if f.IncludeStorage {
		return "Storage is removed, with all data on it."
	}
	return "Storage is left alone (--include-storage removes it, with all data on it)."
}
