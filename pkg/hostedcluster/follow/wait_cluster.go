package follow

import (
	"context"
	"fmt"
	"slices"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

const waitGroup = "waiting"

// GoalSteps returns steps that end when every goal is reached. They end early if a condition is terminal, except for
// the goal that a condition is False or Unknown.
func (f *Cluster) GoalSteps(goals []Goal) []step.Step {
	var steps []step.Step
	farthest := options.WaitNone
	for i, g := range goals {
		s := step.Step{ID: goalStep(g), Title: g.String(), Group: waitGroup}
		switch g.Name {
		case "deleted":
			s.Check = f.client.Reading(f.gone)
		case "version":
			s.Check = f.client.Reading(f.withHostedCluster(
				func(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
					return atVersion(ctx, r, hc, g.Version)
				}))
		case "condition":
			s.Check = f.client.Reading(f.conditionIs(g))
		default:
			if until := options.Wait(g.Name); until.Reaches(farthest) {
				farthest = until
			}
			continue
		}
		if !slices.Contains(goals[:i], g) {
			steps = append(steps, s)
		}
	}
	return append(f.Steps(farthest), steps...)
}

// goalStep returns the ID of the step that waits for a goal.
func goalStep(g Goal) step.ID {
	switch g.Name {
	case "condition":
		return step.ID("wait/condition-" + g.Condition + "-" + g.Status)
	case "version":
		return step.ID("wait/version-" + g.Version)
	case "replicas":
		return step.ID(fmt.Sprintf("wait/replicas-%d", g.Replicas))
	}
	return step.ID("wait/" + g.Name)
}

// gone is OK when the HostedCluster does not exist. HyperShift's finalizer ensures that its control plane's namespace
// is gone too.
func (f *Cluster) gone(ctx context.Context, r kube.Reader) step.Finding {
	hc := &hyperv1.HostedCluster{}
	err := r.Get(ctx, f.key(), hc)
	switch {
	case apierrors.IsNotFound(err):
		return step.OK("gone").On("HostedCluster %s", f.key())
	case err != nil:
		return kube.Unknown(err).On("HostedCluster %s", f.key())
	case hc.DeletionTimestamp == nil:
		return step.Pending("still there, and nobody has asked for its deletion").On("HostedCluster %s", f.key()).
			WithHint("%s", hint.Run("delete cluster", f.Name).Flag("namespace", f.Namespace))
	}
	c := conditions.OfCluster(hc).Get(string(hyperv1.CloudResourcesDestroyed))
	blocked := deletion.Blocker(ctx, r, hc)
	own := blocked.Object == "HostedCluster "+f.key().String()
	if blocked.State == step.StatePending && (!own || !c.False()) {
		blocked.Message = "being deleted: " + blocked.Message
		return blocked
	}
	// The user may not be allowed to read what it waits for.
	if c.False() {
		return step.Pending("being deleted: %s", c.Describe()).On("HostedCluster %s", f.key())
	}
	return step.Pending("being deleted").On("HostedCluster %s", f.key())
}

// atVersion is OK when the hosted cluster's last update to that version is completed.
func atVersion(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, version string) step.Finding {
	object := "HostedCluster " + kube.Name(hc)
	if hc.Status.Version == nil || len(hc.Status.Version.History) == 0 {
		return step.Pending("no version yet").On("%s", object)
	}
	switch latest := hc.Status.Version.History[0]; {
	case latest.Version == version && latest.State == configv1.CompletedUpdate:
		return step.OK("%s completed", version).On("%s", object)
	case latest.Version == version:
		f := Rollout(hc)
		f.Message = "on its way to " + version + "; " + f.Message
		return f
	case latest.State == configv1.CompletedUpdate:
		// The control plane's components are updated before the cluster's own version.
		if v, known := hostedcluster.ReadControlPlaneVersion(ctx, r, client.ObjectKeyFromObject(hc)); known &&
			v.Desired == version {
			if v.Done && v.Latest == version {
				return step.Pending("is at %s; all components of its control plane are at %s", latest.Version, version).
					On("%s", object)
			}
			return step.Pending("is at %s; the components of its control plane are rolled out to %s", latest.Version,
				version).On("%s", object)
		}
		return step.Pending("is at %s", latest.Version).On("%s", object).WithHint(
			"%s lists where it can go", hint.Run("upgrade cluster", hostedcluster.Argument(hc.Namespace, hc.Name)))
	default:
		return step.Pending("on its way to %s", latest.Version).On("%s", object)
	}
}

func (f *Cluster) conditionIs(g Goal) kube.Check {
	check := func(_ context.Context, _ kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
		return matches(conditions.OfCluster(hc), g)
	}
	if g.Status == "True" {
		return f.withHostedCluster(check)
	}
	return func(ctx context.Context, r kube.Reader) step.Finding {
		hc := &hyperv1.HostedCluster{}
		if err := r.Get(ctx, f.key(), hc); err != nil {
			if apierrors.IsNotFound(err) {
				return step.Broken("deleted while hcctl waited for it").On("HostedCluster %s", f.key())
			}
			return kube.Unknown(err).On("HostedCluster %s", f.key())
		}
		return check(ctx, r, hc)
	}
}

// matches is OK when a condition has the goal's status and is current.
func matches(r conditions.Set, g Goal) step.Finding {
	c := r.Get(g.Condition)
	if c.Status == g.Status && c.Doubt == "" {
		return step.OK("%s", c.Describe()).On("%s", r.Object)
	}
	return r.Waiting(c)
}
