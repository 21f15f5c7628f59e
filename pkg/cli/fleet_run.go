package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/step"
)

// fleetFlags are what a person can say about a run over many clusters.
type fleetFlags struct {
	files, skipPreflight    []string
	output                  string
	parallel                int
	dryRun                  bool
	timeout, troubleTimeout time.Duration
}

func (f *fleetFlags) bind(cmd *cobra.Command, verb, planned string) {
	flags := cmd.Flags()
	flags.StringArrayVarP(&f.files, "file", "f", nil, "file with documents of kind Cluster or Fleet, or a folder of them; - is standard input (repeatable)")
	flags.IntVar(&f.parallel, "parallel", 10, "how many clusters may be under way at once; 0 means all")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Minute, "how long each cluster may take, from when its turn comes")
	flags.DurationVar(&f.troubleTimeout, "trouble-timeout", config.Default().TroubleTimeout,
		"how long the same trouble, such as a VM that no node takes, may last before "+verb+" gives up on that cluster; 0 means until its time is up")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say of each cluster what would be "+planned+", and change nothing; exits 3 if there is anything to do")
	flags.StringVarP(&f.output, "output", "o", "", "output format: json, one event a line while it runs; with --dry-run json or yaml, the plan")
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	complete(cmd, "output", "json", "yaml")
}

func (f *fleetFlags) validate() error {
	if f.parallel < 0 {
		return fmt.Errorf("--parallel %d: it cannot be negative; 0 means all", f.parallel)
	}
	if err := times(f.timeout, f.troubleTimeout); err != nil {
		return err
	}
	if f.dryRun {
		return oneOf(f.output, "", "json", "yaml")
	}
	return oneOf(f.output, "", "json")
}

// shape puts into the engine's options what was asked for.
func (f *fleetFlags) shape(opt *step.Options) {
	opt.Subjects, opt.SubjectTimeout, opt.TroubleTimeout = f.parallel, f.timeout, f.troubleTimeout
}

// reads is how many clusters are looked at side by side before anything is done.
func (f *fleetFlags) reads() int {
	const most = 16
	if f.parallel == 0 {
		return most
	}
	return min(most, f.parallel)
}

// fleetRun is how a run over many clusters is told.
type fleetRun struct {
	fleetFlags
	heading         text
	command, resume string
}

// runFleet takes the steps of many clusters to their end.
func (a *app) runFleet(ctx context.Context, t *target, steps []step.Step, f fleetRun) (step.Report, error) {
	graph, err := step.New(steps...)
	if err != nil {
		return step.Report{}, err
	}
	if f.output == "json" {
		r, err := a.streamReport(ctx, t, graph, f.shape, f.command, func(step.Report) string { return "hcctl get clusters -A" })
		return r, errors.Join(r.Err(), err)
	}
	r, err := a.runSubjects(ctx, t, f.heading, "clusters", graph, f.shape)
	if err != nil {
		return r, err
	}
	if err := r.Err(); err != nil {
		return r, alreadyTold(err, f.resume)
	}
	return r, nil
}

// toldError is how a run ended of which a table has told everything.
type toldError struct {
	error
	resume string
}

// alreadyTold is err, of which the run has told already, with how to go on from there.
func alreadyTold(err error, how string) *toldError { return &toldError{error: err, resume: how} }

func (e *toldError) Unwrap() error { return e.error }

// errTold tells printError that there is nothing more to say but how to go on.
func errTold(err error) (string, bool) {
	var told *toldError
	if errors.As(err, &told) {
		return told.resume, true
	}
	return "", false
}
