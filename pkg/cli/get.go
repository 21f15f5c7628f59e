package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

func newGet(a *app) *cobra.Command {
	cmd := noun("get", "List hosted clusters", newGetClusters(a))
	cmd.GroupID = "hosted"
	return cmd
}

func newGetClusters(a *app) *cobra.Command {
	output, all := "", false
	cmd := &cobra.Command{
		Use:     "clusters",
		Aliases: []string{"cluster"},
		Short:   "List hosted clusters, with the columns of oc get hostedclusters",
		Example: "  hcctl get clusters\n  hcctl get clusters -A -o json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf(output, "", "json", "yaml", "name"); err != nil {
				return misuse(cmd, err)
			}
			namespace := a.clustersNamespace()
			if all {
				namespace = ""
			}
			return a.getClusters(cmd.Context(), namespace, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "output format: json, yaml or name")
	cmd.Flags().BoolVarP(&all, "all-namespaces", "A", false, "list those of all namespaces")
	return cmd
}

func (a *app) getClusters(ctx context.Context, namespace, output string) error {
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	rows, err := hostedcluster.Clusters(ctx, t.Client, namespace)
	if err != nil {
		return err
	}
	switch output {
	case "json":
		return writeJSON(a.streams.Out, clusterList(rows))
	case "yaml":
		data, err := yaml.Marshal(clusterList(rows))
		if err != nil {
			return err
		}
		_, err = a.streams.Out.Write(data)
		return err
	case "name":
		for _, r := range rows {
			if _, err := fmt.Fprintf(a.streams.Out, "hostedcluster.hypershift.openshift.io/%s\n", r.Name); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		where := "namespace " + namespace
		if namespace == "" {
			where = "any namespace"
		}
		_, _ = fmt.Fprintf(a.streams.Err, "No hosted clusters in %s.\n", where)
		return nil
	}
	cells := make([][]string, 0, len(rows))
	for _, r := range rows {
		cells = append(cells, r.Cells(namespace == ""))
	}
	return writeTable(a.streams.Out, hostedcluster.Columns(namespace == ""), cells)
}

// clusterListDoc is the document of get clusters -o json and yaml.
type clusterListDoc struct {
	APIVersion string              `json:"apiVersion"`
	Kind       string              `json:"kind"`
	Items      []hostedcluster.Row `json:"items"`
}

func clusterList(rows []hostedcluster.Row) clusterListDoc {
	return clusterListDoc{APIVersion: "hcctl.dev/v1alpha1", Kind: "HostedClusterList", Items: rows}
}
