package cmdutil

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/step"
)

// troubleTimeoutFlag is a flag that only commands have that change the cluster.
const troubleTimeoutFlag = "trouble-timeout"

// BindNamed adds only the named flags.
func (s *Settings) BindNamed(f *pflag.FlagSet, flags ...string) {
	s.bindIf(f, func(flag string) bool { return slices.Contains(flags, flag) })
}

// bindIf adds the wanted flags of the fields of hcctl.yaml.
func (s *Settings) bindIf(f *pflag.FlagSet, wanted func(flag string) bool) {
	s.bound = slices.DeleteFunc(config.Fields(), func(f config.Field) bool { return f.Flag == "" || !wanted(f.Flag) })
	BindFields(f, s.bound, &s.Flags, AsGiven)
}

// Choice is the validated settings of a command.
type Choice struct {
	config.Bootstrap
	valid prereqs.Validated
	skip  map[step.ID]bool
}

// NewChoice validates the settings. The error is an *option.Error if one of them is invalid.
func NewChoice(b config.Bootstrap) (*Choice, error) {
	valid, err := b.Validate()
	if err != nil {
		return nil, err
	}
	graph, err := prereqs.Graph(valid)
	if err != nil {
		return nil, err
	}
	skip, err := graph.Named(b.Skip...)
	return &Choice{Bootstrap: b, valid: valid, skip: skip}, err
}

// ShowDisks makes the run show the disks, and ask for consent, before it takes them.
func (c *Choice) ShowDisks(consent storage.Consent) { c.valid = c.valid.ShowingDisks(consent) }

// Disks plans which disks bootstrap takes.
func (c *Choice) Disks(ctx context.Context, r kube.Reader) (disk.Plan, error) {
	return storage.PlanDisks(ctx, r, c.valid.Storage)
}

// Graph returns the chosen steps for t.
func (c *Choice) Graph(t *Target) (*step.Graph, error) {
	g, err := step.New(prereqs.Steps(t.Client, c.valid)...)
	if err != nil || len(c.Only) == 0 {
		return g, err
	}
	return g.Only(c.Only...)
}

// Shape sets the engine's options from the settings.
func (c *Choice) Shape(opt *step.Options) {
	opt.Skip, opt.Parallel, opt.Timeout, opt.TroubleTimeout = c.skip, c.Parallel, c.Timeout, c.TroubleTimeout
	opt.Timeouts = map[step.ID]time.Duration{}
	for id, limit := range c.Timeouts {
		opt.Timeouts[step.ID(id)] = limit
	}
}

// CompleteSettings adds completion for settings with a closed list of values.
func CompleteSettings(cmd *cobra.Command) {
	for _, f := range config.Fields() {
		if f.Flag != "" && cmd.Flags().Lookup(f.Flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Flag, completionOf(f))
		}
	}
}

// CompleteWaits adds completion for --wait of a command that creates clusters.
func CompleteWaits(cmd *cobra.Command) {
	var words []string
	for _, w := range options.Waits() {
		words = append(words, string(w))
	}
	Complete(cmd, "wait", words...)
}

// Complete adds completion for a flag that takes one of these values.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func completionOf(f config.Field) cobra.CompletionFunc {
	switch f.Flag {
	case "only", "skip":
		return completeNames
	case "virtualization-manifests", "mirror-resources":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}
	return cobra.FixedCompletions(f.Values, cobra.ShellCompDirectiveNoFileComp)
}

// completeNames completes the last name in a list of groups and IDs.
func completeNames(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	graph, err := prereqs.Graph(prereqs.ValidatedDefaults())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	before := begun[:strings.LastIndex(begun, ",")+1]
	var names []string
	for _, name := range graph.Names() {
		names = append(names, before+name)
	}
	for _, s := range graph.Steps() {
		for i, name := range names {
			if name == before+string(s.ID) {
				names[i] += "\t" + s.Title
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// CheckPrerequisites connects to the management cluster and checks the chosen steps. All reads of one check
// share their answers.
func CheckPrerequisites(ctx context.Context, conn *Connection, limit *Limit,
	c *Choice) (*Target, step.Report, error) {
	t, err := conn.Dial()
	if err != nil {
		return nil, step.Report{}, err
	}
	ctx = limit.Within(ctx, c.Timeout)
	graph, err := c.Graph(t)
	if err != nil {
		return nil, step.Report{}, err
	}
	// The checks do not wait for the versions. They are cancelled if the versions cannot be read.
	checking, stop := context.WithCancel(ctx)
	defer stop()
	once := informer.NewCache(checking)
	report := make(chan step.Report, 1)
	opt := step.Options{ReadCache: func(context.Context) step.Reads { return once }}
	c.Shape(&opt)
	left, resume := limit.Pause()
	resume()
	opt.Timeout = cmp.Or(left, c.Timeout)
	go func() { report <- graph.Check(checking, opt) }()
	if err := t.Introduce(ctx, once); err != nil {
		return nil, step.Report{}, err
	}
	// From here on the run's own limit, which ends at the same time, reports what was not answered.
	limit.HandOver(c.Timeout)
	return t, conn.call.RenderReport(<-report), nil
}

// Partial reports whether --only or --skip leaves out steps.
func (c *Choice) Partial() bool { return len(c.Only) > 0 || len(c.Skip) > 0 }

// Ready returns what a successful run of these steps has achieved.
func (c *Choice) Ready() string {
	if c.Partial() {
		return "Everything requested is ready."
	}
	return "Ready for hosted clusters."
}

// Next returns the next command after a run of these steps.
func (c *Choice) Next(r step.Report) hint.Text {
	switch {
	case r.Err() != nil:
		return hint.Run("check").Text()
	case c.Partial():
		return hint.Run("check").Text()
	default:
		return hint.Run("create cluster").Flag("name", "NAME").Text()
	}
}
