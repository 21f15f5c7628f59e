package cmdutil

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/step"
)

// preflightTime bounds the look before a cluster is created. It is longer than reads wait for an API server that is
// away.
const preflightTime = 3 * time.Minute

// AllPreflight skips every check of the preflight.
const AllPreflight = "all"

// Preflight looks whether the management cluster can take a new hosted cluster, changing nothing. It prints only what
// is not as it should be; its error is about what would keep the cluster from working, and names how to skip each.
func (a *Factory) Preflight(ctx context.Context, t *Target, plan *creation.Plan, skip []string) error {
	own := plan.Preflight()
	if len(own) == 0 || slices.Contains(skip, AllPreflight) {
		return nil
	}
	graph, err := step.New(append(prereqs.Preflight(t.Client, WantedBy(plan)), own...)...)
	if err != nil {
		return err
	}
	skipped, err := a.Skipped(graph, skip)
	if err != nil {
		return err
	}
	return a.Passes(ctx, t, graph, skipped)
}

// Passes asks each check of a preflight once, and prints what only warns. Under a context of kube.ReadOnce they share
// what they read.
func (a *Factory) Passes(ctx context.Context, t *Target, graph *step.Graph, skipped map[step.ID]bool) error {
	r := graph.Check(ctx, step.Options{Timeout: preflightTime, Skip: skipped, Transient: kube.IsTransient,
		Explain: kube.Explain})
	// What keeps every check from looking is told once.
	if err := t.AuthError(); err != nil {
		return unreachable(t, err)
	}
	for _, res := range r.Results {
		if res.Finding.Outage {
			return WithHint(fmt.Errorf("nothing was created: %s", res.Finding.Message),
				"the same command begins anew: is the API server up?")
		}
		if res.Outcome == step.OutcomeWarned {
			a.Warn(res.Line(), res.Finding.Hint)
		}
	}
	if ctx.Err() != nil {
		return WithHint(ctx.Err(), "nothing was created: the same command begins anew")
	}
	if err := r.Err(); err != nil {
		return &preflightError{err}
	}
	return nil
}

// Warn tells what is not as it should be and stands in nobody's way.
func (a *Factory) Warn(line, hint string) {
	Tell(a.Streams.Err, "Warning: %s\n", line)
	if hint != "" {
		Tell(a.Streams.Err, "  → %s\n", a.Here(hint))
	}
}

// Skipped are the checks that names stand for. A name of another cluster's preflight is no mistake: which checks there
// are depends on the options.
func (*Factory) Skipped(graph *step.Graph, names []string) (map[step.ID]bool, error) {
	out := map[step.ID]bool{}
	for _, name := range names {
		ids, err := graph.Named(name)
		if err != nil {
			named := func(id step.ID) bool { return string(id) == name || id.Group() == name }
			if slices.ContainsFunc(creation.PreflightIDs(), named) || slices.ContainsFunc(prereqs.PreflightIDs(), named) {
				continue
			}
			return nil, &UsageError{Err: fmt.Errorf("--skip-preflight %q: not a check before create; there are %s, and all",
				name, strings.Join(graph.Names(), ", ")), Help: "hcctl create cluster --help"}
		}
		for id := range ids {
			out[id] = true
		}
	}
	return out, nil
}

// preflightError is what keeps a cluster from being created. Nothing has been written.
type preflightError struct{ error }

func (e *preflightError) Unwrap() error { return e.error }

// ExitCode is 3, as that of check: something is missing or broken on the management cluster; 1 where all that is known
// is that something could not be looked at.
func (e *preflightError) ExitCode() int {
	if run, ok := step.AsRunError(e.error); ok && run.Worst() == step.OutcomeFailed {
		return ExitError
	}
	return ExitMissing
}

// next says how to go on after a preflight that failed.
func (e *preflightError) next() string {
	run, ok := step.AsRunError(e.error)
	if !ok {
		return ""
	}
	ids := make([]string, 0, len(run.Results))
	for _, r := range run.Results {
		ids = append(ids, string(r.Step.ID))
	}
	return "Nothing was created. hcctl check says more, hcctl bootstrap installs what is missing; if you know better: " +
		"--skip-preflight " + strings.Join(ids, ",")
}

// WantedBy is what a cluster needs of the management cluster.
func WantedBy(plan *creation.Plan) prereqs.Wanted {
	o := plan.Options
	w := prereqs.Wanted{
		HighlyAvailable: o.ControlPlaneAvailabilityPolicy != "SingleReplica",
		PullSecret:      o.PullSecret.Content,
		PassesThrough:   o.BaseDomain == "",
		// Addresses of its own, and those of a pool it names, are not among those that are free for everybody.
		LoadBalancer: plan.ByLoadBalancer() && o.MetalLBPool == "" && len(o.MetalLBAddresses) == 0,
		DefaultClass: o.EtcdStorageClass == "",
		Elsewhere:    o.InfraNamespace != "",
	}
	add := func(flag string, cidrs []string) {
		for _, text := range cidrs {
			if cidr, err := netip.ParsePrefix(text); err == nil {
				w.Networks = append(w.Networks, prereqs.WantedNetwork{Name: flag, CIDR: cidr})
			}
		}
	}
	add("--cluster-cidr", o.ClusterCIDR)
	add("--service-cidr", o.ServiceCIDR)
	for _, pool := range o.NodePools {
		n := int64(pool.Replicas)
		if pool.MaxReplicas > 0 {
			n = int64(pool.MinReplicas)
		}
		memory, err := resource.ParseQuantity(pool.Memory)
		if err != nil {
			continue
		}
		w.Workers, w.Cores, w.Memory = w.Workers+n, w.Cores+n*int64(pool.Cores), w.Memory+n*memory.Value()
		w.DefaultClass = w.DefaultClass || pool.RootVolumeStorageClass == "" && !w.Elsewhere
	}
	return w
}
