package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/hcctl/hcctl/sandbox/catalog"
	"github.com/hcctl/hcctl/sandbox/cluster"
	"github.com/hcctl/hcctl/sandbox/cluster/apiserver"
	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift"
	"github.com/hcctl/hcctl/sandbox/profile"
)

const (
	defaultProfile = "ocp-4.20"
	defaultPools   = 2
	// maxClusters finished clusters fit into the sandbox's etcd.
	maxClusters, maxPools = 10000, 10
	// maxSpeed keeps every delay above zero, so that the order of events stays.
	maxSpeed = 10000
	// recordSpeed is the speed of the operators while a recording is made.
	recordSpeed = 20
	// recordGCPercent suits a machine that has just built the sandbox, so it has memory.
	recordGCPercent = 200
)

func start(args []string, stdout, stderr io.Writer) int {
	var opts cluster.Options
	flags := newFlags("start")
	name := profileFlag(flags, defaultProfile)
	var faults list
	flags.StringVar(&opts.Dir, "dir", "", "`directory` for the kubeconfig, logs and data (required; created if absent)")
	flags.Var(&faults, "fault", "`name` of a fault to inject; repeat for more (hcctl-sandbox faults lists them)")
	flags.IntVar(&opts.GCPercent, "gc-percent", cluster.DefaultGCPercent,
		"let heaps grow by this `percentage` before a garbage collection: more takes more memory and less time")
	flags.Float64Var(&opts.Speed, "speed", 1, "divide the delays of simulated operators, and multiply OLM's request "+
		"limits, by this `factor`; greater than 0")
	flags.IntVar(&opts.Guests, "guests", hypershift.DefaultMaxGuests,
		"`number` of hosted clusters that get an API server of their own, 250 MB each; the others are simulated in "+
			"memory, and nothing answers at their address")
	flags.BoolVar(&opts.Fleet, "fleet", false, "make room for a hundred hosted clusters: no API servers of their own, "+
		"control planes of three pods, large nodes")
	flags.BoolVar(&opts.Lean, "lean", false, "write control planes of the pods of etcd, kube-apiserver and "+
		"control-plane-operator alone, which take less processor time; a hosted cluster without an API server answers "+
		"health checks at its address")
	host := flags.String("hypershift", "", "`form` of HyperShift: simulated, or real for the vendor's own programs, "+
		"which make sandbox-real builds (default: simulated, and real in profile real)")
	flags.StringVar(&opts.Kubernetes, "kubernetes", "", "minor `version` of the management cluster's API server: "+
		strings.Join(apiserver.Releases(), ", ")+"; make sandbox-kubernetes builds the others (default: the sandbox's own, "+
		apiserver.Own+")")
	flags.IntVar(&opts.Clusters, "clusters", 0, "`number` of finished hosted clusters at the start, which no operator "+
		"works on; needs a profile with all operators installed")
	flags.IntVar(&opts.Pools, "pools", defaultPools, "`number` of NodePools of each cluster of --clusters")
	flags.BoolVar(&opts.Still, "still", false, "run etcd and the API server alone: no controller, kubelet or operator "+
		"changes an object, so that statuses stay as a user writes them")
	flags.BoolVar(&opts.Audit, "audit", false, "let the API server log every request, without its body, to "+
		"logs/audit.log in the directory, one JSON document per line")
	flags.BoolVar(&opts.OpenAPI, "openapi", true, "serve OpenAPI documents, which oc and kubectl need to apply and "+
		"explain, and hcctl does not; --openapi=false takes less processor time")
	flags.BoolVar(&opts.ArgoCD, "argocd", false, "run the vendor's own Argo CD, which make sandbox-gitops builds, also "+
		"where OpenShift GitOps is not installed yet (always in profile gitops)")
	flags.StringVar(&opts.Program, "run", "", "`file` of a program, such as bin/hcctl, that containers of Jobs run for "+
		"real if its name is their command, as their ServiceAccount; without it no container runs, and Jobs end well")
	var join cluster.Join
	flags.StringVar(&join.Hub, "join", "", "`kubeconfig` of another sandbox, the hub that manages this cluster: its "+
		"cluster admin imports it there and applies the klusterlet here")
	flags.StringVar(&join.Cluster, "cluster-name", "", "`name` of the ManagedCluster at the hub of --join")
	opts.Report = func(text string) { fmt.Fprintf(stderr, "%s: %s\n", flags.Name(), text) }
	return command(flags, args, stderr, func() error {
		switch {
		case opts.Guests < 0:
			return fmt.Errorf("--guests must be at least 0, not %d", opts.Guests)
		case opts.Dir == "":
			return errors.New("--dir DIR is required")
		case !(opts.Speed > 0) || opts.Speed > maxSpeed:
			return fmt.Errorf("--speed must be greater than 0 and at most %d, not %v", maxSpeed, opts.Speed)
		}
		if err := setJoin(&opts, join); err != nil {
			return err
		}
		if opts.Fleet && given(flags, "guests") && opts.Guests > 0 {
			return errors.New("--guests does not work with --fleet, which starts no API servers: leave --guests out")
		}
		if opts.Fleet {
			opts.Guests = 0
		}
		if opts.GCPercent <= 0 {
			return fmt.Errorf("--gc-percent must be greater than 0, not %d", opts.GCPercent)
		}
		if err := setProfile(&opts, *name); err != nil {
			return err
		}
		if err := setPrograms(&opts); err != nil {
			return err
		}
		if err := checkFinished(opts, given(flags, "pools")); err != nil {
			return err
		}
		if err := setHyperShift(&opts, *host); err != nil {
			return err
		}
		if err := setKubernetes(&opts); err != nil {
			return err
		}
		return setFaults(&opts, faults)
	}, func(ctx context.Context) error {
		return cluster.Run(ctx, opts, func() {
			if opts.Faults.Has(fault.RBACRestricted) {
				fmt.Fprintln(stderr, "restricted:", filepath.Join(opts.Dir, "kubeconfig-restricted"))
			}
			fmt.Fprintln(stdout, "ready:", filepath.Join(opts.Dir, "kubeconfig"))
		})
	})
}

