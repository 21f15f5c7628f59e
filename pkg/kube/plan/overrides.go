package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/hcctl/hcctl/pkg/kube/owner"
)

// Override is a value of an object that a write replaces or removes. An item that is added to a list is none, nor is a
// value for an unset field.
type Override struct {
	// Path has field names, and owner.Item for list items.
	Path []string
	// Before and After are the values as JSON with masked secrets; After is empty if the value is removed.
	Before, After string
	// Setter wrote the replaced value. Known is false if the managed fields do not have it.
	Setter owner.Setter
	Known  bool
}

// Field returns the path as text, such as "spec.overrides.components[name=hypershift].enabled".
func (o Override) Field() string {
	var b strings.Builder
	for _, part := range o.Path {
		switch {
		case strings.HasPrefix(part, "["):
			b.WriteString(part)
		case strings.Contains(part, "."):
			fmt.Fprintf(&b, "[%s]", part)
		default:
			b.WriteString("." + part)
		}
	}
	return strings.TrimPrefix(b.String(), ".")
}

// Others reports whether a field manager other than hcctl set the value.
func (o Override) Others() bool {
	return !o.Known || !owner.IsHcctl(o.Setter.Manager)
}

// Overrides returns the values that the write replaces or removes. It returns none for a deletion, which removes the
// whole object.
func (w Write) Overrides() []Override {
	if w.Verb != VerbChange || w.Before == nil || w.After == nil {
		return nil
	}
	before, after := masked(withoutServerFields(w.Before), withoutServerFields(w.After))
	var out []Override
	visitReplaced(nil, before, after, func(path []string, old, now any) {
		o := Override{Path: path, Before: asJSON(old)}
		if now != nil {
			o.After = asJSON(now)
		}
		o.Setter, o.Known = owner.SetBy(w.Before, path...)
		out = append(out, o)
	})
	return out
}

// ChangesSpec reports whether a change affects more than the object's metadata.
func (w Write) ChangesSpec() bool {
	if w.Verb != VerbChange || w.Before == nil || w.After == nil {
		return false
	}
	before, after := withoutServerFields(w.Before), withoutServerFields(w.After)
	delete(before, "metadata")
	delete(after, "metadata")
	return !equality.Semantic.DeepEqual(before, after)
}

// visitReplaced calls found for each value of before that after lacks or changes.
func visitReplaced(path []string, before, after any, found func(path []string, old, now any)) {
	if unset(before) || equality.Semantic.DeepEqual(before, after) {
		return
	}
	switch old := before.(type) {
	case map[string]any:
		now, _ := after.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(old)) {
			visitReplaced(append(slices.Clone(path), key), old[key], now[key], found)
		}
		return
	case []any:
		if now, isList := after.([]any); isList && visitReplacedItems(path, old, now, found) {
			return
		}
	}
	found(path, before, after)
}

// visitReplacedItems compares lists by item: items with a name by name, others by value. It returns false if items
// without a name are gone; then only the whole list can be compared.
func visitReplacedItems(path []string, old, now []any, found func(path []string, old, now any)) bool {
	for _, item := range old {
		if name := nameOf(item); name == "" {
			if !slices.ContainsFunc(now, func(other any) bool { return equality.Semantic.DeepEqual(item, other) }) {
				return false
			}
		}
	}
	for _, item := range old {
		name := nameOf(item)
		if name == "" {
			continue
		}
		var other any
		if i := slices.IndexFunc(now, func(o any) bool { return nameOf(o) == name }); i >= 0 {
			other = now[i]
		}
		visitReplaced(append(slices.Clone(path), owner.Item("name", name)), item, other, found)
	}
	return true
}

func nameOf(item any) string {
	m, _ := item.(map[string]any)
	name, _ := m["name"].(string)
	return name
}

// unset reports whether a value is empty, so that replacing it overrides no decision.
func unset(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// asJSON returns a value as JSON on one line. The values of a decoded object always marshal.
func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
