package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Name is that of a hosted cluster.
type Name struct{ Namespace, Name string }

// Delete is many clusters that are to go.
type Delete struct {
	Members []Member
	// Absent are those of which there is nothing.
	Absent []Name
	// Lost says what goes with them that cannot be brought back, summed up for each cluster.
	Lost map[string][]string
	// Outside names what goes that is outside each cluster's own namespaces, and Left what stays, and why.
	Outside, Left map[string][]string
}

// Select names the hosted clusters that have the labels, of a namespace or, if it is empty, of all. It fails with
// *hostedcluster.NotInstalledError, or with the error of the read.
func Select(ctx context.Context, c *kube.Client, namespace string, selector labels.Selector) ([]Name, error) {
	clusters, err := hostedcluster.Clusters(ctx, c, namespace)
	if err != nil {
		return nil, err
	}
	var names []Name
	for i := range clusters {
		if selector.Matches(labels.Set(clusters[i].Labels)) {
			names = append(names, Name{clusters[i].Namespace, clusters[i].Name})
		}
	}
	slices.SortFunc(names, func(a, b Name) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return names, nil
}

// PrepareDelete finds what there is of each cluster, reading only, and no more than parallel at once. What cannot be
// read of one is its own failure; the error is about what concerns all.
func PrepareDelete(ctx context.Context, c *kube.Client, names []Name, opt deletion.Options,
	parallel int) (*Delete, error) {
	members, deletions := make([]Member, len(names)), make([]*deletion.Plan, len(names))
	absent := make([]bool, len(names))
	once := kube.ReadOnce(ctx)
	var err error
	var namespaces []string
	for _, n := range names {
		namespaces = append(namespaces, n.Namespace)
	}
	if opt.Made, err = deletion.FindMade(ctx, c, namespaces...); err != nil {
		return nil, err
	}
	kube.Parallelize(len(names), parallel, func(i int) {
		members[i] = Member{Namespace: names[i].Namespace, Name: names[i].Name}
		d, err := deletion.Prepare(once, c, names[i].Namespace, names[i].Name, opt)
		var missing *hostedcluster.NotFoundError
		var refused interface{ ExitCode() int }
		switch {
		case errors.As(err, &missing):
			absent[i] = true
		case errors.As(err, &refused):
			members[i].Err = err
		case err != nil:
			members[i].Err = fmt.Errorf("cannot tell what there is of it: %w", err)
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
			del.Lost[m.Subject()], del.Outside[m.Subject()], del.Left[m.Subject()] = d.Lost, d.Outside, d.Left
		}
	}
	return del, common(ctx, del.Members)
}

// Steps are those of all clusters.
func (d *Delete) Steps() []step.Step { return stepsOf(d.Members) }
