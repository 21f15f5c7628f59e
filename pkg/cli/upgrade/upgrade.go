// Package upgrade implements hcctl upgrade cluster, upgrade nodepool and upgrade management.
package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
)

// New returns the command upgrade, with further subcommands.
func New(a *cmdutil.Factory, more ...*cobra.Command) *cobra.Command {
	cmd := cmdutil.Noun("upgrade", "Upgrade a hosted cluster or a node pool",
		append([]*cobra.Command{newUpgradeCluster(a), newUpgradeNodePool(a)}, more...)...)
	cmd.GroupID = "hosted"
	return cmd
}

func newUpgradeCluster(a *cmdutil.Factory) *cobra.Command {
	f, controlPlaneOnly, several, through := &cmdutil.ChangeFlags{}, false, each.Flags{}, hubUpgrade{}
	r := upgrade.Request{NodePools: []string{"all"}, Wait: upgrade.WaitComplete}
	cmd := &cobra.Command{
		Use:   each.Use,
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
HyperShift's annotation for that.

Several hosted clusters are upgraded to the same release, --parallel at a time; one that is refused or fails stops
none of the others.

With --hub it upgrades hosted clusters of any management cluster of a hub, to a --version that a ClusterImageSet of
the hub has, or to an image, with --node-pools all or none; a hub does not know the risks of updates. With --wave site
it goes one site after the other, with --wave env one environment after the other, in the order of their names, and
--max-unavailable at a time. The first failure stops all that have not begun.`,
		Example: `  hcctl upgrade cluster kv-00
  hcctl upgrade cluster kv-00 --channel stable-4.21
  hcctl upgrade cluster kv-00 --version 4.20.4
  hcctl upgrade cluster -l fleet=lab --version 4.20.4 --parallel 3
  hcctl upgrade cluster kv-00 --version 4.21.0 --node-pools kv-00 --dry-run
  hcctl upgrade cluster -l env=dev -A --hub --wave site --max-unavailable 2 \
    --release-image quay.io/openshift-release-dev/ocp-release:4.20.4-multi
  hcctl upgrade cluster kv-00 --control-plane-only \
    --release-image quay.io/openshift-release-dev/ocp-release:4.20.4-multi`,
		Args: several.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if controlPlaneOnly {
				if cmd.Flags().Changed("node-pools") {
					return cmdutil.Misuse(cmd, errors.New("--control-plane-only and --node-pools: give only one of them"))
				}
				r.NodePools = []string{"none"}
			}
			if err := through.validate(cmd, r); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if through.on {
				return through.run(cmd, a, &several, args, r, f)
			}
			if err := errors.Join(r.Validate(), aboutSeveral(&several, args, r)); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if !r.Targeted() && r.Channel == "" {
				if err := cmdutil.CheckFormat(f.Output, "json", "yaml"); err != nil {
					return cmdutil.Misuse(cmd, err)
				}
				return listUpdates(cmd.Context(), a, cmdutil.ClustersNamespace(a.Call), args[0], f.Output)
			}
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return upgradeClusters(cmd.Context(), a, &several, args, r, f)
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
	several.Bind(cmd)
	through.bind(cmd)
	f.Bind(cmd, a, 3*time.Hour)
	return cmd
}

func listUpdates(ctx context.Context, a *cmdutil.Factory, namespace, name, output string) error {
	t, err := a.Connection.Connect(ctx)
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

// PrintUpdates prints the list for a user.
func PrintUpdates(a *cmdutil.Factory, l *upgrade.List) error {
	var b strings.Builder
	cmdutil.Tell(&b, "Hosted cluster %s/%s runs %s", l.Namespace, l.Name,
		cmp.Or(cmdutil.ShownVersion(l.Version), "no version yet"))
	cmdutil.Tell(&b, ", channel %s.\n", cmp.Or(cmdutil.ShownChannel(l.Channel), "not set"))
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
			rows = append(rows, []string{p.Name, cmp.Or(cmdutil.ShownVersion(p.Version), "-"), note})
		}
		if err := (&cmdutil.Table{W: &b}).Write(rows...); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	cmdutil.Tell(&b, "%s.\n", cmdutil.UpperFirst(l.Why))
	if !l.Next.IsZero() {
		cmdutil.Tell(&b, "Next: %s\n", a.Call.Render(l.Next))
	}
	return cmdutil.Say(a.Streams.Out, "%s", cmdutil.Text(b.String()))
}

// aboutSeveral returns an error for options that only one hosted cluster can have.
func aboutSeveral(several *each.Flags, names []string, r upgrade.Request) error {
	all := len(r.NodePools) == 1 && (r.NodePools[0] == "all" || r.NodePools[0] == "none")
	switch {
	case several.One(names):
		return nil
	case !r.Targeted() && r.Channel == "":
		return errors.New("to which release? Give --version, --release-image or --channel; hcctl upgrade cluster NAME " +
			"lists " +
			"the releases of one hosted cluster")
	case r.ForceTo != "":
		return errors.New("--force-to overrides what one hosted cluster says: give its name alone")
	case !all:
		return errors.New("--node-pools names the pools of one hosted cluster: for several give all or none")
	}
	return nil
}

func upgradeClusters(ctx context.Context, a *cmdutil.Factory, several *each.Flags, names []string, r upgrade.Request,
	f *cmdutil.ChangeFlags) error {
	to := r.Version + r.ReleaseImage + r.ForceTo
	w := each.Work{Command: "upgrade cluster", Kind: "UpgradePlan", Ask: "Upgrade %s to " + escapeFormat(to),
		Heading: "Upgrading %s to " + escapeFormat(to)}
	if !r.Targeted() {
		w.Ask = "Set the channel of %s to " + escapeFormat(r.Channel)
		w.Heading = "Setting the channel of %s to " + escapeFormat(r.Channel)
	}
	w.Prepare = func(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName) (each.Change, error) {
		of := r
		of.Namespace, of.Name = one.Namespace, one.Name
		return upgradeChange(ctx, t, of)
	}
	return each.CarryOut(ctx, a, several, f, names, w)
}

// escapeFormat keeps a word of the user from being read as a format.
func escapeFormat(word string) string { return strings.ReplaceAll(word, "%", "%%") }

// upgradeChange returns the change that upgrades one hosted cluster, or sets its channel.
func upgradeChange(ctx context.Context, t *cmdutil.Target, r upgrade.Request) (each.Change, error) {
	p, err := upgrade.Prepare(ctx, t.Client, r)
	if err != nil {
		return each.Change{}, err
	}
	what := fmt.Sprintf("hosted cluster %s/%s", r.Namespace, r.Name)
	c := each.Change{
		Notes: p.Notes,
		Steps: p.Steps(),
	}
	if !r.Targeted() {
		c.Question = cmdutil.Textf("Set the channel of %s to %s on %s?", what, r.Channel, t.Named())
		c.Heading = cmdutil.Textf("Setting the channel of %s to %s on %s", what, r.Channel, t)
		c.Done = "The cluster asks the update service for its updates within a few minutes."
		c.Next = hint.Run("upgrade cluster", hostedcluster.Argument(r.Namespace, r.Name)).Text()
		return c, nil
	}
	pools := make([]string, 0, len(p.Pools))
	for i := range p.Pools {
		pools = append(pools, p.Pools[i].Name)
	}
	follow := "its node pools stay as they are"
	if len(pools) > 0 {
		follow = "then its node pools " + strings.Join(pools, ", ")
		if hostedcluster.PlatformOf(p.Cluster).KubeVirt() {
			follow += ", whose VMs are replaced"
		}
	}
	route := fmt.Sprintf("from %s to %s (%s)", cmp.Or(p.From, "no version"), p.Target.Name(), p.Target.Label())
	c.About = cmdutil.Textf("%s, %s", route, follow)
	c.Details, c.Destroys = cmdutil.Notes(p.Notes), len(pools) > 0 && r.Wait != upgrade.WaitNone
	c.Question = cmdutil.Textf("Upgrade %s %s, %s, on %s?", what, route, follow, t.Named())
	c.Heading = cmdutil.Textf("Upgrading %s %s on %s\nRelease %s; %s", what, route, t, p.Target.Image, follow)
	c.Done = fmt.Sprintf("%s is at %s.", cmdutil.UpperFirst(what), p.Target.Name())
	switch {
	case r.Wait == upgrade.WaitNone:
		c.Done = fmt.Sprintf("%s is set to %s.", cmdutil.UpperFirst(what), p.Target.Name())
		c.Next = hint.New("%s follows it, and takes the node pools along",
			hint.Run("upgrade cluster", hostedcluster.Argument(r.Namespace, r.Name)).Flag("release-image", p.Target.Image))
	case len(pools) == 0:
		c.Next = hint.New("%s for each of its pools",
			hint.Run("upgrade nodepool", hostedcluster.Argument(r.Namespace, "NAME")))
	}
	return c, nil
}
