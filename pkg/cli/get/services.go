package get

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// servicesReport is the document of get services -o json: docs/schema/services.json.
type servicesReport struct {
	step.TypeMeta
	HostedCluster string                 `json:"hostedCluster"`
	Services      []services.Description `json:"services"`
}

func newGetServices(a *cmdutil.Factory) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:     "services NAME",
		Aliases: []string{"service"},
		Short:   "Show the services of a hosted cluster, and how to use them",
		Long: `get services shows the services that a hosted cluster has outside of it, such as a jump host: their addresses,
what identifies them, and commands that use them. What is printed can be handed to people without rights on the
management cluster.

The exit code is 3 while a service does not work.`,
		Example: "  hcctl get services kv-00\n  hcctl get services kv-00 -o json",
		Args:    cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runServices(cmd.Context(), a, cmdutil.ClustersNamespace(a.Call), args[0], output)
		},
	}
	cmdutil.OutputFlag(cmd, &output, "json")
	return cmd
}

func runServices(ctx context.Context, a *cmdutil.Factory, namespace, name, output string) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	hc, err := hostedcluster.Find(ctx, t.Client, namespace, name)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	all, err := services.Describe(ctx, t.Client, t.Client, hc)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	if output == "json" {
		report := servicesReport{TypeMeta: step.NewTypeMeta("Services"), HostedCluster: kube.Name(hc),
			Services: append([]services.Description{}, all...)}
		err = cmdutil.WriteJSON(a.Streams.Out, report)
	} else {
		err = printServices(a, hc.Namespace, hc.Name, all)
	}
	if err != nil {
		return err
	}
	for _, d := range all {
		if d.State != step.StateOK {
			return cmdutil.WithExit(cmdutil.ExitMissing, errors.New(d.Title+": "+d.Message))
		}
	}
	return nil
}

func printServices(a *cmdutil.Factory, namespace, name string, all []services.Description) error {
	if len(all) == 0 {
		return cmdutil.Say(a.Streams.Out, "Hosted cluster %s/%s has no services outside of it.\n", namespace, name)
	}
	for i, d := range all {
		head := d.Title
		if d.Message != "" {
			head += ": " + d.Message
		}
		rows := [][]string{}
		for _, f := range d.Facts {
			rows = append(rows, []string{"  " + f.Name, f.Value})
		}
		if i > 0 {
			head = "\n" + head
		}
		if err := cmdutil.Say(a.Streams.Out, "%s\n", head); err != nil {
			return err
		}
		if err := (&cmdutil.Table{W: a.Streams.Out}).Write(rows...); err != nil {
			return err
		}
		for _, command := range d.Commands {
			if err := cmdutil.Say(a.Streams.Out, "  %s\n", command); err != nil {
				return fmt.Errorf("print: %w", err)
			}
		}
	}
	return nil
}
