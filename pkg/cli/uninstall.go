package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/step"
)

// uninstallFlags are what a person can say about uninstall.
type uninstallFlags struct {
	prereqs.RemovalOptions
	dryRun  bool
	output  string
	timeout time.Duration
}

func newUninstall(a *app) *cobra.Command {
	f := uninstallFlags{timeout: 2 * time.Hour}
	cmd := &cobra.Command{
		Use:     "uninstall",
		GroupID: "management",
		Short:   "Remove what bootstrap installed on the management cluster",
		Long: `uninstall removes what bootstrap created, the last first, and waits until it is gone: only objects that carry
hcctl's own label, and fields that hcctl set. What a person made, or installed before, is left as it is and told.
It refuses while there are hosted clusters. Storage stays unless --include-storage is given. CRDs stay.`,
		Example: `  hcctl uninstall --dry-run
  hcctl uninstall --yes
  hcctl uninstall --include-storage`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.output != "" && !f.dryRun {
				return misuse(cmd, errors.New("--output goes with --dry-run"))
			}
			if err := oneOf(f.output, "", "json", "yaml"); err != nil {
				return misuse(cmd, err)
			}
			if f.timeout <= 0 {
				return misuse(cmd, fmt.Errorf("--timeout %s: give a time above zero, such as 1h or 90m", f.timeout))
			}
			if _, terminal := a.terminal(); !terminal && !a.yes && !f.dryRun {
				return misuse(cmd, errors.New("there is no terminal to ask on: give --yes to remove, or --dry-run to see what would go"))
			}
			return runUninstall(cmd.Context(), a, f)
		},
	}
	cmd.Flags().BoolVar(&f.IncludeStorage, "include-storage", false, "remove storage too, with all data on it")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would be removed, and change nothing; exits 3 if there is anything")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "with --dry-run: output format, json or yaml")
	cmd.Flags().DurationVar(&f.timeout, "timeout", f.timeout, "how long the whole may take")
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "do not ask before removing")
	complete(cmd, "output", "json", "yaml")
	return cmd
}

func runUninstall(ctx context.Context, a *app, f uninstallFlags) error {
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	graph := func(t *target) (*step.Graph, error) { return step.New(prereqs.Removal(t.Client, f.RemovalOptions)...) }
	p, err := planWrites(ctx, t, graph, func(opt *step.Options) { opt.Timeout = planTimeout })
	if err != nil {
		return err
	}
	if f.dryRun {
		return planUninstall(a, t, p, f)
	}
	if err := confirmUninstall(ctx, a, t, p, f); err != nil {
		return err
	}
	r, err := a.run(ctx, t, textf("Uninstalling from %s", t), f.timeout, prereqs.Removal(t.Client, f.RemovalOptions))
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return withResume(err, "what is left stays as it is: hcctl uninstall goes on from there")
	}
	tell(a.streams.Err, "What hcctl installed is gone. CRDs stay; so does what others made. %s\n", storageWords(f))
	return nil
}

func planUninstall(a *app, t *target, p *planned, f uninstallFlags) error {
	if err := a.printPlan(p, f.output, "UninstallPlan", fmt.Sprintf("What hcctl uninstall would remove from %s", t)); err != nil {
		return err
	}
	if f.output == "" {
		tell(a.streams.Err, "Nothing was changed. A namespace goes only if nothing else is left in it; CRDs stay. %s\n", storageWords(f))
	}
	return p.verdict()
}

// confirmUninstall shows what is to go before it asks.
func confirmUninstall(ctx context.Context, a *app, t *target, p *planned, f uninstallFlags) error {
	if a.yes || !p.forecasts.Changes() {
		return nil
	}
	if err := a.printPlan(p, "", "", fmt.Sprintf("What is to be removed from %s", t)); err != nil {
		return err
	}
	if p.forecasts.Err() != nil {
		return p.verdict()
	}
	question := textf("Remove this from %s?", t)
	if f.IncludeStorage {
		question = textf("Remove this from %s, with all data on its storage?", t)
	}
	return a.confirm(ctx, question)
}

func storageWords(f uninstallFlags) string {
	if f.IncludeStorage {
		return "Storage goes with all data on it."
	}
	return "Storage is left alone (--include-storage removes it, with all data on it)."
}
