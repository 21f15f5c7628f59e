package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/management/score"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/step"
)

// publishRoom writes how many hosted clusters fit into the ConfigMap that the hub reads; 0 if a prerequisite is
// missing. An unknown number is not published: the last one expires by itself.
func publishRoom(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, r step.Report) error {
	ready, unknown := readiness(r)
	if unknown != "" {
		return cmdutil.WithHint(errors.New("not published: "+unknown+" could not be read, so the room is not known"),
			"%s shows why", hint.Run("check"))
	}
	count := score.Count{At: t.Now()}
	if ready {
		var err error
		if count.Free, count.FreeSingleReplica, err = prereqs.FreeRoom(ctx, t.Reader(informer.NewCache(ctx))); err != nil {
			return err
		}
	}
	if _, err := score.Publish(ctx, t.Client, count); err != nil {
		return err
	}
	why := ""
	if !ready {
		why = ", as long as not all prerequisites are there"
	}
	cmdutil.Tell(a.Streams.Err, "Published in ConfigMap %s/%s: room for %d more hosted clusters, or %d with a single "+
		"replica of the control plane%s.\n", score.Namespace, score.ConfigMap, count.Free, count.FreeSingleReplica, why)
	return nil
}

// publishScores writes the numbers of the sites as their scores, by which Placements choose sites.
func publishScores(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target) error {
	if _, err := hub.Sites(ctx, t.Client); err != nil {
		return err
	}
	scores, err := hub.ReadScores(ctx, t.Client)
	if err != nil {
		return err
	}
	if len(scores.Free)+len(scores.Unknown) == 0 {
		return cmdutil.WithHint(errors.New("not published: no management cluster has been asked for its room yet"),
			"%s asks those that its Placement has chosen", hint.Run("apply").Flag("hub"))
	}
	if err := scores.Write(ctx); err != nil {
		return fmt.Errorf("scores of the management clusters: %w", err)
	}
	for _, site := range slices.Sorted(maps.Keys(scores.Free)) {
		cmdutil.Tell(a.Streams.Err, "Published in AddOnPlacementScore %s/%s: room for %d more hosted clusters.\n", site,
			score.Name, scores.Free[site])
	}
	for _, site := range slices.Sorted(maps.Keys(scores.Unknown)) {
		a.Notices.Warn("what "+site+" has room for is not known: "+scores.Unknown[site],
			hint.New("%s there counts it; it holds for an hour", hint.Run("check").Flag("publish")))
	}
	return nil
}

// readiness reports whether all required steps are good, and returns the first one that could not be read.
func readiness(r step.Report) (ready bool, unknown string) {
	ready = true
	for _, res := range r.Results {
		switch {
		case res.Good():
		case res.Finding.State == step.StateUnknown:
			return false, string(res.Step.ID)
		default:
			ready = false
		}
	}
	return ready, ""
}
