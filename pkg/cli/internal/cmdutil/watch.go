package cmdutil

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// Pause waits until the time is over, a change arrives or ctx ends.
func Pause(ctx context.Context, wait time.Duration, changed <-chan struct{}) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-changed:
	case <-ctx.Done():
	}
}

var elapsed = lazyregexp.New(`\b(\d+[dhms])+\b`)

// WithoutElapsed removes durations that grow by themselves, such as 42s and 3m12s, from a text.
func WithoutElapsed(text string) string { return elapsed.ReplaceAllString(text, "") }
