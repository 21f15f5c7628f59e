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

// Selection says which objects are meant.
type Selection struct {
	// Namespace is empty for all namespaces.
	Namespace string
	Labels    labels.Selector
	// OlderThan leaves out what was created less long ago; 0 leaves out nothing.
	OlderThan time.Duration
	// Marks are about hosted clusters alone.
	Marks
}

// Marks choose hosted clusters by the marks of those that are not meant to stay.
type Marks struct {
	// Expired chooses those whose expiry has passed, Owner those that belong to it; empty chooses all.
	Expired bool
	Owner   string
	// Guarded has a selection fail with *ForeignError if it has clusters that do not belong to Job: those of other owners
	// and, unless Job is empty, those without one. An expiry, an Owner or its label in the selector agree to them.
	Guarded bool
	Job     string
}

// Choose reports whether a mark chooses.
func (m Marks) Choose() bool { return m.Expired || m.Owner != "" }

// Selects reports whether the marks of a hosted cluster choose it at that time of its API server. An expiry has to have
// passed by the clock of this machine as well.
func (m Marks) Selects(hc metav1.Object, now time.Time) bool {
	return (m.Owner == "" || hc.GetLabels()[hostedcluster.OwnerLabel] == m.Owner) &&
		(!m.Expired || hostedcluster.Expired(hc, now, time.Now()))
}

// Foreign reports whether a selection must not have a hosted cluster with these labels.
func (m Marks) Foreign(selector labels.Selector, of labels.Set) bool {
	if !m.Guarded || m.Choose() {
		return false
	}
	if _, agreed := selector.RequiresExactMatch(hostedcluster.OwnerLabel); agreed {
		return false
	}
	return of[hostedcluster.OwnerLabel] != m.Job
}

// ForeignError names the selected hosted clusters that belong to others.
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

// selects reports whether the object is meant at that time of its API server.
func (s Selection) selects(object metav1.Object, now time.Time) bool {
	return s.Labels.Matches(labels.Set(object.GetLabels())) &&
		hostedcluster.IsOlder(object.GetCreationTimestamp().Time, now, s.OlderThan)
}

// Select returns the selected hosted clusters. It fails with *hostedcluster.NotInstalledError, or with the error of the
// read, or with *ForeignError.
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
