package apply

import (
	"context"
	"slices"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// FleetPreflight checks whether the management cluster can take all new clusters; it changes nothing. Problems
// of a single cluster were found when that cluster was prepared.
func FleetPreflight(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, apply *fleet.Apply,
	skip []string) error {
	for _, m := range apply.Members {
		for _, warning := range m.Warnings {
			a.Notices.Warn(m.Subject()+": "+warning.Line(), warning.Finding.Hint)
		}
	}
	plans := newPlans(apply)
	if len(plans) == 0 || slices.Contains(skip, cmdutil.AllPreflight) {
		return nil
	}
	graph, err := step.New(append(prereqs.Preflight(t.Client, wantedByAll(plans)), creation.Together(plans)...)...)
	if err != nil {
		return err
	}
	skipped, err := cmdutil.Skipped(graph, skip)
	if err != nil {
		return err
	}
	return cmdutil.Passes(ctx, a.Notices, t, informer.NewCache(ctx), graph, skipped)
}

// newPlans returns the plans of the clusters that do not exist yet.
func newPlans(apply *fleet.Apply) []*creation.Plan {
	var plans []*creation.Plan
	for _, m := range apply.New() {
		plans = append(plans, m.Plan)
	}
	return plans
}

// wantedByAll returns what several clusters need, as the number of clusters and the needs of an average one.
func wantedByAll(plans []*creation.Plan) prereq.Wanted {
	all := prereq.Wanted{Elsewhere: true}
	for _, plan := range plans {
		w := cmdutil.WantedBy(plan)
		all.Clusters++
		all.HighlyAvailable = all.HighlyAvailable || w.HighlyAvailable
		all.ZoneBound = all.ZoneBound || w.HighlyAvailable && w.ZoneBound
		all.PassesThrough = all.PassesThrough || w.PassesThrough
		all.LoadBalancer = all.LoadBalancer || w.LoadBalancer
		if w.LoadBalancer {
			all.Addresses++
		}
		all.DefaultClass = all.DefaultClass || w.DefaultClass
		all.Elsewhere = all.Elsewhere && w.Elsewhere
		all.Workers, all.Cores, all.Memory = all.Workers+w.Workers, all.Cores+w.Cores, all.Memory+w.Memory
		for _, pull := range w.Pulls {
			pull.Cluster = plan.Options.Namespace + "/" + plan.Options.Name
			if !slices.ContainsFunc(all.Pulls, pull.Same) {
				all.Pulls = append(all.Pulls, pull)
			}
		}
		for _, network := range w.Networks {
			if !slices.Contains(all.Networks, network) {
				all.Networks = append(all.Networks, network)
			}
		}
	}
	n := max(1, all.Clusters)
	average := func(sum int64) int64 { return (sum + n - 1) / n }
	all.Workers, all.Cores, all.Memory = average(all.Workers), average(all.Cores), average(all.Memory)
	return all
}
