package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/hcctl/hcctl/sandbox/cluster"
)

// control sends an order, the last argument, to a running sandbox and returns when it is done.
func control(args []string, stdout, stderr io.Writer) int {
	flags := newFlags("control")
	dir := flags.String("dir", "", "`directory` of the sandbox (required)")
	if len(args) == 0 {
		controls(stdout)
		return exitOK
	}
	order := args[len(args)-1]
	return command(flags, args[:len(args)-1], stderr, func() error {
		if *dir == "" {
			return errors.New("--dir DIR is required, followed by an order")
		}
		return nil
	}, func(ctx context.Context) error { return cluster.Control(ctx, *dir, order) })
}

// controls prints the table of orders.
func controls(stdout io.Writer) {
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for _, c := range cluster.Controls() {
		fmt.Fprintf(table, "%s\t%s\n", c[0], c[1])
	}
	// Nobody can read an error of this writer.
	_ = table.Flush()
}
