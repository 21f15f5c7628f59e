package cli

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	clusters, err := hostedcluster.Clusters(ctx, t.Client, namespace)
	if err != nil {
		return err
	}
	switch output {
	case "json":
		return writeJSON(a.streams.Out, clusterList(clusters))
	case "yaml":
		data, err := yaml.Marshal(clusterList(clusters))
		if err != nil {
			return err
		}
		_, err = a.streams.Out.Write(data)
		return err
	case "name":
		for i := range clusters {
			if _, err := fmt.Fprintf(a.streams.Out, "hostedcluster.hypershift.openshift.io/%s\n", clusters[i].Name); err != nil {
				return err
			}
		}
		return nil
	}
	if len(clusters) == 0 {
		where := "namespace " + namespace
		if namespace == "" {
			where = "any namespace"
		}
		_, _ = fmt.Fprintf(a.streams.Err, "No hosted clusters in %s.\n", where)
		return nil
	}
	cells := make([][]string, 0, len(clusters))
	for _, r := range hostedcluster.Rows(clusters) {
		cells = append(cells, r.Cells(namespace == ""))
	}
	return writeTable(a.streams.Out, hostedcluster.Columns(namespace == ""), cells)
}

// clusterList is the document of get clusters -o json and yaml: the objects themselves, as oc prints them.
func clusterList(clusters []hyperv1.HostedCluster) *hyperv1.HostedClusterList {
	gv := hyperv1.GroupVersion.String()
	for i := range clusters {
		clusters[i].TypeMeta = metav1.TypeMeta{APIVersion: gv, Kind: "HostedCluster"}
		clusters[i].ManagedFields = nil
	}
	return &hyperv1.HostedClusterList{TypeMeta: metav1.TypeMeta{APIVersion: gv, Kind: "HostedClusterList"}, Items: clusters}
}
