// Command olm is the Operator Lifecycle Manager of a sandbox in one process: OLM's own catalog operator and OLM
// operator, and operator-registry's catalog service in place of the registry pods of a real cluster. OLM's own two
// commands would listen on a fixed port of all interfaces (:8080) and take twice the memory.
//
// olm --kubeconfig FILE --namespace NAMESPACE --catalog NAME=DIR [--catalog NAME=DIR ...] [--listen NAME=ADDRESS ...]
// --addresses FILE [--speed N] [--install-plan-retry-timeout TIME]
//
// Each catalog gets its own loopback port, the preferred one if that is free; nothing else listens. Then the command
// writes the addresses file, a JSON object of address by name. It ends with SIGINT or SIGTERM.
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
	// speed multiplies OLM's request limits.
	speed float64
	// retry is how long OLM retries an InstallPlan before it fails.
	retry time.Duration
	// catalogs maps names to directories, preferred maps names to addresses.
	catalogs, preferred named
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
	opts := options{catalogs: named{}, preferred: named{}}
	flags := flag.NewFlagSet("olm", flag.ContinueOnError)
	flags.StringVar(&opts.kubeconfig, "kubeconfig", "", "`FILE` to reach the cluster with, as cluster admin")
	flags.StringVar(&opts.namespace, "namespace", "", "`NAMESPACE` whose CatalogSources serve the whole cluster")
	flags.Var(opts.catalogs, "catalog", "`NAME=DIR` of a file-based catalog to serve; repeat for more")
	flags.Var(opts.preferred, "listen", "`NAME=ADDRESS` to serve a catalog at if it is free")
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
