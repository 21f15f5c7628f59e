package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// ClusterName is the name of a hosted cluster.
type ClusterName struct{ Namespace, Name string }

// Delete is many clusters to delete.
type Delete struct {
	Members []Member
	// Absent are clusters of which nothing exists.
	Absent []ClusterName
	// Creating are those that somebody may still be creating, as NAMESPACE/NAME.
	Creating []string
	// Lost lists for each cluster what is lost for good.
	Lost map[string][]string
	// Outside lists what is deleted outside of each cluster's own namespaces, Left what is kept and why.
	Outside, Left map[string][]string
}

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

// PrepareDelete finds what exists of each cluster, at most parallel at the same time, and only reads. A problem of one
// cluster is in its Member; the error concerns all.
func PrepareDelete(ctx context.Context, c *kube.Client, names []ClusterName, opt deletion.Options,
	parallel int) (*Delete, error) {
	members, deletions := make([]Member, len(names)), make([]*deletion.Plan, len(names))
	absent := make([]bool, len(names))
	opt.Reads = informer.NewCache(ctx)
	var err error
	var namespaces []string
	for _, n := range names {
		namespaces = append(namespaces, n.Namespace)
	}
	if opt.Created, err = deletion.FindCreated(ctx, c, namespaces...); err != nil {
		return nil, err
	}
	kube.Parallelize(len(names), parallel, func(i int) {
		members[i] = Member{Namespace: names[i].Namespace, Name: names[i].Name}
		d, err := deletion.Prepare(ctx, c, names[i].Namespace, names[i].Name, opt)
		var missing *hostedcluster.NotFoundError
		switch {
		case errors.As(err, &missing):
			absent[i] = true
		case failure.Of(err) != failure.Other:
			members[i].Err = err
		case err != nil:
			members[i].Err = fmt.Errorf("cannot determine what exists of it: %w", err)
		default:
			members[i].steps, deletions[i] = d.Steps(), d
		}
	})
	del := &Delete{Lost: map[string][]string{}, Outside: map[string][]string{}, Left: map[string][]string{}}
	for i, m := range members {
		if absent[i] {
			del.Absent = append(del.Absent, names[i])
			continue
		}
		del.Members = append(del.Members, m)
		if d := deletions[i]; d != nil {
			if d.Creating {
				del.Creating = append(del.Creating, m.Subject())
			}
			del.Lost[m.Subject()], del.Outside[m.Subject()], del.Left[m.Subject()] = d.Lost, d.Outside, d.Left
		}
	}
	return del, commonError(ctx, del.Members)
}

// Steps returns the steps of all clusters.
func (d *Delete) Steps() []step.Step { return stepsOf(d.Members) }
