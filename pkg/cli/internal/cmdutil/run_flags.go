package cmdutil

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/step"
)

// FleetFlags are the flags of runs over many clusters.
type FleetFlags struct {
	Files, SkipPreflight []string
	Output               string
	// Env selects the environment of the files; empty for files without environments.
	Env      string
	parallel int
	DryRun   bool
	// Timeout bounds each cluster, TroubleTimeout the time that one problem may last.
	Timeout, TroubleTimeout time.Duration
}

// FleetOf returns the flags of a run whose command line has other flags: how many clusters at once, and the time
// limits of each.
func FleetOf(parallel int, timeout, trouble time.Duration, output string, dryRun bool) FleetFlags {
	return FleetFlags{parallel: parallel, Timeout: timeout, TroubleTimeout: trouble, Output: output, DryRun: dryRun}
}

// Bind adds the flags to a command.
func (f *FleetFlags) Bind(cmd *cobra.Command, verb, planned string) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.Files, "file", "f", nil, "file with documents of kind Cluster or Fleet, or a directory of "+
		"them; - is standard input (repeatable)")
	flags.StringVar(&f.Env, "env", "", "environment of the files whose clusters are meant, such as dev")
	BindParallel(flags, &f.parallel)
	TimeoutFlag(flags, &f.Timeout, 30*time.Minute, "time limit for each cluster, from when its turn comes")
	flags.DurationVar(&f.TroubleTimeout, "trouble-timeout", config.Default().TroubleTimeout,
		"how long the same problem, such as a VM that fits on no node, may last before "+verb+
			" gives up on that cluster; 0 means until its timeout")
	flags.BoolVar(&f.DryRun, "dry-run", false, "show for each cluster what would be "+planned+
		", and change nothing; "+DryRunExits)
	RunOutputFlag(cmd, &f.Output)
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
}

// ExactFlag adds --exact, which refuses an existing object that differs from the request.
func ExactFlag(flags *pflag.FlagSet, exact *bool) {
	flags.BoolVar(exact, "exact", false, "change nothing and end with exit code 3 if what exists is not what is asked "+
		"for, "+
		"instead of leaving it as it is")
}

// BindParallel adds --parallel, the number of clusters to work on at once.
func BindParallel(flags *pflag.FlagSet, parallel *int) {
	flags.IntVar(parallel, "parallel", 10, "how many clusters to work on at once; 0 means all")
}

// CheckParallel returns an error for a number below zero.
func CheckParallel(parallel int) error {
	if parallel < 0 {
		return fmt.Errorf("--parallel %d: it cannot be negative; 0 means all", parallel)
	}
	return nil
}

// Validate returns a usage error for flags that exclude each other.
func (f *FleetFlags) Validate() error {
	if err := CheckParallel(f.parallel); err != nil {
		return err
	}
	if err := Times(f.Timeout, f.TroubleTimeout); err != nil {
		return err
	}
	if f.DryRun {
		return PlanFormat(f.Output)
	}
	return RunFormat(f.Output)
}

// shape sets the engine's options from the flags.
func (f *FleetFlags) shape(opt *step.Options) {
	opt.Subjects, opt.SubjectTimeout, opt.TroubleTimeout = f.parallel, f.Timeout, f.TroubleTimeout
}

// ParallelReads returns how many clusters are read in parallel before anything is changed.
func (f *FleetFlags) ParallelReads() int {
	const maxReads = 16
	if f.parallel == 0 {
		return maxReads
	}
	return min(maxReads, f.parallel)
}

// FleetRun is a run over many clusters with its texts.
type FleetRun struct {
	FleetFlags
	Heading Text
	Command string
	Resume  hint.Text
	// Noun names a subject; empty for a cluster.
	Noun string
}

// RunFleet runs the steps of many clusters.
func (r *Runner) RunFleet(ctx context.Context, t *Target, steps []step.Step, f FleetRun) (step.Report, error) {
	result, err := r.Run(ctx, t, Run{Steps: steps, Shape: f.shape, Heading: f.Heading, Output: f.Output,
		Command: f.Command, Next: func(step.Report) hint.Text { return listOfAll(f.Noun) }, Noun: cmp.Or(f.Noun, "cluster")})
	if f.Output == "json" {
		return result, errors.Join(result.Err(), err)
	}
	if err == nil && result.Err() != nil {
		err = AlreadyReported(result.Err(), "%s", f.Resume)
	}
	return result, err
}

