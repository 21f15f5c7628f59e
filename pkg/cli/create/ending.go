package create

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
)

// inventoryTime is how long a create that did not succeed may look for what it created.
const inventoryTime = 5 * time.Second

// tellContinues names what an earlier, unfinished create has left. hcctl cannot know for sure that nobody forged it.
func tellContinues(a *cmdutil.Factory, plan *creation.Plan) {
	if len(plan.Continues) > 0 {
		cmdutil.Tell(a.Streams.Err, "Continues an earlier create: %s\n", plan.Continues)
	}
}

// WarnLeftAlone warns of what exists, is not as asked for and stays so, with the commands that would change it.
func WarnLeftAlone(a *cmdutil.Factory, all []step.Finding) {
	for _, f := range all {
		a.Notices.Warn(fmt.Sprintf("%s %s", f.Object, f.Message), f.Hint)
	}
}

// CreatedEnding says where the new cluster is and what to do next, warnings first.
func CreatedEnding(a *cmdutil.Factory, plan *creation.Plan, r step.Report) {
	o := plan.Options
	w := a.Streams.Err
	for _, res := range r.Results {
		if res.Outcome == step.OutcomeWarned && res.Finding.Hint != "" {
			cmdutil.Tell(w, "To do: %s\n", a.Call.WithConnection(res.Finding.Hint))
		}
	}
	if hc := plan.Seen(); hc != nil {
		tellWaysIn(w, hc)
	}
	if o.Wait != options.WaitComplete {
		cmdutil.Tell(w, "Next: %s\n", a.Call.WithConnection("hcctl wait cluster "+hostedcluster.Argument(o.Namespace, o.Name)))
	}
	if o.Wait != options.WaitNone {
		cmdutil.Tell(w, "Next: %s\n      %s\n", a.Call.WithConnection(mergeCommand(o.Namespace, o.Name)),
			a.Call.WithConnection(cmdutil.EnterCommand(o.Namespace, o.Name)))
	}
}

// tellWaysIn says where the cluster is, as far as it says so.
func tellWaysIn(w io.Writer, hc *hyperv1.HostedCluster) {
	ways := creation.WaysIn(hc)
	for _, way := range []struct{ what, where string }{{"API server:", ways.API}, {"Console:", ways.Console}} {
		if way.where != "" {
			cmdutil.Tell(w, "%-11s %s\n", way.what, cmdutil.Link(way.where))
		}
	}
}

// mergeCommand is how the user's own kubeconfig gets a context for a hosted cluster.
func mergeCommand(namespace, name string) string {
	return "hcctl kubeconfig " + hostedcluster.Argument(namespace, name) + " --merge"
}

// Failed says what exists of a cluster whose create did not succeed. With cleanup it removes that, unless the cluster
// may be in use (creation.GuardedFromCleanup) or the create was interrupted.
func Failed(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, o options.Validated, r step.Report,
	failed error,
	cleanup bool) error {
	again := cmdutil.WithResume(failed, fmt.Sprintf("what exists stays: the same command continues from there, and hcctl "+
		"delete cluster %s removes it", hostedcluster.Argument(o.Namespace, o.Name)))
	if !begun(r) {
		if r.Changed() > 0 {
			return again // other objects with that name may not be this create's
		}
		return failed
	}
	if ctx.Err() != nil {
		exists := ""
		if found := cmdutil.Found(ctx, t, o.Namespace, o.Name); len(found) > 0 {
			exists = fmt.Sprintf("There is now: %s; hcctl delete cluster %s removes it", plural.Few(found, 8),
				hostedcluster.Argument(o.Namespace, o.Name))
		}
		return cmdutil.Interrupted(failed, exists)
	}
	look, cancel := context.WithTimeout(ctx, inventoryTime)
	defer cancel()
	if cleanup {
		if why := guardedFromCleanup(look, t, o, r); why != "" {
			cleanup, again = false, cmdutil.WithResume(failed, why)
		}
	}
	plan, err := deletion.Prepare(look, t.Client, o.Namespace, o.Name, deletion.Defaults())
	if err != nil {
		if made := madeBy(r); len(made) > 0 {
			cmdutil.Tell(a.Streams.Err, "\nCreated before it failed: %s.\n", made)
		}
		return again
	}
	cmdutil.Tell(a.Streams.Err, "\nThere is now: %s.\n", plan.Found)
	if !cleanup || ctx.Err() != nil {
		return again
	}
	cmdutil.Tell(a.Streams.Err, "\n")
	undone, err := a.Runner.Run(ctx, t, cmdutil.Run{Steps: plan.Steps(), Timeout: cleanupTime,
		Heading: "Removing it (--cleanup-on-failure)"})
	if err == nil {
		err = undone.Err()
	}
	if err != nil {
		return cmdutil.WithResume(failed, fmt.Sprintf("not all of it could be removed: %s; hcctl delete cluster %s continues",
			cmdutil.Sentence(err), hostedcluster.Argument(o.Namespace, o.Name)))
	}
	return cmdutil.WithResume(failed, "all that was created is removed again")
}

// guardedFromCleanup says why --cleanup-on-failure leaves the cluster, or nothing.
func guardedFromCleanup(ctx context.Context, t *cmdutil.Target, o options.Validated, r step.Report) string {
	hc, err := hostedcluster.Find(ctx, t.Client, o.Namespace, o.Name)
	var gone *hostedcluster.NotFoundError
	switch {
	case errors.As(err, &gone):
	case err != nil:
		return fmt.Sprintf(
			"nothing was removed, since the cluster cannot be looked at: %s; hcctl delete cluster %s removes it",
			cmdutil.Sentence(err), hostedcluster.Argument(o.Namespace, o.Name))
	case !allWritten(r) && !creation.CreatedBy(r):
		return fmt.Sprintf("the HostedCluster was there before, so --cleanup-on-failure does not remove it: hcctl delete "+
			"cluster %s does", hostedcluster.Argument(o.Namespace, o.Name))
	case creation.GuardedFromCleanup(r, hc):
		return fmt.Sprintf("the cluster was there before and has had an API server, so --cleanup-on-failure does not remove "+
			"it: hcctl delete cluster %s does", hostedcluster.Argument(o.Namespace, o.Name))
	}
	return ""
}

// cleanupTime is how long removing a failed cluster may take: longer than HyperShift's operator itself tries to clean
// up, which is 10 minutes.
const cleanupTime = 20 * time.Minute
