package cli

import (
	"context"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// Streams are what hcctl reads from and writes to.
type Streams = cmdutil.Streams

// Signals returns a context that the first SIGINT or SIGTERM ends. The second one ends the process by exit with 130,
// whatever it is in; so does the first where the command does not end within five seconds.
func Signals(parent context.Context, exit func(int)) context.Context {
	return cmdutil.Signals(parent, exit)
}
