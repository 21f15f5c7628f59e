// Package resume implements hcctl resume.
package resume

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/cli/pause"
)

// New returns the command resume.
func New(a *cmdutil.Factory) *cobra.Command {
	f, several := &cmdutil.ChangeFlags{}, each.Flags{}
	cmd := &cobra.Command{
		Use: "resume " + each.Names, GroupID: "hosted",
		Short: "Let HyperShift manage a paused hosted cluster again",
		Long: `resume removes spec.pausedUntil from the node pools that were paused with the cluster and then from
the HostedCluster, and waits until the HyperShift operator manages it again. A pool that was paused on its own stays
paused, and hcctl names it.`,
		Example: "  hcctl resume kv-00\n  hcctl resume kv-00 kv-01 kv-02",
		Args:    several.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return pause.Clusters(cmd.Context(), a, &several, args, "", f)
		},
	}
	several.Bind(cmd)
	f.Bind(cmd, a, 5*time.Minute)
	return cmdutil.OptionalNoun(cmd, cmdutil.ClusterNouns...)
}
