package change

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/upgrade"
)

// NewUpgrade returns the command upgrade, with further commands below it.
func NewUpgrade(a *cmdutil.Factory, more ...*cobra.Command) *cobra.Command {
	cmd := cmdutil.Noun("upgrade", "Upgrade a hosted cluster or a node pool",
		append([]*cobra.Command{newUpgradeCluster(a), newUpgradeNodePool(a)}, more...)...)
	cmd.GroupID = "hosted"
	return cmd
}

func newUpgradeCluster(a *cmdutil.Factory) *cobra.Command {
	f, controlPlaneOnly := &cmdutil.ChangeFlags{}, false
	r := upgrade.Request{NodePools: []string{"all"}, Wait: upgrade.WaitComplete}
	cmd := &cobra.Command{
		Use:   "cluster NAME",
		Short: "Upgrade a hosted cluster: first its control plane, then its node pools",
		Long: `upgrade cluster without a release lists the releases that the cluster can be upgraded to, with what is known
against each, and ends with the next command: updates that the update service offers in the cluster's channel, with
their risks, and the management cluster's ClusterImageSets. It changes nothing in that case.

With --version or --release-image it writes the control plane's release, waits until its roll-out is Completed, and
then does the same with the node pools, whose VMs are replaced one after the other. After an interruption, run the
same command again to continue.

Before it writes anything, it refuses a downgrade, more than one minor version at once, a version outside what the
HyperShift operator supports, a node pool that would be more than three minor versions behind, and another minor
version while the cluster says that it is not upgradeable. --force-to overrides the cluster's own veto, by
HyperShift's annotation for that.`,
		Example: `  hcctl upgrade cluster kv-00
  hcctl upgrade cluster kv-00 --channel stable-4.21
  hcctl upgrade cluster kv-00 --version 4.20.4
  hcctl upgrade cluster kv-00 --version 4.21.0 --node-pools kv-00 --dry-run
  hcctl upgrade cluster kv-00 --control-plane-only \
    --release-image quay.io/openshift-release-dev/ocp-release:4.20.4-multi`,
		Args: cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Name, r.Namespace = args[0], cmdutil.ClustersNamespace(a)
			if controlPlaneOnly {
				if cmd.Flags().Changed("node-pools") {
					return cmdutil.Misuse(cmd, errors.New("--control-plane-only and --node-pools: give one of them"))
				}
				r.NodePools = []string{"none"}
			}
			if err := r.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if !r.Targeted() && r.Channel == "" && !f.DryRun {
				if err := cmdutil.OneOf(f.Output, "", "json", "yaml"); err != nil {
					return cmdutil.Misuse(cmd, err)
				}
				return listUpdates(cmd.Context(), a, r.Namespace, r.Name, f.Output)
			}
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return upgradeCluster(cmd.Context(), a, r, f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&r.Version, "version", "", "version to upgrade to, such as 4.20.4, from the available updates and "+
		"ClusterImageSets")
	fl.StringVar(&r.ReleaseImage, "release-image", "", "release image to upgrade to")
	fl.StringVar(&r.ForceTo, "force-to", "", "release image to upgrade to even if the cluster says that it is not "+
		"upgradeable, or it is more than one minor version ahead")
	fl.StringVar(&r.Channel, "channel", "", "update channel to set, such as stable-4.20; alone, nothing else is changed")
	fl.StringSliceVar(&r.NodePools, "node-pools", r.NodePools,
		"node pools that follow the control plane: all, none or names")
	fl.BoolVar(&controlPlaneOnly, "control-plane-only", false, "leave the node pools as they are, as --node-pools none")
	fl.BoolVar(&r.AllowNotRecommended, "allow-not-recommended", false,
		"accept a release for which the update service reports risks")
	fl.StringVar((*string)(&r.Wait), "wait", string(r.Wait), "what to wait for: none (only the control plane's release "+
		"is written) or complete")
	cmdutil.Complete(cmd, "wait", "none", "complete")
	cmdutil.Complete(cmd, "node-pools", "all", "none")
	f.Bind(cmd, a, 3*time.Hour)
	return cmd
}

func listUpdates(ctx context.Context, a *cmdutil.Factory, namespace, name, output string) error {
	t, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	l, err := upgrade.Lists(ctx, t.Client, namespace, name)
	if err != nil {
		return err
	}
	switch output {
	case "json":
		return cmdutil.WriteJSON(a.Streams.Out, l)
	case "yaml":
		return cmdutil.WriteYAML(a.Streams.Out, l)
	}
	return PrintUpdates(a, l)
}

// PrintUpdates prints the list for a person.
func PrintUpdates(a *cmdutil.Factory, l *upgrade.List) error {
	var b strings.Builder
	cmdutil.Tell(&b, "Hosted cluster %s/%s runs %s", l.Namespace, l.Name,
		orNone(cmdutil.ShownVersion(l.Version), "no version yet"))
	cmdutil.Tell(&b, ", channel %s.\n", orNone(cmdutil.ShownChannel(l.Channel), "not set"))
	if l.Ongoing != "" {
		cmdutil.Tell(&b, "An upgrade to %s is under way.\n", l.Ongoing)
	}
	if u := l.Upgradeable; u != nil && u.Status == "False" {
		cmdutil.Tell(&b, "It must not go to another minor version now (%s): %s\n", u.Reason, u.Message)
	}
	b.WriteString("\n")
	if len(l.Updates) > 0 {
		rows := [][]string{{"VERSION", "FROM", "NOTE"}}
		for _, u := range l.Updates {
			rows = append(rows, []string{cmdutil.ShownVersion(u.Version), u.From(cmdutil.ShownChannel(l.Channel)), u.Note()})
		}
		if err := (&cmdutil.Table{W: &b}).Write(rows...); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	if len(l.NodePools) > 0 {
		rows := [][]string{{"NODE POOL", "VERSION", "NOTE"}}
		for _, p := range l.NodePools {
			note := ""
			if p.Behind {
				note = "older than the control plane"
			}
			rows = append(rows, []string{p.Name, orNone(cmdutil.ShownVersion(p.Version), "-"), note})
		}
		if err := (&cmdutil.Table{W: &b}).Write(rows...); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	cmdutil.Tell(&b, "%s.\n", cmdutil.UpperFirst(l.Why))
	if l.Next != "" {
		cmdutil.Tell(&b, "Next: %s\n", a.WithConnection(l.Next))
	}
	return cmdutil.Say(a.Streams.Out, "%s", cmdutil.Text(b.String()))
}

func orNone(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func upgradeCluster(ctx context.Context, a *cmdutil.Factory, r upgrade.Request, f *cmdutil.ChangeFlags) error {
	t, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	p, err := upgrade.Prepare(ctx, t.Client, r)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("hosted cluster %s/%s", r.Namespace, r.Name)
	c := cmdutil.Change{
		Command: "upgrade cluster", Kind: "UpgradePlan", Notes: p.Notes,
		Steps: func(dry *cmdutil.Target) ([]step.Step, error) {
			if dry == t {
				return p.Steps(), nil
			}
			planned, err := upgrade.Prepare(ctx, dry.Client, r)
			if err != nil {
				return nil, err
			}
			return planned.Steps(), nil
		},
	}
	if !r.Targeted() {
		c.Question = cmdutil.Textf("Set the channel of %s to %s on %s?", what, r.Channel, t.Named())
		c.Heading = cmdutil.Textf("Setting the channel of %s to %s on %s", what, r.Channel, t)
		c.Done = "The cluster asks the update service for its updates within a few minutes."
		c.Next = fmt.Sprintf("hcctl upgrade cluster %s%s", r.Name, cmdutil.NamespaceFlag(a))
		return a.CarryOut(ctx, t, f, c)
	}
	pools := make([]string, 0, len(p.Pools))
	for i := range p.Pools {
		pools = append(pools, p.Pools[i].Name)
	}
	follow := "its node pools stay as they are"
	if len(pools) > 0 {
		follow = "then its node pools " + strings.Join(pools, ", ") + ", whose VMs are replaced"
	}
	route := fmt.Sprintf("from %s to %s (%s)", orNone(p.From, "no version"), p.Target.Name(), p.Target.Label())
	c.Details, c.Destroys = notesOf(p.Notes), len(pools) > 0 && r.Wait != upgrade.WaitNone
	c.Question = cmdutil.Textf("Upgrade %s %s, %s, on %s?", what, route, follow, t.Named())
	c.Heading = cmdutil.Textf("Upgrading %s %s on %s\nRelease %s; %s", what, route, t, p.Target.Image, follow)
	c.Done = fmt.Sprintf("%s is at %s.", cmdutil.UpperFirst(what), p.Target.Name())
	switch {
	case r.Wait == upgrade.WaitNone:
		c.Done = fmt.Sprintf("%s asks for %s.", cmdutil.UpperFirst(what), p.Target.Name())
		c.Next = fmt.Sprintf("hcctl upgrade cluster %s%s --release-image %s follows it, and takes the node pools along",
			r.Name, cmdutil.NamespaceFlag(a), sanitize.Word(p.Target.Image))
	case len(pools) == 0:
		c.Next = fmt.Sprintf("hcctl upgrade nodepool NAME%s for each of its pools", cmdutil.NamespaceFlag(a))
	}
	return a.CarryOut(ctx, t, f, c)
}

// notesOf returns each note on its own line.
func notesOf(notes []string) []cmdutil.Text {
	all := make([]cmdutil.Text, 0, len(notes)+1)
	for _, n := range notes {
		all = append(all, cmdutil.Textf("Note: %s", n))
	}
	return all
}
