package bootstrap

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/disks"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
)

// New returns the command bootstrap.
func New(a *cmdutil.Factory) *cobra.Command {
	output, s, planning := "", &cmdutil.Settings{Flags: config.Default(), RefuseIdle: true},
		cmdutil.PlanFlags{}
	through := hubFlags{}
	cmd := &cobra.Command{
		Use:     "bootstrap",
		GroupID: "management",
		Short:   "Install what hosted clusters need on the management cluster",
		Long: `bootstrap installs and configures every prerequisite that check looks for: storage, virtualization, MetalLB,
multicluster engine with its local cluster and hypershift addon, wildcard ingress. Independent ones are installed in
parallel, and bootstrap waits for each. What is already there is kept as it is, so you can run it again at any time:
after an interruption it continues where it stopped.

Before it takes disks for storage, it shows which (hcctl disks). On a terminal it asks; without one, or with --yes,
it takes only disks that leave no doubt: SSD or NVMe, not removable, seen on one node. For others give --disks.

Each setting can also be in a file (--file, see hcctl config init) or in the environment (hcctl environment); flags
win over the environment, and the environment wins over the file.

With --hub it brings what hcctl bootstrap --render has written to many management clusters, through their hub of Open
Cluster Management: what every one gets by a ManifestWorkReplicaSet for a Placement, what depends on one by a
ManifestWork. It waits until their operators say that all works.`,
		Example: `  hcctl bootstrap --metallb-range 192.168.216.32-192.168.216.122
  hcctl bootstrap --only load-balancer --metallb-range 10.0.0.64/28
  hcctl bootstrap --storage existing --skip cluster/nodes --timeout 2h --yes
  hcctl bootstrap --dry-run
  hcctl bootstrap --render manifests/
  hcctl bootstrap --yes -o json > events.jsonl
  hcctl bootstrap --hub --manifests manifests/ --placement fleets/hosting --site east=east/`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := through.validate(cmd); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if through.on {
				if err := planning.Validate(output); err != nil {
					return cmdutil.Misuse(cmd, err)
				}
				through.timeout = s.Flags.Timeout
				return through.run(a.Limit.Within(cmd.Context(), through.timeout), a, planning, output)
			}
			c, err := s.Choose(cmd, a.Files, a.Getenv)
			if err != nil {
				return err
			}
			if err := planning.Validate(output); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			c.ShowDisks(disks.ShowDisks(a))
			ctx := a.Limit.Within(cmd.Context(), c.Timeout)
			switch {
			case planning.DryRun:
				return planBootstrap(ctx, a, c, output)
			case planning.Render != "":
				return renderBootstrap(ctx, a, c, planning.Render)
			}
			return runBootstrap(ctx, a, c, output)
		},
	}
	s.Bind(cmd)
	planning.Bind(cmd.Flags())
	through.bind(cmd)
	cmdutil.RunOutputFlag(cmd, &output)
	cmd.Flags().BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before changing the cluster")
	return cmd
}

func runBootstrap(ctx context.Context, a *cmdutil.Factory, c *cmdutil.Choice, output string) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	if err := a.Prompter.Consent(ctx, question(ctx, a, t, c)); err != nil {
		return err
	}
	graph, err := c.Graph(t)
	if err != nil {
		return err
	}
	r, err := a.Runner.Run(ctx, t, cmdutil.Run{Graph: graph, Shape: c.Shape, Output: output, Command: "bootstrap",
		Next: c.Next, Heading: cmdutil.Textf("Bootstrapping %s", t.Named())})
	if err != nil || output == "json" {
		return cmp.Or(err, r.Err())
	}
	if err := r.Err(); err != nil {
		if r.Changed() == 0 {
			return err
		}
		return cmdutil.WithResume(err, "what is installed stays: the same command continues from there")
	}
	cmdutil.Tell(a.Streams.Err, "%s Next: %s\n", c.Ready(), a.Call.Render(c.Next(r)))
	return nil
}
