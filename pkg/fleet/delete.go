package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// ClusterName is the name of a hosted cluster.
type ClusterName struct{ Namespace, Name string }

// Selection says which objects are meant.
type Selection struct {
	// Namespace is empty for all namespaces.
	Namespace string
	Labels    labels.Selector
	// OlderThan leaves out what was created less long ago; 0 leaves out nothing.
	OlderThan time.Duration
}

// selects reports whether the object is meant at that time of its API server.
func (s Selection) selects(object metav1.Object, now time.Time) bool {
	return s.Labels.Matches(labels.Set(object.GetLabels())) &&
		hostedcluster.IsOlder(object.GetCreationTimestamp().Time, now, s.OlderThan)
}

// Select returns the selected hosted clusters. It fails with *hostedcluster.NotInstalledError, or with the error of the
// read.
func Select(ctx context.Context, c *kube.Client, s Selection) ([]ClusterName, error) {
	clusters, err := hostedcluster.Clusters(ctx, c, s.Namespace)
	if err != nil {
		return nil, err
	}
	var names []ClusterName
	for i := range clusters {
		if s.selects(&clusters[i], c.Now()) {
			names = append(names, ClusterName{clusters[i].Namespace, clusters[i].Name})
		}
	}
	return inOrder(names), nil
}

// SelectPools is Select for node pools.
func SelectPools(ctx context.Context, c *kube.Client, s Selection) ([]ClusterName, error) {
	var pools hyperv1.NodePoolList
	chosen := client.MatchingLabelsSelector{Selector: s.Labels}
	if err := c.List(ctx, &pools, client.InNamespace(s.Namespace), chosen); err != nil {
		if kube.IsKindMissing(err) {
			return nil, &hostedcluster.NotInstalledError{}
		}
		return nil, fmt.Errorf("list NodePools: %w", err)
	}
	var names []ClusterName
	for i := range pools.Items {
		if s.selects(&pools.Items[i], c.Now()) {
			names = append(names, ClusterName{pools.Items[i].Namespace, pools.Items[i].Name})
		}
	}
	return inOrder(names), nil
}

// inOrder sorts names by namespace and name.
func inOrder(names []ClusterName) []ClusterName {
	slices.SortFunc(names, func(a, b ClusterName) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return names
}
