// Package delete has the commands delete cluster, delete clusters and delete nodepool.
package delete

import (
	"cmp"
	"context"

	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/step"
)

// bindIgnoreNotFound adds kubectl's flag for what does not exist. Its default is the flag's value.
func bindIgnoreNotFound(flags *pflag.FlagSet, ignore *bool) {
	flags.BoolVar(ignore, "ignore-not-found", *ignore,
		"exit 0 if what is to be deleted does not exist, with nothing left of it")
}

// nothingToDelete ends delete cluster --ignore-not-found for a cluster of which nothing exists. A program gets the
// document that it asked for, without a step.
func nothingToDelete(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, namespace, name string,
	f deleteFlags) error {
	tellAbsent(a, fleet.ClusterName{Namespace: namespace, Name: name})
	if f.output == "" {
		return nil
	}
	if !f.dryRun {
		r, err := a.Runner.Run(ctx, t, cmdutil.Run{Output: f.output, Command: "delete cluster"})
		return cmp.Or(err, r.Err())
	}
	p, err := cmdutil.PlanWrites(ctx, t, func(*cmdutil.Target) (*step.Graph, error) { return step.New() },
		func(*step.Options) {})
	if err != nil {
		return err
	}
	return printDelete(a, t, p, &deletion.Plan{Namespace: namespace, Name: name}, f.output)
}

// absentNodePool is the change, which is none, of delete nodepool --ignore-not-found for a pool that does not exist.
func absentNodePool(a *cmdutil.Factory, one fleet.ClusterName) each.Change {
	cmdutil.Tell(a.Streams.Err, "Node pool %s/%s does not exist.\n", one.Namespace, one.Name)
	return each.Change{None: true}
}
