// Command hcctl takes a bare-metal OpenShift cluster to running hosted clusters.
package main

import (
	"context"
	"os"

	"github.com/hcctl/hcctl/pkg/cli"
)

func main() {
	limitMemory(os.Getenv)
	ctx := cli.Signals(context.Background(), os.Exit)
	os.Exit(cli.MainAs(ctx, os.Args[0], os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Getenv))
}
