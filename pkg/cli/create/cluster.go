// Package create implements hcctl create cluster and create nodepool.
package create

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// New returns the command create.
func New(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("create", "Create a hosted cluster or a node pool", newCreateCluster(a), newCreateNodePool(a))
	cmd.GroupID = "hosted"
	return cmd
}

func newCreateCluster(a *cmdutil.Factory) *cobra.Command {
	o := options.Defaults()
	var flags Flags
	cmd := &cobra.Command{
		Use:   "cluster --name NAME | -f FILE",
		Short: "Create a hosted cluster of KubeVirt VMs and wait until it works",
		Long: `create cluster writes a HostedCluster and a NodePool of KubeVirt VMs, and waits until the API answers, the
VMs are ready, the nodes have joined and the rollout is Completed. It shows what it waits for, and stops at once in a
state that waiting does not fix.

A second run with the same flags changes nothing and continues to wait: that is how to resume. The release image
is, unless given, the newest ClusterImageSet that the HyperShift operator supports, else the management cluster's
own; nothing is looked up on the internet.

The cluster can be described in a file (--file, a document of kind Cluster) with as many node pools as it is to have:
hcctl config init --kind Cluster writes one to begin with, --save-config writes one with the values of the flags.
Flags win over the file.

--expires and --owner mark a cluster that is not meant to stay: hcctl delete clusters --expired deletes it when its time
has passed, hcctl update cluster --expires 6h gives it six hours from now. In a pipeline the owner is what the CI system
says: CI_PROJECT_PATH of GitLab, GITHUB_REPOSITORY of GitHub Actions, JOB_NAME of Jenkins and Prow, with a dot for each
slash; Tekton sets none. --max-clusters limits how many clusters an owner has, and exits 3 before anything is written;
of creates at the same time the later one fails once its HostedCluster is written.`,
		Example: `  hcctl create cluster --name kv-00
  hcctl create cluster --name kv-01 --node-pool-replicas 3 --memory 16Gi --cores 4 --wait api
  hcctl create cluster --name kv-02 --pull-secret ps.json --release-image IMAGE --render
  hcctl create cluster --name kv-03 --memory 16Gi --save-config kv-03.yaml
  hcctl create cluster -f kv-03.yaml --wait api
  hcctl create cluster -f kv-03.yaml --dry-run=server
  hcctl create cluster --name ci-1 --expires 6h --owner net-e2e --max-clusters 3 --yes`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(cmdutil.Times(flags.timeout, flags.troubleTimeout),
				flags.preview.validate(flags.output, flags.saveConfig), flags.probes.Validate(cmd),
				flags.checkProbes(), flags.checkExact()); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			o, err := flags.Validated(a, o, cmd.Flags())
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if flags.saveConfig != "" {
				return SaveConfig(a, flags.saveConfig, o.Given())
			}
			if flags.preview.rendering() || flags.preview.dryRun != "" {
				return flags.preview.show(cmd.Context(), a, o, flags)
			}
			return createCluster(cmd.Context(), a, o, flags)
		},
	}
	flags.Bind(cmd, a, &o)
	flags.probes.Bind(cmd)
	cmdutil.InGroup(cmd.Flags(), cmdutil.WaitingGroup, "probe", "probe-timeout", "probe-image", "probe-latency")
	cmdutil.CompleteFields(cmd, options.Fields(), cmdutil.AsGiven)
	cmdutil.CompleteFields(cmd, options.FirstPoolFields(), options.ClusterFlag)
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
	cmdutil.Complete(cmd, "dry-run", dryRunClient, dryRunServer)
	cmdutil.CompleteWaits(cmd)
	_ = cmd.MarkFlagFilename("save-config")
	_ = cmd.MarkFlagFilename("render-into")
	return cmd
}

