// Command hcctl takes a bare-metal OpenShift cluster to running hosted clusters.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/hcctl/hcctl/pkg/cli"
)

func main() {
	limitMemory(os.Getenv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(cli.Main(ctx, os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Getenv))
}