func record(args []string, stdout, stderr io.Writer) int {
	opts := cluster.Options{Speed: recordSpeed, GCPercent: recordGCPercent}
	var out string
	flags := newFlags("record")
	name := profileFlag(flags, "ready")
	flags.StringVar(&opts.Dir, "dir", "",
		"`directory` for logs and data (default: a temporary one, removed if all goes well)")
	flags.StringVar(&out, "out", "", "`file` to write the recording to (required)")
	return command(flags, args, stderr, func() error {
		if out == "" {
			return errors.New("--out FILE is required")
		}
		return setProfile(&opts, *name)
	}, func(ctx context.Context) error {
		temporary := opts.Dir == ""
		if temporary {
			dir, err := os.MkdirTemp("", "hcctl-sandbox-record-")
			if err != nil {
				return fmt.Errorf("make temporary directory: %w", err)
			}
			opts.Dir = dir
		}
		if err := cluster.Record(ctx, opts, out); err != nil {
			return err
		}
		if temporary {
			if err := os.RemoveAll(opts.Dir); err != nil {
				return fmt.Errorf("remove temporary directory: %w", err)
			}
		}
		fmt.Fprintln(stdout, "recorded:", out)
		return nil
	})
}

// manifests writes the files of an operator's repository, for a cluster without OLM.
func manifests(args []string, stdout, stderr io.Writer) int {
	flags := newFlags("manifests virtualization")
	name := profileFlag(flags, "no-olm")
	dir := flags.String("dir", "", "`directory` to write to (required; created if absent)")
	if len(args) == 0 || args[0] != "virtualization" {
		fmt.Fprintln(stderr, "hcctl-sandbox manifests: name what to write: virtualization")
		return exitUsage
	}
	var p profile.Profile
	return command(flags, args[1:], stderr, func() (err error) {
		if *dir == "" {
			return errors.New("--dir DIR is required")
		}
		p, err = profile.Get(*name)
		return err
	}, func(context.Context) error {
		if err := catalog.WriteVirtualization(*dir, p, crds.Set); err != nil {
			return err
		}
		fmt.Fprintln(stdout, "written:", *dir)
		return nil
	})
}

func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet("hcctl-sandbox "+name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

func profileFlag(flags *flag.FlagSet, fallback string) *string {
	return flags.String("profile", fallback, "`name` of the OpenShift to simulate: "+strings.Join(profile.Names(), ", "))
}

func setProfile(opts *cluster.Options, name string) error {
	p, err := profile.Get(name)
	if err != nil {
		return fmt.Errorf("--profile: %w", err)
	}
	opts.Profile = p
	if p.Birth != "" {
		opts.World, err = cluster.WorldFile(p.World())
	}
	return err
}

// given reports whether the command line has the flag.
func given(flags *flag.FlagSet, name string) bool {
	found := false
	flags.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func setFaults(opts *cluster.Options, names []string) (err error) {
	if opts.Faults, err = fault.NewSet(names, opts.Profile.Provisioned()); err != nil {
		return fmt.Errorf("--fault: %w", err)
	}
	return nil
}

// list is a flag that can be repeated.
type list []string

// String implements flag.Value.
func (l *list) String() string { return strings.Join(*l, ",") }

// Set implements flag.Value.
func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

// faults prints the table of faults: name, duration at speed 1, description.
func faults(stdout io.Writer) {
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for _, f := range fault.All() {
		heals := "does not heal"
		if f.Duration > 0 {
			heals = "heals after " + f.Duration.String()
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.Name, heals, f.Description)
	}
	// Nobody can read an error of this writer.
	_ = table.Flush()
}

// command parses and checks the flags, and runs until run returns or a signal interrupts it.
func command(flags *flag.FlagSet, args []string, stderr io.Writer, check func() error,
	run func(context.Context) error) int {
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stderr)
		flags.Usage()
		return exitOK
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err == nil {
		err = check()
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", flags.Name(), err)
		return exitUsage
	}
	parent := os.Getppid()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx); {
	case err != nil:
		fmt.Fprintf(stderr, "%s: %s\n", flags.Name(), strings.ReplaceAll(err.Error(), "\n", "; "))
		return exitError
	case ctx.Err() != nil && os.Getppid() != parent:
		fmt.Fprintf(stderr, "%s: ended: %v; the process that started it has ended, too\n", flags.Name(), context.Cause(ctx))
	case ctx.Err() != nil:
		fmt.Fprintf(stderr, "%s: ended: %v\n", flags.Name(), context.Cause(ctx))
	}
	return exitOK
}
