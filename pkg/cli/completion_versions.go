package cli

import (
	"cmp"
	"context"
	"slices"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/kube"
)

// completeVersions completes versions in the order of find, the newest first.
func completeVersions(a *cmdutil.Factory, find lineLookup) cobra.CompletionFunc {
	return completeInTime(a, find, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

// newVersions returns the versions that a new hosted cluster can have.
func newVersions(ctx context.Context, c *kube.Client, cmd *cobra.Command, _ []string) ([]string, error) {
	arch, _ := cmd.Flags().GetString("arch")
	versions, err := release.Versions(ctx, c, cmp.Or(arch, hyperv1.ArchitectureAMD64))
	names := make([]string, 0, len(versions))
	for _, v := range versions {
		names = append(names, v.String())
	}
	return names, err
}

// clusterVersions returns the versions to which all hosted clusters in the arguments can be upgraded. It
// includes versions with known risks only with --allow-not-recommended.
func clusterVersions(a *cmdutil.Factory) lineLookup {
	return func(ctx context.Context, c *kube.Client, cmd *cobra.Command, args []string) ([]string, error) {
		risky, _ := cmd.Flags().GetBool("allow-not-recommended")
		var common []string
		for i, name := range args {
			list, err := upgrade.Lists(ctx, c, cmdutil.ClustersNamespace(a.Call), name)
			if err != nil {
				return nil, err
			}
			var own []string
			for _, u := range list.Updates {
				if u.Refused == "" && (risky || len(u.Risks) == 0) {
					own = append(own, u.Version)
				}
			}
			if i == 0 {
				common = own
			}
			common = slices.DeleteFunc(common, func(v string) bool { return !slices.Contains(own, v) })
		}
		return common, nil
	}
}

// poolVersions returns the versions to which the node pool in the first argument can be upgraded.
func poolVersions(a *cmdutil.Factory) lineLookup {
	return func(ctx context.Context, c *kube.Client, _ *cobra.Command, args []string) ([]string, error) {
		if len(args) == 0 {
			return nil, nil
		}
		return upgrade.PoolVersions(ctx, c, cmdutil.ClustersNamespace(a.Call), args[0])
	}
}

// updates returns the versions of OpenShift that the update service offers to the management cluster.
func updates(ctx context.Context, c *kube.Client, _ *cobra.Command, _ []string) ([]string, error) {
	cv := &configv1.ClusterVersion{}
	if err := c.Get(ctx, types.NamespacedName{Name: "version"}, cv); err != nil {
		return nil, err
	}
	var names []string
	for _, r := range cv.Status.AvailableUpdates {
		names = append(names, r.Version)
	}
	for i := range cv.Status.ConditionalUpdates {
		names = append(names, cv.Status.ConditionalUpdates[i].Release.Version)
	}
	slices.SortFunc(names, func(a, b string) int {
		v, _ := hostedcluster.ParseVersion(a)
		w, _ := hostedcluster.ParseVersion(b)
		return w.Compare(v)
	})
	return slices.Compact(names), nil
}
