// Command olm is the Operator Lifecycle Manager of a sandbox in one process: OLM's own catalog operator and OLM
// operator, and operator-registry's catalog service in place of the registry pods of a real cluster.
//
// OLM's own two commands are not used because each listens on a fixed port of all interfaces (:8080), and because
// together they take twice the memory. The operators inside are the same.
//
//	olm --kubeconfig FILE --namespace NAMESPACE --catalog NAME=DIR [--catalog NAME=DIR ...] --addresses FILE
//
// Each catalog gets a free loopback port of its own; nothing else listens. Once all are served, the addresses file is
// written: a JSON object of address by name. The command ends with SIGINT or SIGTERM.
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
	catalogs                         catalogs
}

// catalogs collects --catalog flags: folder by name.
type catalogs map[string]string

// String implements flag.Value.
func (c catalogs) String() string { return fmt.Sprint(map[string]string(c)) }

// Set implements flag.Value.
func (c catalogs) Set(s string) error {
	name, dir, ok := strings.Cut(s, "=")
	if !ok || name == "" || dir == "" {
		return fmt.Errorf("%q is not NAME=DIR", s)
	}
	c[name] = dir
	return nil
}

func parse(args []string) (options, error) {
	opts := options{catalogs: catalogs{}}
	flags := flag.NewFlagSet("olm", flag.ContinueOnError)
	flags.StringVar(&opts.kubeconfig, "kubeconfig", "", "`FILE` to reach the cluster with, as cluster admin")
	flags.StringVar(&opts.namespace, "namespace", "", "`NAMESPACE` whose CatalogSources serve the whole cluster")
	flags.Var(opts.catalogs, "catalog", "`NAME=DIR` of a file-based catalog to serve; repeat for more")
	flags.StringVar(&opts.addresses, "addresses", "", "`FILE` to write the catalogs' addresses to")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if opts.kubeconfig == "" || opts.namespace == "" || opts.addresses == "" || len(opts.catalogs) == 0 {
		return options{}, errors.New("--kubeconfig, --namespace, --catalog and --addresses are needed")
	}
	return opts, nil
}
