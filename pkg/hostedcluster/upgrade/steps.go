package upgrade

import (
	"cmp"
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// The IDs of the steps for the control plane.
const (
	channelStep  step.ID = "control-plane/channel"
	releaseStep  step.ID = "control-plane/release"
	acceptedStep step.ID = "control-plane/accepted"
	rolloutStep  step.ID = "control-plane/rollout"
)

const (
	controlPlaneGroup = "control plane"
	poolGroup         = "node pool"
)

// Steps returns the steps that write the control plane's release and wait for its end, and then do the same for all
// pools concurrently.
func (p *Plan) Steps() []step.Step {
	var steps []step.Step
	var before []step.ID
	if p.Request.Channel != "" {
		steps = append(steps, step.Step{
			ID: channelStep, Title: "channel " + p.Request.Channel, Group: controlPlaneGroup,
			Check: p.client.Reading(p.channelSet),
			Apply: p.setChannel,
		})
		before = []step.ID{channelStep}
	}
	if !p.Request.Targeted() {
		return steps
	}
	to := p.Target.Name()
	steps = append(steps, step.Step{
		ID: releaseStep, Title: fmt.Sprintf("HostedCluster %s set to %s", p.Cluster.Name, to), Group: controlPlaneGroup,
		Needs: before,
		Check: p.client.Reading(p.released), Apply: p.release,
	})
	if p.Request.Wait == WaitNone {
		return steps
	}
	steps = append(steps,
		step.Step{ID: acceptedStep, Title: "accepted by the HyperShift operator", Group: controlPlaneGroup,
			Needs: []step.ID{releaseStep}, Check: p.client.Reading(p.following(p.accepted))},
		step.Step{ID: rolloutStep, Title: "control plane at " + to, Group: controlPlaneGroup, Needs: []step.ID{acceptedStep},
			Check: p.client.Reading(p.following(p.rolledOut))})
	for i := range p.Pools {
		steps = append(steps, poolSteps(p.client, &p.Pools[i], p.Target, hostedcluster.PlatformOf(p.Cluster),
			"pool-"+p.Pools[i].Name, rolloutStep)...)
	}
	return steps
}

func (p *Plan) key() client.ObjectKey { return client.ObjectKeyFromObject(p.Cluster) }

// read reads the HostedCluster again. It returns nil and a finding if it cannot be upgraded any more.
func (p *Plan) read(ctx context.Context, r kube.Reader) (*hyperv1.HostedCluster, step.Finding) {
	hc := &hyperv1.HostedCluster{}
	err := r.Get(ctx, p.key(), hc)
	switch {
	case apierrors.IsNotFound(err):
		return nil, step.Broken("deleted meanwhile").On("HostedCluster %s", p.key())
	case err != nil:
		return nil, kube.Unknown(err).On("HostedCluster %s", p.key())
	case hc.DeletionTimestamp != nil:
		return nil, step.Broken("being deleted").On("HostedCluster %s", p.key())
	}
	return hc, step.Finding{}
}

func (p *Plan) channelSet(ctx context.Context, r kube.Reader) step.Finding {
	hc, f := p.read(ctx, r)
	switch {
	case hc == nil:
		return f
	case hc.Spec.Channel != p.Request.Channel:
		return step.Missing("spec.channel is %s, must become %s", orNotSet(hc.Spec.Channel), p.Request.Channel).
			On("HostedCluster %s", p.key())
	}
	return step.OK("spec.channel is %s", hc.Spec.Channel).On("HostedCluster %s", p.key())
}

func (p *Plan) setChannel(ctx context.Context) (step.Change, error) {
	hc := &hyperv1.HostedCluster{}
	if err := p.client.Get(ctx, p.key(), hc); err != nil {
		return "", fmt.Errorf("HostedCluster %s: %w", p.key(), err)
	}
	if is := hc.Spec.Channel; is != p.Cluster.Spec.Channel && is != p.Request.Channel {
		return "", &hostedcluster.ChangedError{Object: "HostedCluster " + kube.Name(hc), Field: "spec.channel",
			Was: orNotSet(p.Cluster.Spec.Channel), Is: orNotSet(is)}
	}
	return hostedcluster.Edit(ctx, p.client, hc, map[string]any{"spec": map[string]any{"channel": p.Request.Channel}})
}

func orNotSet(s string) string { return cmp.Or(s, "not set") }

// forced reports whether the force annotation is set, or not requested.
func (p *Plan) forced(hc *hyperv1.HostedCluster) bool {
	return p.Request.ForceTo == "" || hc.Annotations[hyperv1.ForceUpgradeToAnnotation] == p.Target.Image
}

func (p *Plan) released(ctx context.Context, r kube.Reader) step.Finding {
	hc, f := p.read(ctx, r)
	switch {
	case hc == nil:
		return f
	case hc.Spec.Release.Image != p.Target.Image:
		return step.Missing("spec.release.image is %s, must become %s", hc.Spec.Release.Image, p.Target.Image).
			On("HostedCluster %s", p.key())
	case !p.forced(hc):
		return step.Missing("the annotation %s is not set", hyperv1.ForceUpgradeToAnnotation).On("HostedCluster %s", p.key())
	}
	return step.OK("spec.release.image is %s", p.Target.Image).On("HostedCluster %s", p.key())
}

func (p *Plan) release(ctx context.Context) (step.Change, error) {
	hc := &hyperv1.HostedCluster{}
	if err := p.client.Get(ctx, p.key(), hc); err != nil {
		return "", fmt.Errorf("HostedCluster %s: %w", p.key(), err)
	}
	if is := hc.Spec.Release.Image; is != p.Cluster.Spec.Release.Image && is != p.Target.Image {
		return "", &hostedcluster.ChangedError{Object: "HostedCluster " + kube.Name(hc), Field: "spec.release.image",
			Was: p.Cluster.Spec.Release.Image, Is: is}
	}
	fields := map[string]any{"spec": map[string]any{"release": map[string]any{"image": p.Target.Image}}}
	if p.Request.ForceTo != "" {
		fields["metadata"] = map[string]any{"annotations": map[string]any{hyperv1.ForceUpgradeToAnnotation: p.Target.Image}}
	}
	return hostedcluster.Edit(ctx, p.client, hc, fields)
}

// judgement checks the progress of the upgrade in a HostedCluster that has just been read.
type judgement func(context.Context, kube.Reader, *hyperv1.HostedCluster) step.Finding

// following reads the HostedCluster and calls judge. A terminal condition or another release ends the step instead.
func (p *Plan) following(judge judgement) kube.Check {
	return func(ctx context.Context, r kube.Reader) step.Finding {
		hc, f := p.read(ctx, r)
		if hc == nil {
			return f
		}
		if found, over := conditions.OfCluster(hc).Terminal(); over {
			return found.WithHint("choose another release: %s lists them; the last that worked was %s",
				hint.Run("upgrade cluster", hostedcluster.Argument(hc.Namespace, hc.Name)), p.From)
		}
		if hc.Spec.Release.Image != p.Target.Image {
			return step.Broken("another client changed its release to %s meanwhile", hc.Spec.Release.Image).
				On("HostedCluster %s", p.key()).
				WithHint("%s says where it is", hint.Run("upgrade cluster", hostedcluster.Argument(hc.Namespace, hc.Name)))
		}
		return judge(ctx, r, hc)
	}
}
