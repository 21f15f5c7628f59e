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

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// ClusterName is the name of a hosted cluster.
type ClusterName struct{ Namespace, Name string }

// Selection selects hosted clusters or node pools.
type Selection struct {
	// Namespace is empty for all namespaces.
	Namespace string
	Labels    labels.Selector
	// OlderThan leaves out objects that were created more recently; 0 leaves out none.
	OlderThan time.Duration
	// Marks select hosted clusters only.
	Marks
}

// Marks select hosted clusters by the marks of temporary clusters.
type Marks struct {
	// Expired selects clusters whose expiry has passed, Owner the clusters of one owner; empty selects all.
	Expired bool
	Owner   string
	// Guarded makes a selection fail with *ForeignError if it has clusters that do not belong to Job: clusters
	// of other owners and, unless Job is empty, clusters without an owner. Expired, Owner and the owner label in
	// the selector switch this off.
	Guarded bool
	Job     string
}

// Choose reports whether Expired or Owner is set.
func (m Marks) Choose() bool { return m.Expired || m.Owner != "" }

// Selects reports whether the marks select a hosted cluster. now is the time of its API server; an expiry must
// have passed by the clock of this machine as well.
func (m Marks) Selects(hc metav1.Object, now time.Time) bool {
	return (m.Owner == "" || hc.GetLabels()[hostedcluster.OwnerLabel] == m.Owner) &&
		(!m.Expired || hostedcluster.Expired(hc, now, time.Now()))
}

// Foreign reports whether a selection must not include a hosted cluster with these labels.
func (m Marks) Foreign(selector labels.Selector, of labels.Set) bool {
	if !m.Guarded || m.Choose() {
		return false
	}
	if _, agreed := selector.RequiresExactMatch(hostedcluster.OwnerLabel); agreed {
		return false
	}
	return of[hostedcluster.OwnerLabel] != m.Job
}

// ForeignError means that a selection has hosted clusters of other owners. Names lists them.
type ForeignError struct {
	Job   string
	Names []string
}

func (e *ForeignError) Error() string {
	whose := "belong to an owner"
	if e.Job != "" {
		whose = fmt.Sprintf("do not belong to %q", e.Job)
	}
	return fmt.Sprintf("nothing was deleted: of those that match, %d %s: %s", len(e.Names), whose, plural.Few(e.Names, 20))
}

// selects reports whether labels and age select the object. now is the time of its API server.
func (s Selection) selects(object metav1.Object, now time.Time) bool {
	return s.Labels.Matches(labels.Set(object.GetLabels())) &&
		hostedcluster.IsOlder(object.GetCreationTimestamp().Time, now, s.OlderThan)
}

// Select returns the selected hosted clusters. Its error is *hostedcluster.NotInstalledError, *ForeignError, or
// that of the read.
func Select(ctx context.Context, c *kube.Client, s Selection) ([]ClusterName, error) {
	clusters, err := hostedcluster.Clusters(ctx, c, s.Namespace)
	if err != nil {
		return nil, err
	}
	var names []ClusterName
	foreign := &ForeignError{Job: s.Job}
	for i := range clusters {
		hc := &clusters[i]
		if !s.selects(hc, c.Now()) || !s.Selects(hc, c.Now()) {
			continue
		}
		names = append(names, ClusterName{hc.Namespace, hc.Name})
		if s.Foreign(s.Labels, hc.Labels) {
			foreign.Names = append(foreign.Names, kube.Name(hc))
		}
	}
	if len(foreign.Names) > 0 {
		return nil, foreign
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
