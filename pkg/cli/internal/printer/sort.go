package printer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/util/jsonpath"
)

// Order is the order of --sort-by.
type Order struct {
	text string
	path *jsonpath.JSONPath
}

// NewOrder parses a path such as .metadata.creationTimestamp.
func NewOrder(text string) (*Order, error) {
	path, err := relaxedPath(text)
	if err != nil {
		return nil, err
	}
	return &Order{text, path}, nil
}

// Sort returns the indexes of the objects in sorted order; the sort is stable. Numbers, quantities and numbers
// in texts sort by value, and objects without the field come first. It returns an error if no object has the
// field, because a wrong path would go unnoticed.
func (o *Order) Sort(objects []map[string]any) ([]int, error) {
	keys, places, found := make([]any, len(objects)), make([]int, len(objects)), false
	for i, object := range objects {
		results, err := o.path.FindResults(object)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.text, err)
		}
		if len(results) > 0 && len(results[0]) > 0 {
			keys[i], found = results[0][0].Interface(), true
		}
		places[i] = i
	}
	if !found && len(objects) > 0 {
		return nil, fmt.Errorf("no object has the field %s", o.text)
	}
	slices.SortStableFunc(places, func(a, b int) int { return compare(keys[a], keys[b]) })
	return places, nil
}

// compare orders nil, then bools, numbers, texts and all other types.
func compare(a, b any) int {
	if n := cmp.Compare(rank(a), rank(b)); n != 0 || a == nil {
		return n
	}
	switch x := a.(type) {
	case bool:
		y, _ := b.(bool)
		return cmp.Compare(number(x), number(y))
	case int64, float64:
		return cmp.Compare(number(x), number(b))
	case string:
		y, _ := b.(string)
		return compareText(x, y)
	}
	return 0
}

func rank(v any) int {
	switch v.(type) {
	case nil:
		return 0
	case bool:
		return 1
	case int64, float64:
		return 2
	case string:
		return 3
	}
	return 4
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	case bool:
		if v {
			return 1
		}
	}
	return 0
}

// compareText orders quantities such as 500Mi and 2Gi by size, and other texts, such as versions, by the numbers
// in them.
func compareText(a, b string) int {
	if x, err := resource.ParseQuantity(a); err == nil {
		if y, err := resource.ParseQuantity(b); err == nil {
			return x.Cmp(y)
		}
	}
	for a != "" && b != "" {
		x, y := chunk(a), chunk(b)
		if n := compareChunks(x, y); n != 0 {
			return n
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(len(a), len(b))
}

// chunk returns the leading digits of a text, or else the text before its first digit.
func chunk(s string) string {
	digits := isDigit(s[0])
	for i := range len(s) {
		if isDigit(s[i]) != digits {
			return s[:i]
		}
	}
	return s
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func compareChunks(a, b string) int {
	if !isDigit(a[0]) || !isDigit(b[0]) {
		return strings.Compare(a, b)
	}
	x, y := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y), cmp.Compare(len(a), len(b)))
}
