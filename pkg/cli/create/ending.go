package create

import (
	"context"
	"errors"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
)

// inventoryTimeout bounds how long a failed create reads what it has created.
const inventoryTimeout = 5 * time.Second

// Failed prints what exists of a cluster whose create did not succeed, and returns how to continue. With cleanup
// it removes what exists, unless the cluster may be in use (creation.GuardedFromCleanup) or the create was
// interrupted.
func Failed(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, o options.Validated, r step.Report,
	failed error,
	cleanup bool) error {
	remove := hint.Run("delete cluster", hostedcluster.Argument(o.Namespace, o.Name))
	again := cmdutil.WithResume(failed, "what exists stays: the same command continues from there, and %s removes it",
		remove)
	if !begun(r) {
		if r.Changed() > 0 {
			return again // other objects with that name may not belong to this create
		}
		return failed
	}
	if ctx.Err() != nil {
		var exists hint.Text
		if found := cmdutil.Found(ctx, t, o.Namespace, o.Name); len(found) > 0 {
			exists = hint.New("There is now: %s; %s removes it", plural.Few(found, 8), remove)
		}
		return cmdutil.Interrupted(failed, exists)
	}
	readCtx, cancel := context.WithTimeout(ctx, inventoryTimeout)
	defer cancel()
	if cleanup {
		if why := guardedFromCleanup(readCtx, t, o, r); !why.IsZero() {
			cleanup, again = false, cmdutil.WithResume(failed, "%s", why)
		}
	}
	plan, err := deletion.Prepare(readCtx, t.Client, o.Namespace, o.Name, deletion.Defaults())
	if err != nil {
		if made := createdBy(r); len(made) > 0 {
			cmdutil.Tell(a.Streams.Err, "\nCreated before it failed: %s.\n", made)
		}
		return again
	}
	cmdutil.Tell(a.Streams.Err, "\nThere is now: %s.\n", plan.Found)
	if !cleanup || ctx.Err() != nil {
		return again
	}
	cmdutil.Tell(a.Streams.Err, "\n")
	undone, err := a.Runner.Run(ctx, t, cmdutil.Run{Steps: plan.Steps(), Timeout: cleanupTimeout,
		Heading: "Removing it (--cleanup-on-failure)"})
	if err == nil {
		err = undone.Err()
	}
	if err != nil {
		return cmdutil.WithResume(failed, "not all of it could be removed: %s; %s continues", cmdutil.Sentence(err), remove)
	}
	return cmdutil.WithResume(failed, "all that was created is removed again")
}

// guardedFromCleanup returns why --cleanup-on-failure keeps the cluster, or an empty text if it does not.
func guardedFromCleanup(ctx context.Context, t *cmdutil.Target, o options.Validated, r step.Report) hint.Text {
	remove := hint.Run("delete cluster", hostedcluster.Argument(o.Namespace, o.Name))
	hc, err := hostedcluster.Find(ctx, t.Client, o.Namespace, o.Name)
	var gone *hostedcluster.NotFoundError
	switch {
	case errors.As(err, &gone):
	case err != nil:
		return hint.New("nothing was removed, since the cluster cannot be looked at: %s; %s removes it",
			cmdutil.Sentence(err), remove)
	case !allWritten(r) && !creation.CreatedBy(r):
		return hint.New("the HostedCluster was there before, so --cleanup-on-failure does not remove it: %s does", remove)
	case creation.GuardedFromCleanup(r, hc):
		return hint.New("the cluster was there before and has had an API server, so --cleanup-on-failure does not remove "+
			"it: %s does", remove)
	}
	return hint.Text{}
}

// cleanupTimeout bounds the removal of a failed cluster. It is longer than the 10 minutes for which HyperShift's
// operator itself tries to clean up.
const cleanupTimeout = 20 * time.Minute

// begun reports whether this create has written objects of the cluster, or found all of them. If it has written
// nothing, existing objects may belong to another create.
func begun(r step.Report) bool {
	return allWritten(r) || len(createdBy(r)) > 0
}

// allWritten reports whether all objects of the cluster exist.
func allWritten(r step.Report) bool {
	for _, res := range r.Results {
		if res.Step.Group == creation.ObjectsGroup && !res.Good() {
			return false
		}
	}
	return true
}

// createdBy returns the objects that this create has created, by the titles of their steps.
func createdBy(r step.Report) []string {
	var made []string
	for _, res := range r.Results {
		if res.Step.Group == creation.ObjectsGroup && res.Change == step.Created {
			made = append(made, res.Step.Title)
		}
	}
	return made
}
