// Command ocm is Open Cluster Management in a sandbox, in one process: the hub's own registration, placement and work
// controllers, and the registration and the work agent of the cluster that the hub itself runs on. The vendor's
// commands would each listen on a port, elect a leader, and take the memory of a process.
//
// ocm --kubeconfig FILE --dir DIR [--speed N] [--agents NAMESPACE/DEPLOYMENT]
//
// The controllers run until SIGINT or SIGTERM. The agents run while their Deployment is Available, for the cluster that
// its arguments name. With --agents there are only those, of a cluster that another hub manages. Nothing listens.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
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
	// kubeconfig reaches the agents' cluster, which is the hub too unless agentsOnly, as cluster admin.
	kubeconfig string
	// dir is a scratch directory for the agents' credentials.
	dir string
	// speed divides how long the agent waits between two looks at the addons' leases.
	speed float64
	// namespace and deployment are those of the agents.
	namespace, deployment string
	// agentsOnly runs no controllers of a hub.
	agentsOnly bool
}

// hubAgents are the agents of the hub's own cluster.
const hubAgents = "open-cluster-management-agent/klusterlet-agent"

func parse(args []string) (options, error) {
	var opts options
	flags := flag.NewFlagSet("ocm", flag.ContinueOnError)
	flags.StringVar(&opts.kubeconfig, "kubeconfig", "", "`FILE` to reach the cluster with, as cluster admin")
	flags.StringVar(&opts.dir, "dir", "", "`DIR` for the agents' credentials")
	flags.Float64Var(&opts.speed, "speed", 1, "divide the delay between two looks at addons by this `factor`")
	agents := flags.String("agents", "", "run only the agents of `NAMESPACE/DEPLOYMENT`, not the hub")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	opts.agentsOnly = *agents != ""
	var found bool
	if opts.namespace, opts.deployment, found = strings.Cut(cmp.Or(*agents, hubAgents), "/"); !found {
		return options{}, fmt.Errorf("--agents must be NAMESPACE/DEPLOYMENT, not %q", *agents)
	}
	if opts.kubeconfig == "" || opts.dir == "" {
		return options{}, errors.New("--kubeconfig and --dir are needed")
	}
	if !(opts.speed > 0) {
		return options{}, fmt.Errorf("--speed must be greater than 0, not %v", opts.speed)
	}
	return opts, nil
}
