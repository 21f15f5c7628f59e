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

	"github.com/hcctl/hcctl/sandbox/cluster"
	"github.com/hcctl/hcctl/sandbox/profile"
)

const (
	defaultProfile = "ocp-4.20"
	// maxSpeed keeps delays above nothing: a delay of zero would no longer be an order of events.
	maxSpeed = 10000
	// recordSpeed is the pace of the operators while a recording is made: nobody watches.
	recordSpeed = 20
)

func start(args []string, stdout, stderr io.Writer) int {
	var opts cluster.Options
	flags := newFlags("start")
	name := profileFlag(flags, defaultProfile)
	flags.StringVar(&opts.Dir, "dir", "", "`folder` for the kubeconfig, logs and data (required; created if absent)")
	flags.Float64Var(&opts.Speed, "speed", 1, "divide the delays of simulated operators and of OLM's request limit by this `factor`; greater than 0")
	return command(flags, args, stderr, func() error {
		switch {
		case opts.Dir == "":
			return errors.New("--dir DIR is required")
		case !(opts.Speed > 0) || opts.Speed > maxSpeed:
			return fmt.Errorf("--speed must be greater than 0 and at most %d, not %v", maxSpeed, opts.Speed)
		}
		return setProfile(&opts, *name)
	}, func(ctx context.Context) error {
		return cluster.Run(ctx, opts, func() { fmt.Fprintln(stdout, "ready:", filepath.Join(opts.Dir, "kubeconfig")) })
	})
}

func record(args []string, stdout, stderr io.Writer) int {
	opts := cluster.Options{Speed: recordSpeed}
	var out string
	flags := newFlags("record")
	name := profileFlag(flags, "ready")
	flags.StringVar(&opts.Dir, "dir", "", "`folder` for logs and data (default: a temporary one, removed if all goes well)")
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
				return fmt.Errorf("make temporary folder: %w", err)
			}
			opts.Dir = dir
		}
		if err := cluster.Record(ctx, opts, out); err != nil {
			return err
		}
		if temporary {
			if err := os.RemoveAll(opts.Dir); err != nil {
				return fmt.Errorf("remove temporary folder: %w", err)
			}
		}
		fmt.Fprintln(stdout, "recorded:", out)
		return nil
	})
}

func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet("hcctl-sandbox "+name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

func profileFlag(flags *flag.FlagSet, fallback string) *string {
	return flags.String("profile", fallback, "`name` of the OpenShift to play: "+strings.Join(profile.Names(), ", "))
}

func setProfile(opts *cluster.Options, name string) error {
	p, err := profile.Get(name)
	if err != nil {
		return fmt.Errorf("--profile: %w", err)
	}
	opts.Profile = p
	if p.Provisioned {
		opts.World, err = cluster.WorldFile(p.Name)
	}
	return err
}

// command parses the flags, checks them, and runs until done or interrupted.
func command(flags *flag.FlagSet, args []string, stderr io.Writer, check func() error, run func(context.Context) error) int {
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(stderr, "%s: %s\n", flags.Name(), strings.ReplaceAll(err.Error(), "\n", "; "))
		return exitError
	}
	return exitOK
}
