package status

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
)

// The types of a Change, in the words of the API's watches.
const (
	Added    = "ADDED"
	Modified = "MODIFIED"
	Deleted  = "DELETED"
)

// Change is one change of an object.
type Change struct {
	// Type is Added (also for objects that exist at the start), Modified or Deleted.
	Type string
	// Object is the current or, if deleted, the last seen object, without managed fields. It must not be changed.
	Object *unstructured.Unstructured
}

// Follow calls changed with each change of a query's objects until ctx ends, and returns the error of ctx. Its watches
// survive an outage of the API server and an expired resource version: changes from that time are reported afterwards.
// Several changes of one object in a short time are reported as one. Follow keeps one copy of the objects in memory.
//
// Follow calls trouble with an error when the objects cannot be read for a time, and with nil once they can be read
// again. It returns the errors of List, missing permission, and the error of changed.
func Follow(ctx context.Context, c *kube.Client, q Query, changed func([]Change) error, trouble func(error)) error {
	if len(q.Names) > 0 {
		if _, err := q.named(ctx, c); err != nil {
			return err
		}
	}
	informers := c.NewInformers(ctx)
	defer informers.Close()
	watch := informers.Watch()
	defer watch.Close()
	var parts []*informer.Changes
	for _, s := range q.selections() {
		parts = append(parts, c.Changes(watch, s))
	}
	began, troubled := false, false
	for {
		changes, err := q.take(ctx, parts)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			if troubled {
				trouble(nil)
			}
			began, troubled = true, false
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err), !began && kube.IsKindMissing(err):
			return q.failed(err)
		case !troubled:
			troubled = true
			trouble(err)
		}
		if len(changes) > 0 {
			if err := changed(changes); err != nil {
				return err
			}
		}
		select {
		case <-watch.Changed():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// selections returns what to watch: one list, or each name.
func (q Query) selections() []kube.Selection {
	all := kube.Selection{Kind: q.Resource.Kind, Namespace: q.Namespace, Labels: q.Selector}
	if len(q.Names) == 0 {
		return []kube.Selection{all}
	}
	var each []kube.Selection
	for _, name := range q.Names {
		one := all
		one.Name = name
		each = append(each, one)
	}
	return each
}

// take returns the deleted objects, then the new and changed ones, ordered by the query's names or by namespace and
// name. With an error, it returns what could be read.
func (q Query) take(ctx context.Context, parts []*informer.Changes) (changes []Change, failed error) {
	var gone, fresh []Change
	for _, part := range parts {
		taken, err := part.Take(ctx)
		if err != nil {
			failed = err
		}
		for _, c := range taken {
			was, is := c.Before != nil && q.keeps(c.Before), c.Now != nil && q.keeps(c.Now)
			recreated := was && is && c.Before.GetUID() != c.Now.GetUID()
			if was && !is || recreated {
				gone = append(gone, Change{Deleted, c.Before})
			}
			switch {
			case is && (!was || recreated):
				fresh = append(fresh, Change{Added, c.Now})
			case is:
				fresh = append(fresh, Change{Modified, c.Now})
			}
		}
	}
	return append(gone, fresh...), failed
}
