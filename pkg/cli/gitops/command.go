package gitops

import (
	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// New returns the command gitops.
func New(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("gitops", "Keep hosted clusters and what is in them as they are in Git, with Argo CD",
		newInit(a), newStatus(a), newApprove(a), newRegister(a))
	cmd.GroupID = "hosted"
	cmd.Long = `gitops writes what Argo CD needs and tells how far it is. Argo CD keeps the clusters as they are in Git;
hcctl has no engine of its own for that. docs/gitops.md has the whole story.`
	cmd.Example = "  hcctl gitops init fleet/ -f fleet.yaml --repo-url https://git.example.com/team/fleet.git \\\n" +
		"    --image registry.example.com/tools/hcctl:1.0 \\\n" +
		"    --virtualization-csv kubevirt-hyperconverged-operator.v4.20.1\n" +
		"  hcctl gitops status"
	return cmd
}
