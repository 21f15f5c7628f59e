// Command ocm is Open Cluster Management in a sandbox, in one process: the hub's own registration, placement and work
// controllers, and the registration and the work agent of the cluster that the hub itself runs on. The vendor's
// commands would each listen on a port, elect a leader, and take the memory of a process.
//
// ocm --kubeconfig FILE --dir DIR [--speed N]
//
// The controllers run until SIGINT or SIGTERM. The agents run while Deployment klusterlet-agent is Available, for the
// cluster that its arguments name. Nothing listens.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	opts, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctx, opts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ocm:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop has been called
	}
}

// options are the flags.
type options struct {
	// kubeconfig reaches the hub, which is the agents' cluster too, as cluster admin.
	kubeconfig string
	// dir is a scratch folder for the agents' credentials.
	dir string
	// speed divides how long the agent waits between two looks at the addons' leases.
	speed float64
}

func parse(args []string) (options, error) {
	var opts options
	flags := flag.NewFlagSet("ocm", flag.ContinueOnError)
	flags.StringVar(&opts.kubeconfig, "kubeconfig", "", "`FILE` to reach the cluster with, as cluster admin")
	flags.StringVar(&opts.dir, "dir", "", "`DIR` for the agents' credentials")
	flags.Float64Var(&opts.speed, "speed", 1, "divide the delay between two looks at addons by this `factor`")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if opts.kubeconfig == "" || opts.dir == "" {
		return options{}, errors.New("--kubeconfig and --dir are needed")
	}
	if !(opts.speed > 0) {
		return options{}, fmt.Errorf("--speed must be greater than 0, not %v", opts.speed)
	}
	return opts, nil
}
