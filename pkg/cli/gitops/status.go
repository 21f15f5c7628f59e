package gitops

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet/gitops"
	"github.com/hcctl/hcctl/pkg/step"
)

// document is the document of gitops status -o json: docs/schema/gitops-status.json.
type document struct {
	step.TypeMeta
	Namespace    string       `json:"namespace"`
	Applications []gitops.Row `json:"applications"`
}

func newStatus(a *cmdutil.Factory) *cobra.Command {
	output, namespace, env := "", "", ""
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show for each Application and cluster whether it is synced and healthy, and why not",
		Long: `status shows the Applications of Argo CD, those that are not well first: the cluster that each is for,
whether it is synced and healthy in Argo CD's own words, and the reason if not. Of hosted clusters that are not
well it says what hcctl status says of them. It changes nothing, and reads no Secret.

The exit code is 0 if all are synced and healthy, or stopped on purpose (Suspended), and 3 otherwise.`,
		Example: "  hcctl gitops status\n  hcctl gitops status --env prod -o json",
		Args:    cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkNamespace(namespace); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return runStatus(cmd.Context(), a, namespace, env, output)
		},
	}
	cmdutil.OutputFlag(cmd, &output, "json")
	cmd.Flags().StringVar(&namespace, "argocd-namespace", gitops.DefaultNamespace, "namespace of Argo CD")
	cmd.Flags().StringVar(&env, "env", "", "only this environment")
	cmdutil.Complete(cmd, "argocd-namespace")
	cmdutil.Complete(cmd, "env")
	return cmd
}

func runStatus(ctx context.Context, a *cmdutil.Factory, namespace, env, output string) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	rows, err := gitops.Applications(ctx, t.Client, namespace)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	if env != "" {
		rows = slices.DeleteFunc(rows, func(r gitops.Row) bool { return r.Environment != env })
	}
	if output == "json" {
		err = cmdutil.WriteJSON(a.Streams.Out, document{step.NewTypeMeta("GitOpsStatus"), namespace,
			append([]gitops.Row{}, rows...)})
	} else {
		err = printRows(a, namespace, rows)
	}
	if err != nil {
		return err
	}
	bad := 0
	for _, r := range rows {
		if !r.OK() {
			bad++
		}
	}
	if bad > 0 {
		return cmdutil.WithExit(cmdutil.ExitMissing,
			fmt.Errorf("%d of %s not synced or not healthy", bad, plural.Count(len(rows), "Application")))
	}
	return nil
}

func printRows(a *cmdutil.Factory, namespace string, rows []gitops.Row) error {
	if len(rows) == 0 {
		return cmdutil.Say(a.Streams.Out, "There is no Application in namespace %s.\n", namespace)
	}
	lines := [][]string{{"APPLICATION", "CLUSTER", "SYNC", "HEALTH", "REASON"}}
	for _, r := range rows {
		lines = append(lines, []string{r.Application, r.Cluster, r.Sync, r.Health, r.Reason})
	}
	if err := (&cmdutil.Table{W: a.Streams.Out}).Write(lines...); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Hint != "" {
			if err := cmdutil.Say(a.Streams.Out, "%s: %s\n", r.Application, r.Hint); err != nil {
				return err
			}
		}
	}
	return nil
}
