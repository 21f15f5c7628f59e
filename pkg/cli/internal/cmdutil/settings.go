package cmdutil

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/step"
)

// BindSettings adds a flag for each field of hcctl.yaml that has one. b has the defaults.
func BindSettings(f *pflag.FlagSet, b *config.Bootstrap) {
	f.StringVar((*string)(&b.Storage.Mode), "storage", string(b.Storage.Mode), config.Describe("storage"))
	f.StringVar(&b.Storage.DefaultStorageClass, "default-storage-class", b.Storage.DefaultStorageClass,
		config.Describe("default-storage-class"))
	f.StringVar(&b.Virtualization.Source, "virtualization-source", b.Virtualization.Source,
		config.Describe("virtualization-source"))
	f.StringVar(&b.Virtualization.Manifests, "virtualization-manifests", b.Virtualization.Manifests,
		config.Describe("virtualization-manifests"))
	f.StringVar((*string)(&b.LoadBalancer.Mode), "load-balancer", string(b.LoadBalancer.Mode),
		config.Describe("load-balancer"))
	f.StringSliceVar(&b.LoadBalancer.MetalLBRanges, "metallb-range", b.LoadBalancer.MetalLBRanges,
		config.Describe("metallb-range")+" (repeatable)")
	f.StringSliceVar(&b.Only, "only", b.Only, config.Describe("only")+" (repeatable)")
	f.StringSliceVar(&b.Skip, "skip", b.Skip, config.Describe("skip")+" (repeatable)")
	f.DurationVar(&b.Timeout, "timeout", b.Timeout, config.Describe("timeout"))
	f.IntVar(&b.Parallel, "parallel", b.Parallel, config.Describe("parallel"))
}

// BindPatience adds the flag for commands that change the cluster.
func BindPatience(f *pflag.FlagSet, b *config.Bootstrap) {
	f.DurationVar(&b.TroubleTimeout, "trouble-timeout", b.TroubleTimeout, config.Describe("trouble-timeout"))
}

// Choice is the validated settings of a command.
type Choice struct {
	config.Bootstrap
	skip map[step.ID]bool
}

// NewChoice takes valid settings.
func NewChoice(b config.Bootstrap) (*Choice, error) {
	graph, err := prereqs.Graph(b.Options())
	if err != nil {
		return nil, err
	}
	skip, err := graph.Named(b.Skip...)
	return &Choice{Bootstrap: b, skip: skip}, err
}

// Graph returns the chosen steps for t.
func (c *Choice) Graph(t *Target) (*step.Graph, error) {
	g, err := step.New(prereqs.Steps(t.Client, c.Options())...)
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

// CompleteSettings adds completion for settings with known values.
func CompleteSettings(cmd *cobra.Command) {
	for _, f := range config.Fields() {
		if f.Flag != "" && cmd.Flags().Lookup(f.Flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Flag, completionOf(f))
		}
	}
}

// Complete adds completion of these values to a flag.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func completionOf(f config.Field) cobra.CompletionFunc {
	switch f.Flag {
	case "only", "skip":
		return completeNames
	case "virtualization-manifests":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}
	return cobra.FixedCompletions(f.Values, cobra.ShellCompDirectiveNoFileComp)
}

// completeNames completes the last name of a list of groups and IDs.
func completeNames(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	graph, err := prereqs.Graph(config.Default().Options())
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