// listOfAll returns the command that lists all objects that noun names.
func listOfAll(noun string) hint.Text {
	if noun == "node pool" {
		return hint.Run("get nodepools").Flag("A").Text()
	}
	return hint.Run("get clusters").Flag("A").Text()
}

// alreadyReportedError is an error whose table is printed already.
type alreadyReportedError struct {
	error
	resume hint.Text
}

// AlreadyReported returns err, which the run has printed, with how to continue, formatted as by hint.New.
func AlreadyReported(err error, format string, args ...any) error {
	return &alreadyReportedError{error: err, resume: hint.New(format, args...)}
}

func (e *alreadyReportedError) Unwrap() error { return e.error }

// reportedError returns how to continue if the error has been printed.
func reportedError(err error) (hint.Text, bool) {
	var reported *alreadyReportedError
	if errors.As(err, &reported) {
		return reported.resume, true
	}
	return hint.Text{}, false
}

// ChangeFlags are the flags of the commands that change existing hosted clusters.
type ChangeFlags struct {
	DryRun bool
	Output string
	// Timeout bounds the whole command, TroubleTimeout the time that one problem of a step may last.
	Timeout, TroubleTimeout time.Duration
}

// Bind adds the flags to a command.
func (f *ChangeFlags) Bind(cmd *cobra.Command, a *Factory, timeout time.Duration) {
	TimeoutFlag(cmd.Flags(), &f.Timeout, timeout, "time limit for the whole command")
	cmd.Flags().DurationVar(&f.TroubleTimeout, "trouble-timeout", 10*time.Minute,
		"how long the same problem, such as a VM that fits on no node, may last before the command gives up; 0 means as "+
			"long as --timeout")
	cmd.Flags().BoolVar(&f.DryRun, "dry-run", false, "say what would be changed, as a diff, and change nothing; "+
		DryRunExits)
	RunOutputFlag(cmd, &f.Output)
	cmd.Flags().BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before changing anything")
}

// Validate returns a usage error for flags that exclude each other.
func (f *ChangeFlags) Validate() error {
	if err := Times(f.Timeout, f.TroubleTimeout); err != nil {
		return err
	}
	if f.DryRun {
		return PlanFormat(f.Output)
	}
	return RunFormat(f.Output)
}

// Fleet returns the flags for a run over many clusters: the timeout bounds each cluster.
func (f *ChangeFlags) Fleet(parallel int) FleetFlags {
	return FleetOf(parallel, f.Timeout, f.TroubleTimeout, f.Output, f.DryRun)
}

// Given returns the value of an int32 flag, or nil if it was not given.
func Given(cmd *cobra.Command, flag string, value int32) *int32 {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return &value
}

// BindWait adds --wait with these values.
func BindWait(cmd *cobra.Command, wait *nodepool.Wait, values ...nodepool.Wait) {
	words, list := make([]string, 0, len(values)), ""
	for i, v := range values {
		words = append(words, string(v))
		if i > 0 {
			list += " or "
		}
		list += string(v)
	}
	cmd.Flags().StringVar((*string)(wait), "wait", string(*wait), "what to wait for: "+list)
	Complete(cmd, "wait", words...)
}

// stableForName is the name of the flag of StableForFlag.
const stableForName = "stable-for"

// StableForFlag adds --stable-for, which has an effect only if the flag in with has the value healthy.
func StableForFlag(flags *pflag.FlagSet, stable *time.Duration, with string) {
	flags.DurationVar(stable, stableForName, *stable, "with "+with+": how long status has to call the cluster healthy "+
		"without a break")
}

// CheckStableFor returns an error if --stable-for is negative, or if it is given without the flag value that it
// needs.
func CheckStableFor(flags *pflag.FlagSet, stable time.Duration, with string, healthy bool) error {
	switch {
	case stable < 0:
		return fmt.Errorf("--%s %s: give a time, such as 1m, or 0", stableForName, stable)
	case flags.Changed(stableForName) && !healthy:
		return fmt.Errorf("--%s: has an effect only with %s", stableForName, with)
	}
	return nil
}
