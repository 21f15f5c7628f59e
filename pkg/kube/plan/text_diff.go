package plan

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// diffContext is the number of unchanged lines before and after a change.
const diffContext = 3

// unified returns the unified diff of two texts without file names, "" if they are equal.
func unified(before, after []byte) string {
	old := string(before)
	text, err := udiff.ToUnified("", "", old, udiff.Lines(old, string(after)), diffContext)
	if err != nil {
		// The edits come from the same text, so they always apply.
		return "# " + err.Error() + "\n"
	}
	// The two lines before the first hunk are file names.
	if hunks := strings.Index(text, "@@ "); hunks >= 0 {
		return text[hunks:]
	}
	return ""
}
