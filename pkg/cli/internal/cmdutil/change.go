package cmdutil

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
)

// ChangeFlags are the flags of the commands that change existing hosted clusters.
type ChangeFlags struct {
	DryRun bool
	Output string
	// Timeout bounds the whole command, TroubleTimeout the same problem of a step.
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
	cmd.Flags().StringVarP(&f.Output, "output", "o", "", "output format: json, one event a line while it runs; with "+
		"--dry-run json, yaml or html, the plan")
	cmd.Flags().BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before changing anything")
	CompletePlan(cmd)
}

// Validate refuses flags that exclude each other. It fails with a usage error.
func (f *ChangeFlags) Validate() error {
	if err := Times(f.Timeout, f.TroubleTimeout); err != nil {
		return err
	}
	if f.DryRun {
		return PlanFormat(f.Output)
	}
	return OneOf(f.Output, "", "json")
}

// Fleet are the flags for a run over many clusters: the timeout is that of each.
func (f *ChangeFlags) Fleet(parallel int) FleetFlags {
	return FleetOf(parallel, f.Timeout, f.TroubleTimeout, f.Output, f.DryRun)
}

// Given returns the value of an int32 flag, nil if it was not given.
func Given(cmd *cobra.Command, flag string, value int32) *int32 {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return &value
}

// BindWait adds the flag --wait with these values.
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
