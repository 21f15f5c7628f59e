package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/hcctl/hcctl/pkg/step"
)

// Summary writes how a run ended in one line, such as "22 steps: 13 unchanged, 9 changed; 41s".
func Summary(w io.Writer, r step.Report) error {
	var unchanged, changed, failed, blocked, skipped int
	for _, res := range r.Results {
		switch {
		case res.Outcome == step.Blocked:
			blocked++
		case !res.Good():
			failed++
		case res.Finding.State == step.Skipped:
			skipped++
		case res.Change == "" || res.Change == step.Unchanged:
			unchanged++
		default:
			changed++
		}
	}
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{unchanged, "unchanged"}, {changed, "changed"}, {failed, "failed"}, {blocked, "not begun"}, {skipped, "skipped"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	_, err := fmt.Fprintf(w, "%d steps in %s: %s\n", len(r.Results), clock(r.Elapsed), strings.Join(parts, ", "))
	return err
}
