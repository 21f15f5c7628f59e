// Command olm is the Operator Lifecycle Manager of a sandbox in one process: OLM's own catalog operator and OLM
// operator, and operator-registry's catalog service in place of the registry pods of a real cluster.
//
// OLM's own two commands are not used because each listens on a fixed port of all interfaces (:8080), and because
// together they take twice the memory. The operators inside are the same.
//
//	olm --kubeconfig FILE --namespace NAMESPACE --catalog NAME=DIR [--catalog NAME=DIR ...] [--listen NAME=ADDRESS ...] --addresses FILE [--speed N] [--install-plan-retry-timeout TIME]
//
// Each catalog gets a loopback port of its own, the one wished if that is free; nothing else listens. Once all are
// served, the addresses file is written: a JSON object of address by name. The command ends with SIGINT or SIGTERM.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	opts, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctx, opts)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "olm:", err)
		stop()
		os.Exit(1) //nolint:gocritic // stop has been called
	}
}

// options are the flags.
type options struct {
	kubeconfig, namespace, addresses string
	// speed multiplies the requests a second that OLM allows itself.
	speed float64
	// retry is how long OLM tries to carry out an InstallPlan again and again before that has failed.
	retry time.Duration
	// catalogs are folders by name, wishes addresses by the same names.
	catalogs, wishes named
}

// named collects flags of the form NAME=VALUE.
type named map[string]string

// String implements flag.Value.
func (n named) String() string { return fmt.Sprint(map[string]string(n)) }

// Set implements flag.Value.
func (n named) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok || name == "" || value == "" {
		return fmt.Errorf("%q is not NAME=VALUE", s)
	}
	n[name] = value
	return nil
}

func parse(args []string) (options, error) {
	opts := options{catalogs: named{}, wishes: named{}}
	flags := flag.NewFlagSet("olm", flag.ContinueOnError)
	flags.StringVar(&opts.kubeconfig, "kubeconfig", "", "`FILE` to reach the cluster with, as cluster admin")
	flags.StringVar(&opts.namespace, "namespace", "", "`NAMESPACE` whose CatalogSources serve the whole cluster")
	flags.Var(opts.catalogs, "catalog", "`NAME=DIR` of a file-based catalog to serve; repeat for more")
	flags.Var(opts.wishes, "listen", "`NAME=ADDRESS` to serve a catalog at if it is free")
	flags.StringVar(&opts.addresses, "addresses", "", "`FILE` to write the catalogs' addresses to")
	flags.Float64Var(&opts.speed, "speed", 1, "multiply the requests a second OLM allows itself by this `factor`")
	flags.DurationVar(&opts.retry, "install-plan-retry-timeout", installPlanTimeout,
		"how `long` OLM tries an InstallPlan whose objects are refused")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if opts.kubeconfig == "" || opts.namespace == "" || opts.addresses == "" || len(opts.catalogs) == 0 {
		return options{}, errors.New("--kubeconfig, --namespace, --catalog and --addresses are needed")
	}
	if !(opts.speed > 0) {
		return options{}, fmt.Errorf("--speed must be greater than 0, not %v", opts.speed)
	}
	return opts, nil
}
