package update

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/update"
)

func newUpdateCluster(a *cmdutil.Factory) *cobra.Command {
	// Options have no defaults, because settings that are not given stay unchanged.
	o, f, r, wait := options.Cluster{}, &cmdutil.ChangeFlags{}, update.Request{}, true
	cmd := &cobra.Command{
		Use:   "cluster NAME",
		Short: "Change the settings of a hosted cluster; it warns before a change that replaces nodes",
		Long: `update cluster changes those settings of a HostedCluster that are given, and nothing else. Its flags are
those of create cluster that HyperShift allows to be changed later; for every other flag of create cluster it says why
it cannot be changed, and which command changes it instead. An empty value removes a setting.

Labels and annotations are added to the existing ones; all other settings replace the current value. The mirrors of
images and the proxy are in the configuration of the nodes: HyperShift replaces every node for them. Most others
restart pods of the control plane. The command says which before it asks, and then waits until the HyperShift operator
has accepted the change; hcctl status shows the roll-out.`,
		Example: `  hcctl update cluster kv-00 --audit-profile WriteRequestBodies
  hcctl update cluster kv-00 --labels env=prod --remove-labels trial
  hcctl update cluster kv-00 --https-proxy http://proxy.example.com:3128 --dry-run`,
		Args: cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Given = cmdutil.GivenFields(update.Fields(), cmd.Flags(), cmdutil.AsGiven)
			if len(r.Given)+len(r.RemoveLabels)+len(r.RemoveAnnotations) == 0 {
				return cmdutil.Misuse(cmd, errors.New("what is to be changed? Give at least one setting, such as "+
					"--audit-profile WriteRequestBodies"))
			}
			if err := a.Files.ReadFields(r.Given, &o, nil); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			r.Namespace, r.Name = cmdutil.ClustersNamespace(a.Call), args[0]
			r.Overlay = func(onto *options.Cluster) { option.Overlay(r.Given, &o, onto) }
			err := updateCluster(cmd.Context(), a, r, wait, f)
			if cmdutil.ExitCode(err) == cmdutil.ExitUsage {
				return cmdutil.Misuse(cmd, err)
			}
			return err
		},
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return refusedFlag(a, cmd, err) })
	flags := cmd.Flags()
	cmdutil.BindFields(flags, update.Fields(), &o, cmdutil.AsGiven)
	cmdutil.CompleteFields(cmd, update.Fields(), cmdutil.AsGiven)
	flags.StringSliceVar(&r.RemoveLabels, "remove-labels", nil, "labels of the HostedCluster to remove, by their names")
	flags.StringSliceVar(&r.RemoveAnnotations, "remove-annotations", nil,
		"annotations of the HostedCluster to remove, by their names")
	cmdutil.InGroup(flags, cmdutil.GroupOf(flags.Lookup("labels")), "remove-labels", "remove-annotations")
	flags.BoolVar(&wait, "wait", wait, "wait until the HyperShift operator has accepted the change")
	f.Bind(cmd, a, 10*time.Minute)
	cmdutil.InGroup(flags, cmdutil.WaitingGroup, "wait", "timeout", "trouble-timeout", "yes")
	cmdutil.InGroup(flags, cmdutil.OutputGroup, "dry-run", "output")
	return cmd
}

// refusedFlag explains why update cluster does not have a flag of create cluster, and what changes the setting
// instead.
func refusedFlag(a *cmdutil.Factory, cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		if why, way, ok := update.Refusal(unknown.GetSpecifiedName()); ok {
			return cmdutil.Misuse(cmd, cmdutil.WithHint(fmt.Errorf("--%s: %s", unknown.GetSpecifiedName(), why), "%s", way))
		}
	}
	return cmdutil.FlagError(cmd, a.Call.Args, err)
}

func updateCluster(ctx context.Context, a *cmdutil.Factory, r update.Request, wait bool,
	f *cmdutil.ChangeFlags) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	return each.Only(ctx, a, t, f, each.Work{Command: "update cluster", Kind: "UpdateClusterPlan",
		Prepare: func(ctx context.Context, t *cmdutil.Target, _ fleet.ClusterName) (each.Change, error) {
			u, err := update.Prepare(ctx, t.Client, r)
			if err != nil {
				return each.Change{}, err
			}
			u.Wait = wait && !f.DryRun
			return clusterChange(t, u, r), nil
		}})
}

// clusterChange returns the change that updates a hosted cluster.
func clusterChange(t *cmdutil.Target, u *update.Update, r update.Request) each.Change {
	what := fmt.Sprintf("HostedCluster %s/%s", r.Namespace, r.Name)
	c := each.Change{
		Heading:  cmdutil.Textf("Updating %s on %s", what, t),
		Question: cmdutil.Textf("Update %s on %s?", what, t.Named()),
		Steps:    u.Steps(),
	}
	for _, ch := range u.Changes {
		line := cmdutil.Textf("  %s", ch)
		c.Heading, c.Details = cmdutil.Lines(c.Heading, line), append(c.Details, line)
	}
	if len(u.Changes) == 0 {
		c.Notes = []string{"the hosted cluster has these settings already: nothing is changed"}
		return c
	}
	c.Done = fmt.Sprintf("%s has the requested settings.", what)
	switch u.Effect {
	case option.RestartsNothing:
	case option.RestartsControlPlane:
		c.Notes = []string{"pods of the control plane are restarted, one after the other"}
		c.Question = cmdutil.Textf("Update %s and roll out its control plane on %s?", what, t.Named())
	case option.ReplacesNodes:
		c.Notes = []string{"HyperShift replaces the nodes of every node pool, one after the other, and restarts pods of " +
			"the control plane"}
		c.Question = cmdutil.Textf("Update %s and replace all its nodes on %s?", what, t.Named())
		c.Destroys = true
	}
	if u.Effect != option.RestartsNothing {
		c.Details = append(c.Details, cmdutil.Notes(c.Notes)...)
		c.Next = hint.Run("status", hostedcluster.Argument(r.Namespace, r.Name)).Text()
	}
	return c
}
