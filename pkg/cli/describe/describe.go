// Package describe implements hcctl describe cluster and describe nodepool.
package describe

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/describe"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// describeDocument is the document of describe -o json: docs/schema/describe.json.
type describeDocument struct {
	step.TypeMeta
	*describe.Description
}

type describeFlags struct {
	output  string
	timeout time.Duration
}

// New returns the command describe.
func New(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("describe", "Show everything worth knowing about a hosted cluster or node pool",
		newDescribe(a, &cobra.Command{
			Use:   "cluster NAME",
			Short: "Show the settings, conditions, machines and events of a hosted cluster",
			Long: `describe cluster shows what kubectl describe shows of a HostedCluster, and what belongs to it: its settings
as the options of hcctl create cluster, its conditions with those that are not good first and what to do about them, its
addresses, releases, node pools and worker VMs, and the newest events. No Secret is read, and what looks like a password
is removed. What could not be read is listed with the reason. It changes nothing, and the exit code does not depend on
the health.`,
			Example: `  hcctl describe cluster kv-00
  hcctl describe cluster kv-00 -o json`,
			Args: cmdutil.OneName("hosted cluster"),
		}, "ClusterDescription", "Hosted cluster", describe.Cluster),
		newDescribe(a, &cobra.Command{
			Use:     "nodepool NAME",
			Aliases: []string{"np"},
			Short:   "Show the settings, conditions, machines and events of a node pool",
			Long: `describe nodepool shows what kubectl describe shows of a NodePool, and what belongs to it: its settings as
the options of hcctl create nodepool, its conditions with those that are not good first and what to do about them, its
worker VMs, and the newest events of the pool and its VMs. What could not be read is listed with the reason. It changes
nothing, and the exit code does not depend on the health.`,
			Example: `  hcctl describe nodepool kv-00
  hcctl describe nodepool kv-00 -o yaml`,
			Args: cmdutil.OneName("node pool"),
		}, "NodePoolDescription", "Node pool", describe.NodePool))
	cmd.GroupID = "hosted"
	return cmd
}

// newDescribe completes one of the commands. read reads the description of an object.
func newDescribe(a *cmdutil.Factory, cmd *cobra.Command, kind, title string,
	read func(context.Context, kube.Reader, string, string) (*describe.Description, error)) *cobra.Command {
	f := &describeFlags{}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.timeout <= 0 {
			return cmdutil.Misuse(cmd, fmt.Errorf("--timeout %s: give a time above zero, such as 30s", f.timeout))
		}
		t, err := a.Connection.Dial()
		if err != nil {
			return err
		}
		ctx := a.Limit.Within(cmd.Context(), f.timeout)
		d, err := read(ctx, t.Client, cmdutil.ClustersNamespace(a.Call), args[0])
		switch {
		case cmd.Context().Err() != nil:
			return cmd.Context().Err()
		case err != nil:
			return t.Clarify(ctx, err)
		}
		switch f.output {
		case "json":
			return cmdutil.WriteJSON(a.Streams.Out, describeDocument{step.NewTypeMeta(kind), d})
		case "yaml":
			return cmdutil.WriteYAML(a.Streams.Out, describeDocument{step.NewTypeMeta(kind), d})
		}
		cmdutil.Tell(a.Streams.Out, "%s %s/%s at %s\n", title, d.Namespace, d.Name, t)
		return printDescription(a, t.Now(), d)
	}
	cmdutil.OutputFlag(cmd, &f.output, "json", "yaml")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 30*time.Second, "time limit for reading; what has not answered by "+
		"then is listed as not read")
	return cmd
}