func createCluster(ctx context.Context, a *cmdutil.Factory, o options.Validated, flags Flags) error {
	began := time.Now()
	t, plan, err := prepareCluster(ctx, a, o, flags)
	if err != nil {
		return err
	}
	tellContinues(a, plan)
	WarnLeftAlone(a, plan.LeftAlone(ctx, nil))
	if err := a.Prompter.Consent(ctx, createQuestion(plan, t)); err != nil {
		return err
	}
	heading := cmdutil.Textf("Creating hosted cluster %s/%s on %s\nRelease %s (%s)", o.Namespace, o.Name, t,
		plan.Inputs.ReleaseImage, plan.Inputs.ReleaseFrom)
	timeout := flags.timeout
	if flags.awaitCapacity { // the time limit includes the wait for capacity
		timeout = max(time.Second, timeout-time.Since(began))
	}
	r, err := a.Runner.Run(ctx, t, cmdutil.Run{Steps: plan.Steps(), Heading: heading, Timeout: timeout,
		Shape:  func(opt *step.Options) { opt.TroubleTimeout = flags.troubleTimeout },
		Output: flags.output, Command: "create cluster", Next: cmdutil.AfterSuccess(mergeCommand(o.Namespace, o.Name))})
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return Failed(ctx, a, t, o, r, err, flags.cleanup)
	}
	CreatedEnding(a, plan, r)
	return nil
}

// createQuestion asks for confirmation, with the main properties of the new cluster.
func createQuestion(plan *creation.Plan, t *cmdutil.Target) cmdutil.Question {
	o := plan.Options
	domain := "below the management cluster's"
	if o.BaseDomain != "" {
		domain = o.BaseDomain
	}
	q := cmdutil.Question{Ask: cmdutil.Textf("Create hosted cluster %s/%s on %s?", o.Namespace, o.Name, t.Named()),
		Details: []cmdutil.Text{
			cmdutil.Textf("  release: %s (%s)", plan.Inputs.ReleaseImage, plan.Inputs.ReleaseFrom),
			cmdutil.Textf("  control plane: %s, base domain: %s", o.ControlPlaneAvailabilityPolicy, domain)}}
	for _, pool := range o.NodePools {
		size := hostedcluster.Size{Min: int(pool.Replicas), Max: int(pool.Replicas)}
		if pool.MaxReplicas > 0 {
			size = hostedcluster.Size{Min: int(pool.MinReplicas), Max: int(pool.MaxReplicas), Auto: true}
		}
		q.Details = append(q.Details, cmdutil.Textf("  node pool %s: %s of %d cores and %s memory", pool.Name, size.Nodes(),
			pool.Cores, pool.Memory.String()))
	}
	return q
}

// prepareCluster resolves the options that have no value, and checks whether the management cluster can take the
// cluster. It reads each object once.
func prepareCluster(ctx context.Context, a *cmdutil.Factory, o options.Validated,
	flags Flags) (*cmdutil.Target, *creation.Plan, error) {
	t, err := a.Connection.Dial()
	if err != nil {
		return nil, nil, err
	}
	run := ctx
	// Checks that still run when another one has failed are cancelled.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	checked := func() (*creation.Plan, error) {
		reads := informer.NewSharedReads(run)
		once := reads.Cache(run)
		plan, err := resolved(ctx, t, once, o, flags)
		if err != nil {
			return nil, t.Clarify(ctx, err)
		}
		if !a.Prompter.Asks() && !flags.probes.Asked() { // otherwise the reads are stale when the run begins
			t.SharedReads = reads
			defer plan.LookAhead(ctx, once)()
		}
		passes := cmdutil.Preflight(ctx, a.Notices, t, once, plan, flags.skipPreflight)
		if err := triedOut(ctx, once, plan, flags); err != nil {
			return nil, t.Clarify(ctx, err)
		}
		return plan, passes()
	}
	began := time.Now()
	plan, err := checked()
	for flags.awaitCapacity && plan != nil && cmdutil.LacksCapacity(err) {
		if err := cmdutil.AwaitCapacity(ctx, a.Runner, t, plan, max(time.Second,
			flags.timeout-time.Since(began)), flags.output); err != nil {
			return nil, nil, err
		}
		plan, err = checked()
	}
	if err != nil {
		return nil, nil, err
	}
	if len(plan.Preflight()) > 0 {
		if err := flags.probes.Before(ctx, a, t, []*creation.Plan{plan}); err != nil {
			return nil, nil, err
		}
	}
	if a.Prompter.Asks() || flags.output == "json" {
		return t, plan, t.Introduce(ctx, nil)
	}
	return t, plan, nil
}

