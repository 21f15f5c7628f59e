package kubeconfig

import (
	"context"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/pkg/step"
)

// Change is what was done with one context of a file.
type Change struct {
	Owner
	// Context is the context's name.
	Context string
	// Server is the URL of the hosted API server.
	Server string
	// Change is created, configured, unchanged or deleted.
	Change step.Change
}

// Outcome is what a Merge or a Remove did to a file.
type Outcome struct {
	// Path is the file that was written, links followed.
	Path string
	// Changes are those of the single contexts.
	Changes []Change
	// Current is the current context after it.
	Current string
	// Narrowed is the mode the file had before, such as 0644, if others could read it; it is 0600 now. Else 0.
	Narrowed uint32
}

// Merge writes entries into a kubeconfig file, all or none. The file and its folder are made if they are not there.
// Others' entries, comments and the order stay; the current context does too, unless switchTo names another. A file
// that would not change is not written.
//
// It fails with *ForeignError for an entry of the same name that is somebody else's, with *FileError for a file that
// must not be touched, or with ctx's error. The file is then as it was.
func Merge(ctx context.Context, path string, entries []Entry, switchTo string) (Outcome, error) {
	var out Outcome
	err := update(ctx, path, true, &out, func(d *document) error {
		out.Changes = nil
		for i := range entries {
			change, err := d.merge(&entries[i])
			if err != nil {
				return err
			}
			out.Changes = append(out.Changes, change)
		}
		if switchTo != "" && d.current() != switchTo {
			d.setCurrent(switchTo)
		}
		out.Current = d.current()
		return nil
	})
	return out, err
}

// merge puts one entry into the document.
func (d *document) merge(e *Entry) (Change, error) {
	own, err := e.document()
	if err != nil {
		return Change{}, err
	}
	change := Change{Owner: e.Owner, Context: e.Context, Change: step.Unchanged}
	if s := value(value(own.item(clusterKind, e.Context), clusterKind.key), "server"); s != nil {
		change.Server = s.Value
	}
	for _, k := range kinds() {
		item := own.items(k)[0]
		old := d.item(k, nameOf(item))
		if old != nil {
			if o, ok := ownerOf(value(old, k.key)); !ok || !o.same(e.Owner) {
				return Change{}, d.foreign(k, old, e.Owner)
			}
			if k == contextKind {
				keepNamespace(value(old, k.key), value(item, k.key))
			}
			if equal(value(old, k.key), value(item, k.key)) {
				continue
			}
			change.Change = step.Join(change.Change, step.Configured)
		} else {
			change.Change = step.Join(change.Change, step.Created)
		}
		d.put(k, item)
	}
	return change, nil
}

// keepNamespace keeps the namespace that somebody has chosen for the context (oc project).
func keepNamespace(old, fresh *yaml.Node) {
	if ns := value(old, "namespace"); ns != nil && value(fresh, "namespace") == nil {
		set(fresh, "namespace", ns)
	}
}

// Selection says which of hcctl's contexts are to be removed.
type Selection struct {
	Owner
	// Context is the name of the one context to remove, whatever hosted cluster it is of; empty means all of the Owner.
	Context string
}

func (s Selection) takes(name string, o Owner) bool {
	if s.Context != "" {
		return s.Context == name
	}
	return s.same(o)
}

// Remove takes the contexts that Merge wrote for a hosted cluster out of a file, with their clusters and users unless
// another context needs them, and clears the current context if it was one of them. What hcctl did not write stays. A
// file that is not there, or has nothing of it, is not written.
//
// It fails with *ForeignError if the context that is named is not hcctl's, and else as Merge does.
func Remove(ctx context.Context, path string, which Selection) (Outcome, error) {
	if d, err := look(path); err == nil && !d.hasAny(which) {
		return Outcome{Path: path, Current: d.current()}, nil
	}
	var out Outcome
	err := update(ctx, path, false, &out, func(d *document) error {
		out.Changes = nil
		for _, item := range append([]*yaml.Node(nil), d.items(contextKind)...) {
			name := nameOf(item)
			o, ok := ownerOf(value(item, contextKind.key))
			if which.Context == name && !ok {
				return d.foreign(contextKind, item, which.Owner)
			}
			if ok && which.takes(name, o) {
				out.Changes = append(out.Changes, d.remove(item, o))
			}
		}
		out.Current = d.current()
		return nil
	})
	return out, err
}

// hasAny tells whether there is a context to remove.
func (d *document) hasAny(which Selection) bool {
	for _, item := range d.items(contextKind) {
		o, ok := ownerOf(value(item, contextKind.key))
		if nameOf(item) == which.Context || ok && which.takes(nameOf(item), o) {
			return true
		}
	}
	return false
}

// remove takes one context away, with what only it needs.
func (d *document) remove(item *yaml.Node, o Owner) Change {
	name := nameOf(item)
	change := Change{Owner: o, Context: name, Change: step.Deleted}
	d.drop(contextKind, name)
	for _, k := range []kind{clusterKind, userKind} {
		ref := value(value(item, contextKind.key), k.key)
		if ref == nil {
			continue
		}
		target := d.item(k, ref.Value)
		if target == nil {
			continue
		}
		if s := value(value(target, k.key), "server"); s != nil {
			change.Server = s.Value
		}
		if p, ok := ownerOf(value(target, k.key)); ok && p == o && !d.used(k, ref.Value) {
			d.drop(k, ref.Value)
		}
	}
	if d.current() == name {
		d.setCurrent("")
	}
	return change
}

// used tells whether a context refers to a cluster or user.
func (d *document) used(k kind, name string) bool {
	for _, item := range d.items(contextKind) {
		if ref := value(value(item, contextKind.key), k.key); ref != nil && ref.Value == name {
			return true
		}
	}
	return false
}
