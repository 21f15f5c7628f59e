package support

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/management/support"
	"github.com/hcctl/hcctl/pkg/step"
)

// document is the document of support -o json: docs/schema/support.json.
type document struct {
	step.TypeMeta
	Hcctl      string              `json:"hcctl"`
	Components []support.Component `json:"components"`
	// Cluster and Verdict are empty with --client.
	Cluster []support.Found `json:"cluster,omitempty"`
	Verdict support.Verdict `json:"verdict,omitempty"`
}

// New returns the command support.
func New(a *cmdutil.Factory) *cobra.Command {
	client, output := false, ""
	cmd := &cobra.Command{
		Use: "support", GroupID: "management",
		Short: "Say which versions hcctl was tested with, and whether this cluster is among them",
		Long: `support prints with which versions of OpenShift, Kubernetes, multicluster engine and HyperShift this hcctl was
tested, and compares those of the management cluster with them. It changes nothing.

tested means that the tests run hcctl with this minor version, in a sandbox; known that what hcctl reads and writes is
compared with that version's sources; untested neither. The exit code is 0 if everything is tested or known, 3 if
something is untested, and 1 if something could not be read. What is not installed does not count.

--client asks no cluster.`,
		Example: "  hcctl support\n  hcctl support --client\n  hcctl support -o json",
		Args:    cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), a, client, output)
		},
	}
	cmd.Flags().BoolVar(&client, "client", false, "only say what hcctl was tested with; contacts no cluster")
	cmdutil.OutputFlag(cmd, &output, "json")
	return cmd
}

func run(ctx context.Context, a *cmdutil.Factory, client bool, output string) error {
	d := document{TypeMeta: step.NewTypeMeta("Support"), Hcctl: cmdutil.Version,
		Components: support.Components()}
	about := ""
	if !client {
		t, err := a.Connection.Connect(ctx)
		if err != nil {
			return err
		}
		about = t.String()
		d.Cluster = support.Read(ctx, t.Client, t.OpenShift, t.Version)
		d.Verdict = support.Worst(d.Cluster)
	}
	if output == "json" {
		if err := cmdutil.WriteJSON(a.Streams.Out, d); err != nil {
			return err
		}
	} else if err := write(a, d, about); err != nil {
		return err
	}
	return exitOf(d.Verdict)
}

// exitOf returns the exit code of a verdict as an error: 3 if something is untested, 1 if something could not be
// read.
func exitOf(v support.Verdict) error {
	switch v {
	case support.Untested:
		return cmdutil.Ended(cmdutil.ExitMissing)
	case support.Unknown:
		return cmdutil.Ended(cmdutil.ExitError)
	case support.Tested, support.Known, support.Absent:
	}
	return nil
}

func write(a *cmdutil.Factory, d document, about string) error {
	rows := [][]string{{"COMPONENT", "TESTED", "KNOWN", "NOTE"}}
	for _, c := range d.Components {
		rows = append(rows, []string{c.Name, strings.Join(c.Tested, ", "), c.Known[0] + " to " + c.Known[1], c.Note})
	}
	if err := cmdutil.Say(a.Streams.Out, "hcctl %s was tested with\n\n", d.Hcctl); err != nil {
		return err
	}
	if err := (&cmdutil.Table{W: a.Streams.Out}).Write(rows...); err != nil {
		return err
	}
	if err := cmdutil.Say(a.Streams.Out, "\nIt has not been run against a real OpenShift by its tests.\n"); err != nil ||
		len(d.Cluster) == 0 {
		return err
	}
	rows = [][]string{{"COMPONENT", "VERSION", "VERDICT", "DETAIL"}}
	for _, f := range d.Cluster {
		rows = append(rows, []string{f.Component, cmp.Or(f.Version, "-"), string(f.Verdict), f.Detail})
	}
	if err := cmdutil.Say(a.Streams.Out, "\nManagement cluster %s\n\n", about); err != nil {
		return err
	}
	if err := (&cmdutil.Table{W: a.Streams.Out}).Write(rows...); err != nil {
		return err
	}
	return cmdutil.Say(a.Streams.Out, "\n%s\n", verdict(d.Verdict))
}

func verdict(v support.Verdict) string {
	return map[support.Verdict]string{
		support.Tested: "hcctl was tested with all of it.",
		support.Known:  "hcctl knows all of it; not all was tested.",
		support.Untested: "Something of it hcctl was never tested with: try commands with --dry-run first, and look for a " +
			"newer hcctl.",
		support.Unknown: "Something of it could not be read.",
	}[v]
}
