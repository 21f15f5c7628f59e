package upgrade

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// isTarget reports whether a release in the status is the target. It also compares versions, because the operator may
// replace the image by a mirrored one, and records its digest from HyperShift 4.17 on.
func (p *Plan) isTarget(version, image string) bool {
	return image == p.Target.Image || p.Target.Version != "" && version == p.Target.Version
}

// hasTarget is isTarget for a HostedCluster. If the version is unknown, the operator decides: Progressing is False once
// the cluster works towards the requested image, whether by tag or by digest.
func (p *Plan) hasTarget(hc *hyperv1.HostedCluster, version, image string) bool {
	if p.isTarget(version, image) {
		return true
	}
	progressing := conditions.OfCluster(hc).Get(string(hyperv1.HostedClusterProgressing))
	return p.Target.Version == "" && hc.Spec.Release.Image == p.Target.Image && progressing.False() &&
		progressing.Reason == hyperv1.AsExpectedReason
}

// accepted is OK once the HyperShift operator has passed the release on to the control plane.
func (p *Plan) accepted(ctx context.Context, reader kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	object := "HostedCluster " + kube.Name(hc)
	if v := hc.Status.Version; v != nil && p.hasTarget(hc, v.Desired.Version, v.Desired.Image) {
		return step.OK("its cluster version operator works towards %s", p.Target.Name()).On("%s", object)
	}
	if p.passedOn(ctx, reader) {
		return step.OK("its control plane works towards %s", p.Target.Name()).On("%s", object)
	}
	r := conditions.OfCluster(hc)
	progressing := r.Get(string(hyperv1.HostedClusterProgressing))
	blocked := progressing.False() && progressing.Reason == hyperv1.BlockedReason
	unforced := p.Request.ForceTo == "" && p.minor() || !p.forced(hc)
	if veto := upgradeable(hc); blocked && veto.False() && unforced {
		return p.vetoed(hc, progressing, veto)
	}
	for _, t := range []hyperv1.ConditionType{
		hyperv1.ReconciliationActive, hyperv1.ValidReleaseImage, hyperv1.ValidHostedClusterConfiguration,
		hyperv1.SupportedHostedCluster,
	} {
		if c := r.Get(string(t)); c.False() {
			return r.Waiting(c)
		}
	}
	if blocked {
		return r.Waiting(progressing).WithTrouble()
	}
	return step.Pending("the HyperShift operator has not passed the release on yet").On("%s", object).
		WithHint("if that lasts: is the Deployment hypershift/operator available? %s", hint.Run("check"))
}

// minor reports whether the target has another minor version than the last completed release. It returns false if one
// of them is unknown.
func (p *Plan) minor() bool {
	from, ok := hostedcluster.ParseVersion(p.From)
	return ok && p.Target.known && !from.SameMinor(p.Target.version)
}

// vetoed returns the finding for an upgrade that ClusterVersionUpgradeable blocks.
func (p *Plan) vetoed(hc *hyperv1.HostedCluster, progressing, veto kube.Condition) step.Finding {
	return step.Broken("%s; %s", progressing.Describe(), veto.Describe()).On("HostedCluster %s", kube.Name(hc)).
		WithHint("do what it asks for; or override it, at your own risk: %s",
			hint.Run("upgrade cluster", hostedcluster.Argument(hc.Namespace, hc.Name)).Flag("force-to", p.Target.Image))
}

// rolledOut is OK once the release is the newest in the history and completed.
func (p *Plan) rolledOut(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	object := "HostedCluster " + kube.Name(hc)
	v := hc.Status.Version
	if v == nil || len(v.History) == 0 || !p.hasTarget(hc, v.History[0].Version, v.History[0].Image) {
		if progress := p.componentsRolledOut(ctx, r); progress != "" {
			return step.Pending("%s", progress).On("%s", object)
		}
		return step.Pending("the roll-out of %s has not begun", p.Target.Name()).On("%s", object)
	}
	if v.History[0].State != configv1.CompletedUpdate {
		f := follow.Rollout(hc)
		failing := conditions.OfCluster(hc).Get(string(hyperv1.ClusterVersionSucceeding))
		f.Trouble = failing.False()
		return f
	}
	return step.OK("%s completed", p.Target.Name()).On("%s", object)
}
