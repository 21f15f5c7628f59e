package cli

import (
	"context"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// Streams are what hcctl reads from and writes to.
type Streams = cmdutil.Streams

// Signals returns a context that the first SIGINT or SIGTERM ends. The second one exits with 130 at once, and so does
// the first if the command does not end within five seconds.
func Signals(parent context.Context, exit func(int)) context.Context {
	return cmdutil.Signals(parent, exit)
}
