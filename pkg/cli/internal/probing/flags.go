// Package probing has the flags and the run of the commands that probe the management cluster.
package probing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/imageref"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/management/probe"
	"github.com/hcctl/hcctl/pkg/step"
)

// maxTimeout limits --probe-timeout.
const maxTimeout = time.Hour

// Flags are the flags of a command that can run probes.
type Flags struct {
	names   []string
	timeout time.Duration
	image   string
	latency bool
}

// Bind adds the flags to a command.
func (f *Flags) Bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.names, "probe", nil, "try out what hosted clusters need, each in a namespace of its own that "+
		"is deleted again: "+strings.Join(probe.Names(), ", ")+", as --probe=NAME (repeatable), or --probe for all "+
		"(docs/probes.md)")
	flags.Lookup("probe").NoOptDefVal = probe.All
	flags.DurationVar(&f.timeout, "probe-timeout", probe.DefaultTimeout, "how long each probe may take, without its "+
		"clean-up")
	flags.StringVar(&f.image, "probe-image", "", "image of the probes' pods, with fio for --probe-latency (default the "+
		"client image of the cluster's own release, which every node has)")
	flags.BoolVar(&f.latency, "probe-latency", false, "measure how long volumes for etcd take to write, too")
	cmdutil.Complete(cmd, "probe", append(probe.Names(), probe.All)...)
	cmdutil.Complete(cmd, "probe-timeout")
	cmdutil.Complete(cmd, "probe-image")
}

// Asked reports whether --probe was given.
func (f *Flags) Asked() bool { return len(f.names) > 0 }

// Validate checks the flags.
func (f *Flags) Validate(cmd *cobra.Command) error {
	names, err := probe.Parse(f.names)
	if err != nil {
		return fmt.Errorf("--probe: %w", err)
	}
	f.names = names
	for _, name := range []string{"probe-timeout", "probe-image", "probe-latency"} {
		if cmd.Flags().Changed(name) && !f.Asked() {
			return fmt.Errorf("--%s says how to probe: it needs --probe", name)
		}
	}
	switch {
	case f.timeout <= 0 || f.timeout > maxTimeout:
		return fmt.Errorf("--probe-timeout %s: it must be more than 0s, and at most %s", f.timeout, maxTimeout)
	case f.image != "" && !imageref.Valid(f.image):
		return fmt.Errorf("--probe-image %q: not the name of an image", f.image)
	case f.latency && !slices.Contains(f.names, probe.Storage):
		return errors.New("--probe-latency measures volumes: it needs --probe=storage, or --probe")
	}
	return nil
}

// ValidateInside checks the flags of a command that probes a hosted cluster.
func (f *Flags) ValidateInside() error {
	for _, name := range f.names {
		if !slices.Contains(probe.InsideNames(), name) && !slices.Equal(f.names, probe.Names()) {
			return fmt.Errorf("--probe=%s: of a hosted cluster there are %s", name, strings.Join(probe.InsideNames(), ", "))
		}
	}
	if f.latency {
		return errors.New("--probe-latency measures the volumes of the management cluster: not with the name of a hosted " +
			"cluster")
	}
	return nil
}

// RunInside runs the probes of a hosted cluster, as Run does.
func RunInside(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, hosted *kube.Client,
	o probe.Options) (step.Report, error) {
	return run(ctx, a, t, probe.InsideSteps(hosted, o))
}

// Options returns the options of the probes that the flags select.
func (f *Flags) Options() probe.Options {
	return probe.Options{Names: f.names, Timeout: f.timeout, Image: f.image, Latency: f.latency}
}

// Remains returns what exists after probes were interrupted, or an empty text without --probe.
func Remains(f *Flags) hint.Text {
	if !f.Asked() {
		return hint.Text{}
	}
	return hint.New("The probes have removed what they created; if that failed, the next %s removes it",
		hint.Run("check").Flag("probe"))
}

// Run runs the probes with progress on Err. After the first signal the probes end and clean up, which may exceed
// the grace period of other commands; a second signal ends the process at once.
func Run(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, o probe.Options) (step.Report, error) {
	return run(ctx, a, t, probe.Steps(t.Client, o))
}

func run(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, steps []step.Step) (step.Report, error) {
	defer cmdutil.Finishing(ctx)()
	return a.Runner.Run(ctx, t, cmdutil.Run{Steps: steps, Heading: cmdutil.Textf("Probing %s", t), Silent: true})
}
