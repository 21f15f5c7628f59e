// Package disks implements hcctl disks.
package disks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/step"
)

// New returns the command disks.
func New(a *cmdutil.Factory) *cobra.Command {
	output, s := "", &cmdutil.Settings{Flags: config.Default(), OwnTimeout: true}
	s.Flags.Timeout = time.Minute
	cmd := &cobra.Command{
		Use:     "disks",
		GroupID: "management",
		Short:   "Show the nodes' disks, and which of them bootstrap would take for storage",
		Long: `disks shows every disk that the Local Storage Operator has found on the nodes, whether bootstrap with these
settings would take it, and why not. It changes nothing.

The digest stands for the disks that would be taken. hcctl bootstrap --disks DIGEST confirms just these: if a disk
has come, gone or changed since, nothing is taken. With --disks FILE.json, which has what -o json printed, bootstrap
says which disk that is. A plan without doubts (SSD or NVMe disks with a name of their own, not removable, seen on
one node) needs no digest with --yes.`,
		Example: `  hcctl disks
  hcctl disks --disk-media any --disk-min-size 500Gi --disk-leave SanDisk
  hcctl disks --storage lvms --disks-per-node 1
  hcctl disks -o json | jq -r .digest
  hcctl disks -o json > plan.json`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Choose(cmd, a.Files, a.Getenv)
			if err != nil {
				return err
			}
			return runDisks(cmd.Context(), a, c, output)
		},
	}
	cmdutil.OutputFlag(cmd, &output, "wide", "json", "yaml")
	s.BindOnly(cmd, append(config.DiskFlags(), "storage")...)
	return cmd
}

// diskDocument is the plan as JSON or YAML.
type diskDocument struct {
	step.TypeMeta
	Digest string `json:"digest"`
	// Agreeable reports whether a run with --yes, or without a terminal, takes these disks without the digest.
	Agreeable bool     `json:"agreeable"`
	Doubts    []string `json:"doubts"`
	disk.Plan
}

func runDisks(ctx context.Context, a *cmdutil.Factory, c *cmdutil.Choice, output string) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	plan, err := c.Disks(ctx, t.Reader(informer.NewCache(ctx)))
	if err != nil {
		return t.Clarify(ctx, err)
	}
	doc := diskDocument{TypeMeta: step.NewTypeMeta("DiskPlan"), Digest: plan.Digest(),
		Agreeable: !stops(consent.Request{Doubts: len(plan.Doubts()) > 0}) && len(plan.Problems) == 0,
		Doubts:    append([]string{}, plan.Doubts()...), Plan: plan}
	switch output {
	case "json":
		return cmdutil.WriteJSON(a.Streams.Out, doc)
	case "yaml":
		return cmdutil.WriteYAML(a.Streams.Out, doc)
	}
	return cmdutil.Say(a.Streams.Out, "%s\n", diskText(plan, output == "wide"))
}

// stops reports whether a run that cannot ask the user stops at these disks.
func stops(r consent.Request) bool { return consent.Caller{}.Decide(r) == consent.NeedsDisks }

// diskText returns the plan for a user.
func diskText(plan disk.Plan, wide bool) cmdutil.Text {
	lines := make([]cmdutil.Text, 0, len(plan.Rows)+1)
	for _, line := range plan.Lines(wide) {
		lines = append(lines, cmdutil.Row(line))
	}
	lines = append(lines, "", cmdutil.Textf("Would take: %s.", plan.Summary()), cmdutil.Textf("Digest: %s", plan.Digest()))
	if len(plan.Problems) > 0 {
		lines = append(lines, cmdutil.Textf("Cannot be done: %s.", strings.Join(plan.Problems, "; ")))
	}
	if stops(plan.Request()) {
		lines = append(lines, cmdutil.Textf("Approval needed: %s", plan.Command()))
	}
	return cmdutil.Lines(lines...)
}

// nodesText returns a plan without doubts, one line for each node, for a terminal.
func nodesText(a *cmdutil.Factory, plan disk.Plan) cmdutil.Text {
	var lines []cmdutil.Text
	for _, line := range plan.ByNode() {
		lines = append(lines, cmdutil.Textf("  %s", line))
	}
	return cmdutil.Lines(append(lines, cmdutil.Textf("In all %s (%s shows each with model and serial number).",
		plan.Summary(), a.Call.Render(hint.Run("disks").Flag("o", "wide").Text())))...)
}

// ShowDisks returns a function that shows the disks that a run is about to take, and asks the user if the run
// has to.
func ShowDisks(a *cmdutil.Factory) storage.Consent {
	show := func(ctx context.Context, plan disk.Plan, asks bool) (err error) {
		a.Notices.Aside(func() {
			text := diskText(plan, false)
			if a.Streams.Screen().Width > 0 && len(plan.Doubts()) == 0 && len(plan.Problems) == 0 {
				text = nodesText(a, plan)
			}
			cmdutil.Tell(a.Streams.Err, "%s\n", cmdutil.Lines(cmdutil.Textf("Disks for %s:", plan.For), text))
			if !asks {
				return
			}
			err = a.Prompter.Ask(ctx, cmdutil.Question{Ask: "Take these disks, with all that is on them lost?"})
			if err != nil && ctx.Err() == nil {
				err = fmt.Errorf("the disks were not approved: none was taken; to approve just these: %s", plan.Command())
			}
		})
		return err
	}
	return storage.Consent{Caller: a.Prompter.Caller(), Show: show}
}
