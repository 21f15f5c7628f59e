// Package delete implements hcctl delete cluster, delete clusters and delete nodepool.
package delete

import (
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
)

// bindIgnoreNotFound adds kubectl's --ignore-not-found. The value of ignore is the default.
func bindIgnoreNotFound(flags *pflag.FlagSet, ignore *bool) {
	flags.BoolVar(ignore, "ignore-not-found", *ignore,
		"exit 0 if what is to be deleted does not exist, with nothing left of it")
}

// absentNodePool prints that a node pool does not exist, and returns an empty change.
func absentNodePool(a *cmdutil.Factory, one fleet.ClusterName) each.Change {
	cmdutil.Tell(a.Streams.Err, "Node pool %s/%s does not exist.\n", one.Namespace, one.Name)
	return each.Change{None: true}
}
