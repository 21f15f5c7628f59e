// Package plural counts and lists things in messages.
package plural

import (
	"fmt"
	"strings"
)

// Count returns "1 volume" for one, and "2 volumes" or "0 volumes" otherwise. The plural of the noun must end in s.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Few returns at most limit names, joined by commas, and the number of further ones.
func Few(names []string, limit int) string {
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:limit], ", "), len(names)-limit)
}

// Tally counts the items by their key, in the order in which the keys follow each other: "1 failing, 2 ok".
func Tally[T any, K comparable](items []T, key func(T) K) string {
	var parts []string
	for len(items) > 0 {
		n := 1
		for n < len(items) && key(items[n]) == key(items[0]) {
			n++
		}
		parts = append(parts, fmt.Sprintf("%d %v", n, key(items[0])))
		items = items[n:]
	}
	return strings.Join(parts, ", ")
}
