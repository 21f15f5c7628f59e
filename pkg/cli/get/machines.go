package get

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/machines"
	"github.com/hcctl/hcctl/pkg/step"
)

// machinesDocument is the document of get machines -o json: docs/schema/machines.json.
type machinesDocument struct {
	step.TypeMeta
	HostedCluster string             `json:"hostedCluster"`
	Machines      []machines.Machine `json:"machines"`
	NotRead       []machines.Gap     `json:"notRead,omitempty"`
}

type machinesFlags struct {
	output    string
	pool      string
	noHeaders bool
	timeout   time.Duration
}

func newGetMachines(a *cmdutil.Factory) *cobra.Command {
	f := &machinesFlags{}
	cmd := &cobra.Command{
		Use:     "machines CLUSTER",
		Aliases: []string{"machine", "vms"},
		Short:   "List the worker VMs of a hosted cluster with their hosts, racks and zones",
		Long: `get machines lists the worker VMs of a hosted cluster: node pool, node of the hosted cluster, host with its
rack and zone, and state; -o wide adds addresses and boot image. The rack is the value of the host's label rack, or of
one that ends in /rack. What may not be read is left out, and told on stderr. It changes nothing.`,
		Example: `  hcctl get machines kv-00
  hcctl get machines kv-00 --nodepool kv-00-gpu -o wide
  hcctl get machines kv-00 -o json`,
		Args: cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.timeout <= 0 {
				return cmdutil.Misuse(cmd, fmt.Errorf("--timeout %s: give a time above zero, such as 30s", f.timeout))
			}
			if f.pool != "" {
				if err := cmdutil.NamedFlag(cmd, "nodepool", "node pool", &f.pool); err != nil {
					return err
				}
			}
			return runGetMachines(cmd.Context(), a, f, args[0])
		},
	}
	cmdutil.OutputFlag(cmd, &f.output, formats...)
	cmd.Flags().StringVar(&f.pool, "nodepool", "", "list those of this node pool")
	cmd.Flags().BoolVar(&f.noHeaders, "no-headers", false, "leave out the headings of the table")
	cmdutil.TimeoutFlag(cmd.Flags(), &f.timeout, 30*time.Second, "time limit for reading")
	return cmd
}

func runGetMachines(ctx context.Context, a *cmdutil.Factory, f *machinesFlags, name string) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a.Call)
	list, err := machines.Read(ctx, t.Client, namespace, name)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	if f.pool != "" {
		list.Machines = slices.DeleteFunc(list.Machines, func(m machines.Machine) bool { return m.NodePool != f.pool })
	}
	switch f.output {
	case "json", "yaml":
		document := machinesDocument{step.NewTypeMeta("Machines"), namespace + "/" + name, list.Machines, list.NotRead}
		if f.output == "yaml" {
			return cmdutil.WriteYAML(a.Streams.Out, document)
		}
		return cmdutil.WriteJSON(a.Streams.Out, document)
	case "name":
		for _, m := range list.Machines {
			if err := cmdutil.Say(a.Streams.Out, "virtualmachine.kubevirt.io/%s\n", m.Name); err != nil {
				return err
			}
		}
		return nil
	}
	for _, gap := range list.NotRead {
		a.Notices.Warn(gap.What+" are not shown: "+gap.Reason, hint.Text{})
	}
	if len(list.Machines) == 0 {
		return cmdutil.Say(a.Streams.Err, "No worker VMs of hosted cluster %s/%s.\n", namespace, name)
	}
	rows := machineRows(list.Machines, f.output == "wide", t.Now())
	if f.noHeaders {
		rows = rows[1:]
	}
	return (&cmdutil.Table{W: a.Streams.Out}).Write(rows...)
}

// machineRows returns the rows of the table, with headings.
func machineRows(list []machines.Machine, wide bool, now time.Time) [][]string {
	headings := []string{"NAME", "NODEPOOL", "NODE", "HOST", "RACK", "ZONE", "STATE", "READY", "AGE"}
	if wide {
		headings = append(headings, "ADDRESSES", "BOOT IMAGE")
	}
	rows := [][]string{headings}
	for _, m := range list {
		row := []string{m.Name, m.NodePool, m.Node, m.Host, m.Rack, m.Zone, m.State, fmt.Sprint(m.Ready),
			duration.HumanDuration(max(0, now.Sub(m.Created)))}
		if wide {
			row = append(row, strings.Join(m.Addresses, ","), m.BootImage)
		}
		for i := range row {
			if row[i] == "" {
				row[i] = "-"
			}
		}
		rows = append(rows, row)
	}
	return rows
}
