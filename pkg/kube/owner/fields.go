package owner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Setter is a field manager that wrote a field.
type Setter struct {
	Manager string
	// At is the time of the manager's last change of the object; zero if unknown.
	At time.Time
}

// Name returns the manager's name, sanitized.
func (s Setter) Name() string { return displayName(s.Manager) }

// String returns text such as "kubectl-edit on 2026-01-02 15:04 UTC", sanitized.
func (s Setter) String() string {
	if s.At.IsZero() {
		return displayName(s.Manager)
	}
	return fmt.Sprintf("%s on %s", displayName(s.Manager), s.At.UTC().Format("2006-01-02 15:04 MST"))
}

// SetBy returns the manager that wrote a field last; known is false if the managed fields do not have it. path has
// field names; an item of a list is Item("name", NAME).
func SetBy(o metav1.Object, path ...string) (Setter, bool) {
	all := setters(o, path...)
	if len(all) == 0 {
		return Setter{}, false
	}
	return slices.MaxFunc(all, func(a, b Setter) int { return a.At.Compare(b.At) }), true
}

// ByHcctl reports whether hcctl wrote the field last. Values that uninstall restores have another manager, because
// another client chose them.
func ByHcctl(o metav1.Object, path ...string) bool {
	s, known := SetBy(o, path...)
	return known && s.Manager == Hcctl
}

// Item returns the path element for the item of a list of maps whose key has this value.
func Item(key, value string) string { return "[" + key + "=" + value + "]" }

// setters returns all managers of the field, or of an atomic map or list that contains it.
func setters(o metav1.Object, path ...string) []Setter {
	var out []Setter
	for _, entry := range o.GetManagedFields() {
		if entry.FieldsV1 == nil || entry.Subresource == "status" {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil || !covers(fields, path) {
			continue
		}
		s := Setter{Manager: entry.Manager}
		if entry.Time != nil {
			s.At = entry.Time.Time
		}
		out = append(out, s)
	}
	return out
}

// covers reports whether the set has the field, an atomic map or list that contains it, or a part of it.
func covers(set map[string]any, path []string) bool {
	for i, part := range path {
		if i > 0 && len(set) == 0 {
			return true
		}
		next, found := set["f:"+part]
		if strings.HasPrefix(part, "[") {
			next, found = item(set, part)
		}
		inner, isSet := next.(map[string]any)
		if !found || !isSet {
			return false
		}
		set = inner
	}
	return true
}

// item returns the set of an item of a keyed list.
func item(set map[string]any, part string) (any, bool) {
	key, value, _ := strings.Cut(strings.Trim(part, "[]"), "=")
	for name, next := range set {
		text, keyed := strings.CutPrefix(name, "k:")
		var keys map[string]any
		if keyed && json.Unmarshal([]byte(text), &keys) == nil && keys[key] == value {
			return next, true
		}
	}
	return nil, false
}
