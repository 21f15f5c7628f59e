package kubeconfig

import (
	"context"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/pkg/step"
)

// Change is the change of one context in a file.
type Change struct {
	Owner
	// Context is the name of the context.
	Context string
	// Server is the URL of the hosted API server.
	Server string
	// Change is created, configured, unchanged or deleted.
	Change step.Change
}

// Outcome is the result of a Merge or Remove.
type Outcome struct {
	// Path is the path of the written file, with links resolved.
	Path string
	// Changes has one entry for each context.
	Changes []Change
	// Current is the current context afterwards.
	Current string
	// Narrowed is the former mode of a file that other users could read, such as 0644; it is 0600 now. Otherwise it is 0.
	Narrowed uint32
}

// Merge writes entries into a kubeconfig file, all or none, and creates missing files and directories. It keeps other
// entries, comments, the order, and the current context unless switchTo is set. It does not write an unchanged file.
//
// It returns *ForeignError for an entry of the same name that is not hcctl's, *FileError for a file that must not be
// changed, or ctx's error. The file is then unchanged.
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

// merge writes one entry into the document.
func (d *document) merge(e *Entry) (Change, error) {
	entry, err := e.document()
	if err != nil {
		return Change{}, err
	}
	change := Change{Owner: e.Owner, Context: e.Context, Change: step.Unchanged}
	if s := value(value(entry.item(clusterKind, e.Context), clusterKind.key), "server"); s != nil {
		change.Server = s.Value
	}
	for _, k := range kinds() {
		item := entry.items(k)[0]
		old := d.item(k, nameOf(item))
		if old != nil {
			if o, ok := ownerOf(value(old, k.key)); !ok || !o.matches(e.Owner) {
				return Change{}, d.foreignError(k, old, e.Owner)
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

// keepNamespace keeps the namespace that the user set for the context (oc project).
func keepNamespace(old, fresh *yaml.Node) {
	if ns := value(old, "namespace"); ns != nil && value(fresh, "namespace") == nil {
		set(fresh, "namespace", ns)
	}
}

// Selection selects contexts that hcctl wrote.
type Selection struct {
	Owner
	// Context is the name of one context, of any hosted cluster. Empty means all contexts of the Owner.
	Context string
}

func (s Selection) selects(name string, o Owner) bool {
	if s.Context != "" {
		return s.Context == name
	}
	return s.matches(o)
}

// Remove removes the contexts that Merge wrote for a hosted cluster, and their clusters and users unless another
// context refers to them. It clears the current context if it was removed, and keeps all other entries.
//
// It returns *ForeignError if the named context is not hcctl's; its other errors are those of Merge.
func Remove(ctx context.Context, path string, which Selection) (Outcome, error) {
	if d, err := readDocument(path); err == nil && !d.hasAny(which) {
		return Outcome{Path: path, Current: d.current()}, nil
	}
	var out Outcome
	err := update(ctx, path, false, &out, func(d *document) error {
		out.Changes = nil
		for _, item := range slices.Clone(d.items(contextKind)) {
			name := nameOf(item)
			o, ok := ownerOf(value(item, contextKind.key))
			if which.Context == name && !ok {
				return d.foreignError(contextKind, item, which.Owner)
			}
			if ok && which.selects(name, o) {
				out.Changes = append(out.Changes, d.remove(item, o))
			}
		}
		out.Current = d.current()
		return nil
	})
	return out, err
}

// hasAny reports whether the document has a context to remove.
func (d *document) hasAny(which Selection) bool {
	return slices.ContainsFunc(d.items(contextKind), func(item *yaml.Node) bool {
		o, ok := ownerOf(value(item, contextKind.key))
		return nameOf(item) == which.Context || ok && which.selects(nameOf(item), o)
	})
}

// remove removes one context, and its cluster and user if no other context refers to them.
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
		if p, ok := ownerOf(value(target, k.key)); ok && p == o && !d.isReferenced(k, ref.Value) {
			d.drop(k, ref.Value)
		}
	}
	if d.current() == name {
		d.setCurrent("")
	}
	return change
}

// isReferenced reports whether a context refers to a cluster or user.
func (d *document) isReferenced(k kind, name string) bool {
	return slices.ContainsFunc(d.items(contextKind), func(item *yaml.Node) bool {
		ref := value(value(item, contextKind.key), k.key)
		return ref != nil && ref.Value == name
	})
}