// resolved resolves the options that have no value; with --skip-preflight=all without checks.
func resolved(ctx context.Context, t *cmdutil.Target, once step.Reads, o options.Validated,
	flags Flags) (*creation.Plan, error) {
	resolve := creation.Resolve
	if slices.Contains(flags.skipPreflight, cmdutil.AllPreflight) {
		resolve = creation.ResolveUnchecked
	}
	plan, err := resolve(ctx, t.Client, once, o)
	if err == nil {
		plan.MaxClusters = flags.maxClusters
	}
	return plan, err
}

// triedOut sends the dry runs of a resolved plan. With --exact it also compares the plan with what exists.
func triedOut(ctx context.Context, once step.Reads, plan *creation.Plan, flags Flags) error {
	err := plan.TryOut(ctx)
	if err == nil && flags.exact {
		err = plan.Exact(ctx, once)
	}
	return err
}

// tellContinues prints what an earlier, unfinished create has left. hcctl cannot be sure that no other client
// forged it.
func tellContinues(a *cmdutil.Factory, plan *creation.Plan) {
	if len(plan.Continues) > 0 {
		cmdutil.Tell(a.Streams.Err, "Continues an earlier create: %s\n", plan.Continues)
	}
}

// WarnLeftAlone warns about existing settings that differ from the request and stay unchanged, with the commands
// that would change them.
func WarnLeftAlone(a *cmdutil.Factory, all []step.Finding) {
	for _, f := range all {
		a.Notices.Warn(fmt.Sprintf("%s %s", f.Object, f.Message), f.Hint)
	}
}

// CreatedEnding prints how to reach the new cluster and what to do next, warnings first.
func CreatedEnding(a *cmdutil.Factory, plan *creation.Plan, r step.Report) {
	o := plan.Options
	w := a.Streams.Err
	for _, res := range r.Results { // a live display ends with the warnings and what to do
		if res.Outcome == step.OutcomeWarned && !res.Finding.Hint.IsZero() && !a.Streams.Screen().Redraw {
			cmdutil.Tell(w, "To do: %s\n", a.Call.Render(res.Finding.Hint))
		}
	}
	if hc := plan.Seen(); hc != nil {
		tellAddresses(w, hc)
	}
	if !o.Wait.Reaches(options.WaitComplete) {
		cmdutil.Tell(w, "Next: %s\n", a.Call.Render(hint.Run("wait cluster",
			hostedcluster.Argument(o.Namespace, o.Name)).Text()))
	}
	if o.Wait != options.WaitNone {
		cmdutil.Tell(w, "Next: %s\n      %s\n", a.Call.Render(mergeCommand(o.Namespace, o.Name)),
			a.Call.Render(cmdutil.EnterCommand(o.Namespace, o.Name)))
	}
}

// tellAddresses prints the addresses of the cluster that are known.
func tellAddresses(w io.Writer, hc *hyperv1.HostedCluster) {
	ways := creation.WaysIn(hc)
	for _, way := range []struct{ what, where string }{{"API server:", ways.API}, {"Console:", ways.Console}} {
		if way.where != "" {
			cmdutil.Tell(w, "%-11s %s\n", way.what, cmdutil.Link(way.where))
		}
	}
}

// mergeCommand returns the command that adds a context for a hosted cluster to the user's kubeconfig.
func mergeCommand(namespace, name string) hint.Text {
	return hint.Run("kubeconfig", hostedcluster.Argument(namespace, name)).Flag("merge").Text()
}
