package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// controlPlane returns the namespace of the control plane.
func (p *Plan) controlPlane() string {
	return hostedcluster.ControlPlaneNamespace(p.Cluster.Namespace, p.Cluster.Name)
}

// rollout returns the versions of the control plane's components in the HostedCluster (HyperShift 4.22 and later).
func (p *Plan) rollout(ctx context.Context, r kube.Reader) (v hostedcluster.ControlPlaneVersion, known bool) {
	return hostedcluster.ReadControlPlaneVersion(ctx, r, p.key())
}

// passedOn reports whether the control plane works towards the release: the HostedCluster reports so, or its
// HostedControlPlane has the release. The HyperShift operator writes that long before the HostedCluster's
// status.version. It returns false if it cannot be read.
func (p *Plan) passedOn(ctx context.Context, r kube.Reader) bool {
	if v, known := p.rollout(ctx, r); known && p.isTarget(v.Desired, v.DesiredImage) {
		return true
	}
	hcp := &hyperv1.HostedControlPlane{}
	err := r.Get(ctx, client.ObjectKey{Namespace: p.controlPlane(), Name: p.Cluster.Name}, hcp)
	return err == nil && hcp.Spec.ReleaseImage == p.Target.Image
}

// componentsRolledOut describes the roll-out of the control plane's components, or returns "" if nothing can be read.
func (p *Plan) componentsRolledOut(ctx context.Context, r kube.Reader) string {
	if progress := p.componentsDone(ctx, r); progress != "" {
		return progress
	}
	v, known := p.rollout(ctx, r)
	switch {
	case !known || !p.isTarget(v.Desired, v.DesiredImage):
		return ""
	case v.Done && v.Latest == v.Desired:
		return fmt.Sprintf("all components of the control plane are at %s; its cluster version operator has not begun",
			v.Desired)
	}
	return fmt.Sprintf("the components of the control plane are rolled out to %s", v.Desired)
}

// componentsDone describes how many components of the control plane have the release, and names some that do not. The
// cluster version operator begins only after them. It returns "" if the components or the version are unknown:
// ControlPlaneComponents exist from HyperShift 4.18 on.
func (p *Plan) componentsDone(ctx context.Context, r kube.Reader) string {
	var list hyperv1.ControlPlaneComponentList
	if err := r.List(ctx, &list, client.InNamespace(p.controlPlane())); err != nil || p.Target.Version == "" {
		return ""
	}
	var notReady []string
	for i := range list.Items {
		c := &list.Items[i]
		rollout := kube.ConditionOf(c, c.Status.Conditions, string(hyperv1.ControlPlaneComponentRolloutComplete))
		if c.Status.Version != p.Target.Version || rollout.Status != "" && !rollout.True() {
			notReady = append(notReady, c.Name)
		}
	}
	switch {
	case len(list.Items) == 0, len(notReady) == len(list.Items) && !p.passedOn(ctx, r):
		return ""
	case len(notReady) == 0:
		return fmt.Sprintf("all %d components of the control plane are at %s; its cluster version operator has not begun",
			len(list.Items), p.Target.Version)
	}
	slices.Sort(notReady)
	const maxNames = 3
	names := strings.Join(notReady[:min(maxNames, len(notReady))], ", ")
	if len(notReady) > maxNames {
		names += fmt.Sprintf(" and %d more", len(notReady)-maxNames)
	}
	text := fmt.Sprintf("%d of %d components of the control plane are at %s; left: %s", len(list.Items)-len(notReady),
		len(list.Items), p.Target.Version, names)
	for _, e := range cause.ComponentErrors(list.Items) {
		return text + "; " + e.Name + ": " + e.Message
	}
	return text
}
