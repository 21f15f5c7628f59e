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
