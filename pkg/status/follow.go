package status

import (
	"context"
	"sort"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
	// Object is the object as it is, or as it was last seen.
	Object *unstructured.Unstructured
}

// Follow tells each change of what the query asks for until ctx ends, and then returns its error. It rests on watches that
// survive a server that goes away or has forgotten the version: what changed meanwhile is told then, changes of the same object that come close
// together as one. What is kept in memory is the objects themselves.
//
// trouble is told when the objects cannot be seen for a time, and nil when they can again. Follow fails where looking again does not help: as List
// does, or for want of permission. An error of tell ends it too.
func Follow(ctx context.Context, c *kube.Client, q Query, tell func([]Change) error, trouble func(error)) error {
	if len(q.Names) > 0 {
		if _, err := q.named(ctx, c); err != nil {
			return err
		}
	}
	mirror := c.NewMirror(ctx)
	defer mirror.Close()
	watch := mirror.Watch()
	defer watch.Close()
	seen := sight{}
	began, troubled := false, false
	for {
		items, err := q.look(watch.Context(ctx), c)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil:
			if troubled {
				trouble(nil)
			}
			began, troubled = true, false
			if changes := seen.update(items); len(changes) > 0 {
				if err := tell(changes); err != nil {
					return err
				}
			}
		case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err), !began && kube.IsKindMissing(err):
			return q.failed(err)
		case !troubled:
			troubled = true
			trouble(err)
		}
		select {
		case <-watch.Changed():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look reads what the query asks for, absent names left out. The order is by namespace and name.
func (q Query) look(ctx context.Context, c *kube.Client) ([]unstructured.Unstructured, error) {
	var out []unstructured.Unstructured
	if len(q.Names) == 0 {
		list := q.Resource.NewList()
		if err := c.List(ctx, list, q.wants()...); err != nil {
			return nil, err
		}
		out = list.Items
	}
	for _, name := range q.Names {
		u := q.Resource.New()
		switch err := c.Get(ctx, client.ObjectKey{Namespace: q.Namespace, Name: name}, u); {
		case err == nil:
			out = append(out, *u)
		case !apierrors.IsNotFound(err) || kube.IsKindMissing(err):
			return nil, err
		}
	}
	kept := out[:0]
	for i := range out {
		if q.keeps(&out[i]) {
			kept = append(kept, out[i])
		}
	}
	return kept, nil
}

// sight is what was seen last.
type sight map[types.NamespacedName]*unstructured.Unstructured

// update takes what is seen now and returns what changed: what is gone, then what is new or changed, in the order given.
func (s sight) update(items []unstructured.Unstructured) []Change {
	now := make(map[types.NamespacedName]bool, len(items))
	var fresh []Change
	var gone []Change
	for i := range items {
		u := &items[i]
		key := types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
		now[key] = true
		old := s[key]
		switch {
		case old == nil:
			fresh = append(fresh, Change{Added, u})
		case old.GetUID() != u.GetUID():
			gone = append(gone, Change{Deleted, old})
			fresh = append(fresh, Change{Added, u})
		case old.GetResourceVersion() != u.GetResourceVersion():
			fresh = append(fresh, Change{Modified, u})
		default:
			continue
		}
		s[key] = u
	}
	for key, old := range s {
		if !now[key] {
			gone = append(gone, Change{Deleted, old})
			delete(s, key)
		}
	}
	sort.Slice(gone, func(i, j int) bool { return kube.Name(gone[i].Object) < kube.Name(gone[j].Object) })
	return append(gone, fresh...)
}
