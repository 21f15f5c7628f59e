// Package start implements hcctl start.
package start

import (
	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/stop"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
)

// New returns the command start.
func New(a *cmdutil.Factory) *cobra.Command {
	return stop.NewPower(a, stop.Power{
		Verb: "start", Doing: "Starting", Kind: "StartPlan", Ask: "Start the workers of %s", Prepare: nodepool.PrepareStart,
		OnSite: hub.Start,
		Short:  "Give a stopped hosted cluster its workers again",
		Long: `start gives every stopped node pool (hcctl stop) its former size, autoscaling included, and
waits until the VMs are ready and the nodes have joined. A pool that has been resized since then keeps its new size.`,
	})
}
