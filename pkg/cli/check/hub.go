package check

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/probing"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/fleet/hub/sites"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// runCheckHub checks the prerequisites that a hub delivers to management clusters (sites).
func runCheckHub(a *cmdutil.Factory, cmd *cobra.Command, output string, timeout time.Duration, publish bool) error {
	ctx := a.Limit.Within(cmd.Context(), timeout)
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	if publish {
		if err := publishScores(ctx, a, t); err != nil {
			return err
		}
	}
	looked, err := sites.Look(ctx, t.Client)
	var none *hub.NoSiteError
	if publish && errors.As(err, &none) {
		return nil // other means may bring the prerequisites to the sites; the scores are written
	}
	if err != nil {
		return err
	}
	graph, err := step.New(looked.Steps...)
	if err != nil {
		return err
	}
	once := informer.NewCache(ctx)
	r := a.Call.RenderReport(graph.Check(ctx, step.Options{Timeout: a.Limit.HandOver(timeout),
		ReadCache: func(context.Context) step.Reads { return once }}))
	return printReport(a, output, r, &probing.Flags{}, func() error {
		cmdutil.Tell(a.Streams.Out, "Management clusters of the hub %s\n", t)
		for _, line := range looked.Heard {
			cmdutil.Tell(a.Streams.Out, "  %s\n", line)
		}
		cmdutil.Tell(a.Streams.Out, "\n")
		return report.Check(a.Streams.Out, r, a.Streams.ScreenOut())
	})
}
