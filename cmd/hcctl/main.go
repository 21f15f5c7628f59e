// Command hcctl takes a bare-metal OpenShift cluster to running hosted clusters.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/hcctl/hcctl/pkg/cli"
)

func main() {
	limitMemory(os.Getenv)
	ctx := cli.Signals(context.Background(), os.Exit)
	os.Exit(cli.MainAs(ctx, os.Args[0], os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Getenv))
}

// softLimit is the soft memory limit of Go's garbage collector in bytes. The memory in use may be more.
const softLimit = 192 << 20

// limitMemory sets the soft memory limit, unless GOMEMLIMIT does.
func limitMemory(getenv func(string) string) {
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
}
