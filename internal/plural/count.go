// Package plural counts things in messages.
package plural

import "fmt"

// Count returns "1 volume" for one, and "2 volumes" or "0 volumes" otherwise. The plural of the noun must end in s.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
