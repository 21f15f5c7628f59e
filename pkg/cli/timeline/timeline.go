// Package timeline implements hcctl timeline.
package timeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/hostedcluster/timeline"
	"github.com/hcctl/hcctl/pkg/step"
)

// New returns the command timeline.
func New(a *cmdutil.Factory) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:     "timeline FILE|NAME",
		GroupID: "hosted",
		Short:   "Show where the minutes of a run or of a new hosted cluster went",
		Long: `timeline shows how long each step took, what it waited for, and the critical path: the steps that the end
waited for.

FILE has the events of a run, which bootstrap, create, apply, upgrade and delete write with -o json; - is stdin. NAME
is a hosted cluster: then the times are those of its own conditions, in whole seconds, also if hcctl did not create
it. A name for which there is a file means the file; cluster/NAME always means the cluster.`,
		Example: `  hcctl bootstrap --yes -o json > run.jsonl; hcctl timeline run.jsonl
  hcctl timeline run.jsonl -o html > run.html
  hcctl timeline kv-00
  hcctl timeline cluster/kv-00 -o json`,
		Args: oneSource,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := read(cmd, a, args[0])
			if err != nil {
				return err
			}
			return write(a, r, output)
		},
	}
	cmdutil.OutputFlag(cmd, &output, cmdutil.FormatHTML, "json")
	return cmd
}

// eventsHint is what to do about a file without events.
var eventsHint = hint.New("give all that a command with -o json wrote, such as %s > run.jsonl",
	hint.Run("bootstrap").Flag("yes").Flag("o", "json"))

// clusterPrefix marks an argument as the name of a cluster.
const clusterPrefix = "cluster/"

// oneSource accepts exactly one argument.
func oneSource(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return cmdutil.Misuse(cmd, errors.New("give one file with a run's events, or the name of one hosted cluster"))
	}
	return nil
}

// read reads the run that an argument names.
func read(cmd *cobra.Command, a *cmdutil.Factory, name string) (*timeline.Run, error) {
	cluster, forced := strings.CutPrefix(name, clusterPrefix)
	if !forced {
		if name == "-" {
			return readEvents(a, "stdin", a.Streams.In)
		}
		switch info, err := os.Stat(name); {
		case err == nil && info.IsDir():
			return nil, cmdutil.WithHint(fmt.Errorf("%s is a directory", name), "%s", eventsHint)
		case err == nil:
			return readFile(a, name)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case strings.ContainsAny(name, "./\\") && !cmdutil.IsFullName(name):
			return nil, cmdutil.WithHint(fmt.Errorf("there is no file %s", name),
				"%s takes a file with a run's events, or the name of a hosted cluster", hint.Run("timeline"))
		}
	}
	names := []string{cluster}
	if err := cmdutil.Named(cmd, "hosted cluster", names); err != nil {
		return nil, err
	}
	return readCluster(cmd.Context(), a, names[0])
}

func readFile(a *cmdutil.Factory, name string) (*timeline.Run, error) {
	f, err := os.Open(name) //nolint:gosec // the user names the file
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return readEvents(a, name, f)
}

func readEvents(a *cmdutil.Factory, name string, from io.Reader) (*timeline.Run, error) {
	r, runs, err := timeline.Read(from)
	if err != nil {
		return nil, cmdutil.WithHint(fmt.Errorf("%s: %w", name, err), "%s", eventsHint)
	}
	if runs > 1 {
		cmdutil.Tell(a.Streams.Err, "%s has the events of %d runs: this is the last one.\n", name, runs)
	}
	return r, nil
}

func readCluster(ctx context.Context, a *cmdutil.Factory, name string) (*timeline.Run, error) {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return nil, err
	}
	hc, err := hostedcluster.Find(ctx, t.Client, cmdutil.ClustersNamespace(a.Call), name)
	if err != nil {
		return nil, err
	}
	pools, err := hostedcluster.Pools(ctx, t.Client, hc.Namespace, hc.Name)
	if err != nil {
		return nil, err
	}
	run := timeline.OfCluster(hc, pools, t.String(), time.Now())
	if run.Unmet() {
		// The times are useful without the cause, too.
		if now, err := status.Of(ctx, t.Client, hc.Namespace, hc.Name); err == nil {
			run.Because(now.Says())
		}
	}
	return run, nil
}

// document is the run as JSON.
type document struct {
	step.TypeMeta
	*timeline.Run
}

func write(a *cmdutil.Factory, r *timeline.Run, output string) error {
	switch output {
	case cmdutil.FormatHTML:
		return a.Streams.Document([]byte(r.Page().String()))
	case "json":
		return cmdutil.WriteJSON(a.Streams.Out, document{step.NewTypeMeta("Timeline"), r})
	}
	return a.Streams.Document([]byte(r.Text(a.Streams.ScreenOut().Width)))
}
