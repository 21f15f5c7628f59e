// Package graph implements hcctl graph.
package graph

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/report/graph"
)

// Formats of graph.
const (
	formatDOT  = "dot"
	formatHTML = cmdutil.FormatHTML
	formatJSON = "json"
)

// New returns the command graph.
func New(a *cmdutil.Factory) *cobra.Command {
	output, s := "", &cmdutil.Settings{Flags: config.Default(), OwnTimeout: true}
	s.Flags.Timeout = time.Minute
	cmd := &cobra.Command{
		Use:     "graph",
		GroupID: "management",
		Short:   "Draw the prerequisites, what needs what, and their state",
		Long: `graph looks at every prerequisite, as check does, and writes them as a picture: an arrow leads from a step to
those that need it. It changes nothing.

The picture is written to stdout: in the language of Graphviz (dot), which is the default, or as one page of HTML
that needs nothing else. -o json lists the same steps and what they need. hcctl bootstrap --dry-run -o html draws what
a run would do instead.

The exit code says only whether the picture was made; hcctl check says what is missing.`,
		Example: `  hcctl graph -o html > prerequisites.html
  hcctl graph | dot -Tsvg > prerequisites.svg
  hcctl graph --only storage`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Choose(cmd, a.Files, a.Getenv)
			if err != nil {
				return err
			}
			return runGraph(cmd.Context(), a, c, output)
		},
	}
	cmdutil.OutputFlag(cmd, &output, formatDOT, formatHTML, formatJSON)
	s.Bind(cmd)
	cmd.Flags().Lookup("timeout").Usage = "time limit for the whole check"
	return cmd
}

func runGraph(ctx context.Context, a *cmdutil.Factory, c *cmdutil.Choice, output string) error {
	t, r, err := cmdutil.CheckPrerequisites(ctx, a.Connection, a.Limit, c)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	switch output {
	case formatHTML:
		return a.Streams.Document([]byte(graph.CheckPage(r, t.String()).String()))
	case formatJSON:
		return cmdutil.WriteJSON(a.Streams.Out, graph.NewDocument(r))
	}
	return a.Streams.Document([]byte(graph.OfCheck(r).DOT()))
}
