package create

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/probing"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Flags are the flags of create cluster that are not options of the cluster.
type Flags struct {
	File, saveConfig, output string
	preview                  previewFlags
	timeout, troubleTimeout  time.Duration
	cleanup, exact           bool
	skipPreflight            []string
	awaitCapacity            bool
	maxClusters              int
	probes                   probing.Flags
}

// Bind adds the flags to a command.
func (c *Flags) Bind(cmd *cobra.Command, a *cmdutil.Factory, o *options.Cluster) {
	f := cmd.Flags()
	f.StringVar(&o.Name, "name", o.Name, "name of the hosted cluster (required, unless a file says it)")
	f.StringVarP(&c.File, "file", "f", "", "file with a document of kind Cluster, - is standard input; flags win over it")
	a.Files.BindAllowed(f)
	f.StringVar(&c.saveConfig, "save-config", "", "write a Cluster document with the same settings to this file, - is "+
		"standard output, and change nothing")
	cmdutil.BindFields(f, options.Fields(), o, cmdutil.AsGiven)
	cmdutil.BindFields(f, options.FirstPoolFields(), o.Pool(), options.ClusterFlag)
	f.StringVar((*string)(&o.Wait), "wait", string(o.Wait), "what to wait for: "+options.WaitNames())
	cmdutil.StableForFlag(f, &o.StableFor, "--wait healthy")
	cmdutil.TimeoutFlag(f, &c.timeout, 30*time.Minute, "time limit for the whole command")
	f.DurationVar(&c.troubleTimeout, "trouble-timeout", config.Default().TroubleTimeout,
		"how long the same problem, such as a VM that fits on no node, may last before create gives up; 0 means until the "+
			"timeout")
	f.StringSliceVar(&c.skipPreflight, "skip-preflight", nil, "checks to leave out before the cluster is created, by "+
		"ID or group, or all, which also skips the check of the name and the dry runs (repeatable)")
	f.BoolVar(&c.awaitCapacity, "wait-for-capacity", false, "where only room or addresses are missing, wait for them "+
		"before anything is written, as long as --timeout allows")
	f.IntVar(&c.maxClusters, "max-clusters", 0, "create nothing if the owner would have more than this number of hosted "+
		"clusters on the management cluster")
	f.BoolVar(&c.cleanup, "cleanup-on-failure", false, "remove everything that was created if the cluster does not "+
		"come up (not when interrupted, nor a cluster that was there before and has had an API server)")
	cmdutil.ExactFlag(f, &c.exact)
	c.preview.bind(f)
	cmdutil.RunOutputFlag(cmd, &c.output)
	f.BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before changing the cluster")
	cmdutil.InGroup(f, string(option.Cluster), "file", "allow-files-from", "allow-kind",
		"exact", "max-clusters")
	cmdutil.InGroup(f, cmdutil.WaitingGroup, "stable-for", "timeout", "trouble-timeout", "cleanup-on-failure",
		"skip-preflight", "wait-for-capacity", "yes")
	cmdutil.InGroup(f, cmdutil.OutputGroup, "output", "save-config", "render", "render-into", "render-sensitive")
	cmdutil.InGroup(f, cmdutil.MostUsedGroup, "name", "node-pool-replicas", "memory", "cores", "version", "base-domain",
		"pull-secret", "ssh-key", "wait", "dry-run")
}

// Validated merges the flags with the file, reads the files that they name, and validates the result. Each error
// names the flag, or the line, of the problem.
func (c *Flags) Validated(a *cmdutil.Factory, flags options.Cluster, given *pflag.FlagSet) (options.Validated, error) {
	o, file, err := c.overlaid(a, flags, given)
	if err != nil {
		return options.Validated{}, err
	}
	if ns := a.Call.KubeFlags.Overrides.Context.Namespace; ns != "" {
		o.Namespace = ns
	}
	a.Call.FromFile = o.Namespace
	if (o.Expires != "" || c.maxClusters > 0) && o.Owner == "" {
		o.Owner = hostedcluster.OwnerFromCI(a.Getenv)
	}
	switch {
	case given.Changed("max-clusters") && c.maxClusters < 1:
		return options.Validated{}, fmt.Errorf("--max-clusters %d: give 1 or more", c.maxClusters)
	case c.maxClusters > 0 && o.Owner == "":
		return options.Validated{}, errors.New("--max-clusters: whose? Give --owner, as no variable of a CI system says it")
	}
	if err := cmdutil.CheckStableFor(given, o.StableFor, "--wait healthy", o.Wait == options.WaitHealthy); err != nil {
		return options.Validated{}, err
	}
	if c.preview.rendering() && slices.Contains(options.Waits(), o.Wait) {
		o.Wait = options.WaitNone // nothing is created, so no value of --wait is invalid
	}
	if err := cmdutil.ReadOptions(a.Files, &o); err != nil {
		return options.Validated{}, cmdutil.BlameFile(err, file, given)
	}
	if err := idleReplicas(given, options.ClusterFlag, o.Pool()); err != nil {
		return options.Validated{}, err
	}
	if err := cmdutil.IdleAllowances(given, c.File, o.Manifests); err != nil {
		return options.Validated{}, err
	}
	valid, err := o.Validate()
	return valid, cmdutil.BlameFile(err, file, given)
}

// idleReplicas returns an error for a given number of workers that the pool does not use.
func idleReplicas(given *pflag.FlagSet, named func(string) string, pool *options.NodePool) error {
	const fixed, least, most = "replicas", "min-replicas", "max-replicas"
	switch scales := pool.MaxReplicas > 0; {
	case scales && given.Changed(named(fixed)):
		return fmt.Errorf("--%s: has no effect with --%s, which lets the pool scale by itself", named(fixed), named(most))
	case !scales && given.Changed(named(least)):
		return fmt.Errorf("--%s: of no use without --%s", named(least), named(most))
	}
	return nil
}

// overlaid returns the options of the file, overridden by the given flags.
func (c *Flags) overlaid(a *cmdutil.Factory, flags options.Cluster,
	given *pflag.FlagSet) (options.Cluster, *config.Cluster, error) {
	if c.File == "" {
		return flags, nil, nil
	}
	file, err := clusterFile(a, c.File)
	if err != nil {
		return flags, nil, err
	}
	o, err := overlayCluster(file, flags, given)
	return o, file, err
}

// checkExact returns an error for --exact together with a flag that contacts no server.
func (c *Flags) checkExact() error {
	if c.exact && (c.preview.rendering() || c.preview.dryRun == dryRunClient || c.saveConfig != "") {
		return errors.New("--exact compares with what exists: not with --dry-run=client, --render, --render-into or " +
			"--save-config, which ask no server")
	}
	return nil
}

// checkProbes returns an error for --probe together with a flag that creates nothing.
func (c *Flags) checkProbes() error {
	if c.probes.Asked() && (c.preview.rendering() || c.preview.dryRun != "" || c.saveConfig != "") {
		return errors.New("--probe tries out the cluster before something is created: not with --dry-run, --render, " +
			"--render-into or --save-config; hcctl check --probe does it alone")
	}
	return nil
}
