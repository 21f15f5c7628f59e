package check

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/probing"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/report"
)

// insideFlags are the flags that check NAME accepts besides the global flags.
var insideFlags = map[string]bool{"output": true, "probe": true, "probe-timeout": true, "probe-image": true}

// validateInside returns an error for flags about the management cluster.
func validateInside(cmd *cobra.Command, name string, probes *probing.Flags) error {
	if !probes.Asked() {
		return fmt.Errorf("%s: a hosted cluster is only probed: give --probe; hcctl status %s says how it is", name, name)
	}
	if err := probes.ValidateInside(); err != nil {
		return err
	}
	var err error
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && !insideFlags[f.Name] && err == nil {
			err = errors.New("--" + f.Name + ": it is about the management cluster, not with the name of a hosted cluster")
		}
	})
	return err
}

// runCheckInside probes a hosted cluster.
func runCheckInside(a *cmdutil.Factory, cmd *cobra.Command, output, name string, probes *probing.Flags) error {
	ctx := cmd.Context()
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a.Call)
	hc, err := hostedcluster.Find(ctx, t.Client, namespace, name)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	hosted, err := (&guest.CachedClient{}).Client(ctx, t.Client, hc)
	if err != nil {
		return fmt.Errorf("hosted cluster %s/%s cannot be asked: %w", namespace, name, err)
	}
	r, err := probing.RunInside(ctx, a, t, hosted, probes.Options())
	if err != nil {
		return err
	}
	return printReport(a, output, r, probes, func() error {
		cmdutil.Tell(a.Streams.Out, "Hosted cluster %s/%s\n\n", namespace, name)
		return report.Check(a.Streams.Out, r, a.Streams.ScreenOut())
	})
}
