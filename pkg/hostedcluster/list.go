package hostedcluster

import (
	"context"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Row is one hosted cluster with the columns that "oc get hostedclusters" prints: the printer columns of HyperShift's CRD.
// What is not known yet is empty.
type Row struct {
	Namespace string
	Name      string
	// Version is the last one whose roll-out completed.
	Version string
	// KubeConfig is the name of the Secret with the admin kubeconfig.
	KubeConfig string
	// Progress is "Partial" or "Completed".
	Progress string
	// Available and Progressing are the status of the condition of that name.
	Available   string
	Progressing string
	// Message is that of the condition Available.
	Message string
}

// Columns are the headings of a Row's cells.
func Columns(withNamespace bool) []string {
	columns := []string{"NAME", "VERSION", "KUBECONFIG", "PROGRESS", "AVAILABLE", "PROGRESSING", "MESSAGE"}
	if withNamespace {
		columns = append([]string{"NAMESPACE"}, columns...)
	}
	return columns
}

// Cells are the values under Columns.
func (r Row) Cells(withNamespace bool) []string {
	cells := []string{r.Name, r.Version, r.KubeConfig, r.Progress, r.Available, r.Progressing, r.Message}
	if withNamespace {
		cells = append([]string{r.Namespace}, cells...)
	}
	return cells
}

// Clusters lists the hosted clusters of a namespace, or of all if it is empty. It fails with *NotInstalledError where
// HyperShift is not installed.
func Clusters(ctx context.Context, c *kube.Client, namespace string) ([]hyperv1.HostedCluster, error) {
	items := []hyperv1.HostedCluster{}
	err := eachHostedCluster(ctx, c, namespace, func(hc *hyperv1.HostedCluster) { items = append(items, *hc) })
	switch {
	case kube.IsKindMissing(err):
		return nil, &NotInstalledError{}
	case err != nil:
		return nil, fmt.Errorf("list HostedClusters: %w", err)
	}
	return items, nil
}

// Rows are the clusters as a table shows them.
func Rows(clusters []hyperv1.HostedCluster) []Row {
	rows := make([]Row, 0, len(clusters))
	for i := range clusters {
		rows = append(rows, rowOf(&clusters[i]))
	}
	return rows
}

func rowOf(hc *hyperv1.HostedCluster) Row {
	r := Row{Namespace: hc.Namespace, Name: hc.Name}
	if hc.Status.KubeConfig != nil {
		r.KubeConfig = hc.Status.KubeConfig.Name
	}
	if v := hc.Status.Version; v != nil {
		for _, h := range v.History {
			if r.Version == "" && h.State == configv1.CompletedUpdate {
				r.Version = h.Version
			}
			if r.Progress == "" {
				r.Progress = string(h.State)
			}
		}
	}
	for _, cond := range hc.Status.Conditions {
		switch hyperv1.ConditionType(cond.Type) {
		case hyperv1.HostedClusterAvailable:
			r.Available, r.Message = string(cond.Status), cond.Message
		case hyperv1.HostedClusterProgressing:
			r.Progressing = string(cond.Status)
		default:
		}
	}
	return r
}
