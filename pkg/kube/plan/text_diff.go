package plan

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// diffContext is the number of unchanged lines around a change.
const diffContext = 3

// unified returns the unified diff of two texts without file names, empty if they are equal.
func unified(before, after []byte) string {
	old := string(before)
	text, err := udiff.ToUnified("", "", old, udiff.Lines(old, string(after)), diffContext)
	if err != nil {
		// The edits come from the same text and always fit it.
		return "# " + err.Error() + "\n"
	}
	// The two lines before the first hunk name files.
	if hunks := strings.Index(text, "@@ "); hunks >= 0 {
		return text[hunks:]
	}
	return ""
}
