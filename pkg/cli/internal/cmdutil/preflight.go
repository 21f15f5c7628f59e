package cmdutil

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// preflightTimeout bounds the preflight. It exceeds the time that reads wait for an API server that does not
// answer.
const preflightTimeout = 3 * time.Minute

// AllPreflight is the name that skips every check of the preflight.
const AllPreflight = "all"

// Preflight starts to check whether the management cluster can take a new hosted cluster; it changes nothing.
// The returned function waits for the end and prints only problems. Its error names how to skip each check.
func Preflight(
	ctx context.Context, n *Notices, t *Target, once *informer.Cache, plan *creation.Plan, skip []string) func() error {
	failed := func(err error) func() error { return func() error { return err } }
	own := plan.Preflight()
	if len(own) == 0 || slices.Contains(skip, AllPreflight) {
		return failed(nil)
	}
	graph, err := step.New(append(prereqs.Preflight(t.Client, WantedBy(plan)), own...)...)
	if err != nil {
		return failed(err)
	}
	skipped, err := Skipped(graph, skip)
	if err != nil {
		return failed(err)
	}
	report := make(chan step.Report, 1)
	go func() { report <- checkOnce(ctx, once, graph, skipped) }()
	return func() error { return passes(ctx, n, t, <-report) }
}

// Passes runs the checks of a preflight, which share their reads, and prints warnings. It returns an error if a
// check failed.
func Passes(
	ctx context.Context, n *Notices, t *Target, once *informer.Cache, graph *step.Graph, skipped map[step.ID]bool) error {
	return passes(ctx, n, t, checkOnce(ctx, once, graph, skipped))
}

func checkOnce(ctx context.Context, once *informer.Cache, graph *step.Graph, skipped map[step.ID]bool) step.Report {
	return graph.Check(ctx, step.Options{Timeout: preflightTimeout, Skip: skipped, Transient: kube.IsTransient,
		Explain: kube.Explain, ReadCache: func(context.Context) step.Reads { return once }})
}

func passes(ctx context.Context, n *Notices, t *Target, r step.Report) error {
	// A problem that affects all checks is reported once.
	if err := t.AuthError(); err != nil {
		return unreachable(t, err)
	}
	if ctx.Err() != nil {
		return WithHint(ctx.Err(), "nothing was created: run the same command again")
	}
	for _, res := range r.Results {
		if res.Finding.Outage {
			return WithHint(fmt.Errorf("nothing was created: %s", res.Finding.Message),
				"run the same command again once the API server answers")
		}
		if res.Outcome == step.OutcomeWarned {
			n.Warn(res.Line(), res.Finding.Hint)
		}
	}
	if err := r.Err(); err != nil {
		return &preflightError{error: err}
	}
	return nil
}

// Skipped returns the IDs of the checks with these names. It accepts the name of a check that only other
// clusters have, because the checks depend on the options.
func Skipped(graph *step.Graph, names []string) (map[step.ID]bool, error) {
	out := map[step.ID]bool{}
	for _, name := range names {
		ids, err := graph.Named(name)
		if err != nil {
			named := func(id step.ID) bool { return string(id) == name || id.Group() == name }
			if slices.ContainsFunc(creation.PreflightIDs(), named) || slices.ContainsFunc(prereqs.PreflightIDs(), named) {
				continue
			}
			return nil, &UsageError{Err: fmt.Errorf("--skip-preflight %q: not a check before create; there are %s, and all",
				name, strings.Join(graph.Names(), ", ")), Help: hint.Run("create cluster").Flag("help").Text()}
		}
		for id := range ids {
			out[id] = true
		}
	}
	return out, nil
}

// preflightError is a failed preflight. Nothing has been written.
type preflightError struct {
	error
	// how tells the user how to continue. If it is empty, the error names the failed checks.
	how hint.Text
}

// PreflightFailed returns the error of a failed preflight. how tells the user how to continue.
func PreflightFailed(err error, how hint.Text) error { return &preflightError{err, how} }

func (e *preflightError) Unwrap() error { return e.error }

// next returns how to continue after a failed preflight.
func (e *preflightError) next() hint.Text {
	run, ok := step.AsRunError(e.error)
	if !e.how.IsZero() || !ok {
		return e.how
	}
	ids := make([]string, 0, len(run.Results))
	for _, r := range run.Results {
		ids = append(ids, string(r.Step.ID))
	}
	return hint.New("Nothing was created. %s says more, %s installs what is missing; to create it all the same: "+
		"--skip-preflight %s", hint.Run("check"), hint.Run("bootstrap"), strings.Join(ids, ","))
}

// WantedBy returns what a hosted cluster needs from the management cluster.
func WantedBy(plan *creation.Plan) prereq.Wanted {
	o := plan.Options
	w := prereq.Wanted{
		HighlyAvailable: o.ControlPlaneAvailabilityPolicy != "SingleReplica",
		ZoneBound:       plan.ZoneBound(),
		Pulls:           []prereq.WantedPull{{Secret: o.PullSecret.Content, Release: plan.Inputs.ReleaseImage}},
		PassesThrough:   o.BaseDomain == "",
		// A cluster with its own addresses or with a named pool takes no free address of the other pools.
		LoadBalancer: plan.ByLoadBalancer() && o.MetalLBPool == "" && len(o.MetalLBAddresses) == 0,
		DefaultClass: o.EtcdStorageClass == "",
		Elsewhere:    o.InfraNamespace != "",
		AnyFamily: !slices.ContainsFunc(o.NodePools, func(p options.ValidatedPool) bool {
			return p.AttachDefaultNetwork
		}),
	}
	add := func(flag string, shared bool, cidrs ...netip.Prefix) {
		for _, cidr := range cidrs {
			w.Networks = append(w.Networks, prereq.WantedNetwork{Name: flag, CIDR: cidr, Shared: shared})
		}
	}
	add("--cluster-cidr", false, o.ClusterCIDR...)
	add("--service-cidr", false, o.ServiceCIDR...)
	add("--ovn-internal-join-subnet", false, o.JoinSubnets()...)
	add("--machine-cidr", true, o.MachineCIDR...)
	add("--api-server-address", true, plan.NodePortAddresses()...)
	cores, memory := plan.WorkerSizes()
	for i, pool := range o.NodePools {
		n := int64(pool.Replicas)
		if pool.MaxReplicas > 0 {
			n = int64(pool.MinReplicas)
		}
		w.Workers, w.Cores, w.Memory = w.Workers+n, w.Cores+n*cores[i], w.Memory+n*memory[i]
		w.DefaultClass = w.DefaultClass || pool.RootVolumeStorageClass == "" && !w.Elsewhere
	}
	return w
}
