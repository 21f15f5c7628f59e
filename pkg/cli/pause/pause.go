// Package pause implements hcctl pause.
package pause

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
)

// New returns the command pause.
func New(a *cmdutil.Factory) *cobra.Command {
	f, until := &cmdutil.ChangeFlags{}, ""
	several := each.Flags{}
	cmd := &cobra.Command{
		Use: "pause " + each.Names, GroupID: "hosted",
		Short: "Pause a hosted cluster and its node pools: HyperShift applies no changes to them",
		Long: `pause sets spec.pausedUntil of the HostedCluster and of all its node pools, and waits until the
HyperShift operator reports the pause. The cluster keeps running; changes to it have no effect until hcctl resume,
or until the given time. A pool that had already been paused on its own is paused again after the resume:
its former value is kept in the annotation ` + nodepool.PausedAnnotation + `.`,
		Example: `  hcctl pause kv-00
  hcctl pause kv-00 --until 2h
  hcctl pause kv-00 --until 2026-03-01T10:00:00Z
  hcctl pause -l fleet=lab --until 2h --yes`,
		Args: several.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			value, err := nodepool.ParseUntil(until, time.Now())
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := f.Validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return Clusters(cmd.Context(), a, &several, args, value, f)
		},
	}
	cmd.Flags().StringVar(&until, "until", "", "when the pause ends by itself: a time (RFC 3339), or a duration from "+
		"now, such as 2h; by default it does not")
	several.Bind(cmd)
	f.Bind(cmd, a, 5*time.Minute)
	return cmdutil.OptionalNoun(cmd, cmdutil.ClusterNouns...)
}

// Clusters pauses clusters until a time, or resumes them if until is empty.
func Clusters(ctx context.Context, a *cmdutil.Factory, several *each.Flags, names []string, until string,
	f *cmdutil.ChangeFlags) error {
	w := each.Work{Command: "resume", Kind: "ResumePlan", Ask: "Resume %s", Heading: "Resuming %s"}
	if until != "" {
		word := untilWords(until, "they are")
		w = each.Work{Command: "pause", Kind: "PausePlan", Ask: "Pause %s and their node pools " + word,
			Heading: "Pausing %s and their node pools " + word,
			Next:    hint.Run("resume", each.Words(a.Call, several, names)).Text()}
	}
	w.Prepare = func(ctx context.Context, t *cmdutil.Target, one fleet.ClusterName) (each.Change, error) {
		return pauseChange(ctx, t, one.Namespace, one.Name, until)
	}
	return each.CarryOut(ctx, a, several, f, names, w)
}

// untilWords returns how long a pause lasts. is begins the condition, such as "it is".
func untilWords(until, is string) string {
	if until == "true" {
		return "until " + is + " resumed"
	}
	return "until " + until
}

// pauseChange returns the change that pauses a cluster until a time, or resumes it if until is empty.
func pauseChange(ctx context.Context, t *cmdutil.Target, namespace, name, until string) (each.Change, error) {
	var p *nodepool.Pausing
	var err error
	if until == "" {
		p, err = nodepool.PrepareResume(ctx, t.Client, namespace, name)
	} else {
		p, err = nodepool.PreparePause(ctx, t.Client, namespace, name, until)
	}
	if err != nil {
		return each.Change{}, err
	}
	what := fmt.Sprintf("hosted cluster %s/%s", namespace, name)
	c := each.Change{
		Notes:    p.Notes,
		Question: cmdutil.Textf("Resume %s on %s?", what, t.Named()),
		Heading:  cmdutil.Textf("Resuming %s on %s", what, t),
		Done:     fmt.Sprintf("HyperShift looks after %s.", what),
		Steps:    p.Steps(),
	}
	switch {
	case until == "" && p.Cluster.Spec.PausedUntil == nil && len(p.Pools) == 0:
		c.Notes = append(c.Notes, fmt.Sprintf("hosted cluster %s is not paused: there is nothing to resume", name))
		c.Done = ""
	case until != "":
		word := untilWords(until, "it is")
		c.Question = cmdutil.Textf("Pause %s and its node pools %s on %s?", what, word, t.Named())
		c.Heading = cmdutil.Textf("Pausing %s and its node pools %s on %s", what, word, t)
		c.Done = fmt.Sprintf("Paused %s: changes to it have no effect until then.", word)
		c.Next = hint.Run("resume", hostedcluster.Argument(namespace, name)).Text()
	}
	return c, nil
}
