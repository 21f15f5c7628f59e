package status

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
)

// The kinds of a Change, with the words of the API's watches.
const (
	Added    = "ADDED"
	Modified = "MODIFIED"
	Deleted  = "DELETED"
)

// Change is what became of one object.
type Change struct {
	// Type is Added (also for what is there at first), Modified or Deleted.
	Type string
	// Object is the object as it is, or as it was last seen, without managed fields. It must not be changed.
	Object *unstructured.Unstructured
}

// Follow tells each change of what the query asks for until ctx ends, and then returns its error. It rests on watches
// that survive a server that goes away or has forgotten the version: what changed meanwhile is told then, changes of
// the same object that come close together as one. What is kept in memory is the objects themselves, once.
//
// trouble is told when the objects cannot be seen for a time, and nil when they can again. Follow fails where looking
// again does not help: as List does, or for want of permission. An error of tell ends it too.
func Follow(ctx context.Context, c *kube.Client, q Query, tell func([]Change) error, trouble func(error)) error {
	if len(q.Names) > 0 {
		if _, err := q.named(ctx, c); err != nil {
			return err
		}
	}
	mirror := c.NewInformers(ctx)
	defer mirror.Close()
	watch := mirror.Watch()
	defer watch.Close()
	var parts []*kube.Changes
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
			if err := tell(changes); err != nil {
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

// selections are what is to be watched: one list, or each of the names.
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

// take returns the deleted objects, then the new and changed ones, in the order of the names or by namespace and name.
// With an error, it returns what could be read.
func (q Query) take(ctx context.Context, parts []*kube.Changes) (changes []Change, failed error) {
	var gone, fresh []Change
	for _, part := range parts {
		taken, err := part.Take(ctx)
		if err != nil {
			failed = err
		}
		for _, c := range taken {
			was, is := c.Before != nil && q.keeps(c.Before), c.Now != nil && q.keeps(c.Now)
			reborn := was && is && c.Before.GetUID() != c.Now.GetUID()
			if was && !is || reborn {
				gone = append(gone, Change{Deleted, c.Before})
			}
			switch {
			case is && (!was || reborn):
				fresh = append(fresh, Change{Added, c.Now})
			case is:
				fresh = append(fresh, Change{Modified, c.Now})
			}
		}
	}
	return append(gone, fresh...), failed
}
