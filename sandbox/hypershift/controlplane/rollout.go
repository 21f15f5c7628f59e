package controlplane

import (
	"context"
	"fmt"
	"slices"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/passthrough"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
	"github.com/hcctl/hcctl/sandbox/profile"
)

// observeGuest simulates the inside of a guest whose API server answers: its namespaces, its ingress, and the roll-out
// of its payload.
func (r *controlPlanes) observeGuest(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *observation) error {
	if v.guest.Phase != guest.Running || v.health != "" {
		return nil
	}
	prefix := "hcp/" + hcp.Namespace + "/"
	if err := guest.EnsureNamespaces(ctx, v.guest.Client); err != nil {
		return err
	}
	var err error
	if v.nodes, err = readyNodes(ctx, v.guest.Client); err != nil {
		return err
	}
	if !v.available("cluster-version-operator") {
		return nil
	}
	if left := r.Stages.Remaining(prefix+"cvo", 1500*time.Millisecond); left > 0 {
		v.wait = reconciler.Soonest(v.wait, left)
		return nil
	}
	v.version.Reported = true
	if err := r.createStuckService(ctx, v.guest.Client); err != nil {
		return err
	}
	v.version.Previous = guest.CompletedVersion(hcp)
	if v.version.Payload, err = r.guestPayload(hcp, v); err != nil {
		return err
	}
	v.version.Image = r.handedOn(v.version.Payload)
	ways := passthrough.Ingress{Cached: r.Cached, Client: r.Client,
		DNSMissing: func() bool { return r.Faults.Active(fault.AppsDNSMissing) }}
	if v.apps, err = ways.Ensure(ctx, hcp, v.payload.Version, v.guest.Client); err != nil {
		return err
	}
	v.version.Nodes, v.version.Apps, v.version.NoIngress = v.nodes, v.apps, !passthrough.Wanted(hcp)
	known, err := r.knownReleases(ctx, v.version.Payload.Arch)
	if err != nil {
		return err
	}
	v.version.Updates = release.UpdatesFrom(known, v.version.Payload.Version, hcp.Spec.Channel)
	if r.FaultOn(fault.GuestNotUpgradeable, hcp) {
		v.version.NotUpgradeable = msgIncompatibleOperator(release.Minor(v.version.Payload.Version))
	}
	if !v.guest.InMemory() {
		if v.version.Unavailable, v.version.DegradedToo, err = guest.Troubled(ctx, v.guest.Client); err != nil {
			return err
		}
	}
	r.applyPayload(hcp, v, prefix+"payload/"+v.version.Payload.Image+"/")
	return r.report(ctx, hcp, v)
}

// guestPayload is the payload of the guest's cluster version operator, the release of its own pods. During an upgrade
// it stays the old one until that component is updated.
func (r *controlPlanes) guestPayload(hcp *hyperv1.HostedControlPlane, v *observation) (release.Payload, error) {
	told := hcp.Status.VersionStatus
	cvo := v.component("cluster-version-operator")
	if told == nil || len(told.History) == 0 || release.Is(told.History[0].Image, v.payload.Image) ||
		cvo != nil && cvo.current {
		return v.payload, nil
	}
	payload, err := r.Registry().Lookup(told.History[0].Image)
	if err != nil {
		return release.Payload{}, fmt.Errorf("failed to look up release image metadata: %w", err)
	}
	return payload, nil
}

// handedOn is the image that the control plane operator gives to the cluster version operator.
func (r *controlPlanes) handedOn(p release.Payload) string {
	if r.Features.Has(reconciler.ReleaseByDigest) {
		return release.ByDigest(p.Image)
	}
	return p.Image
}

// applyPayload computes the progress of the roll-out, one cluster operator after another. Some need a ready node or a
// working ingress; after a while the roll-out reports that it waits for them.
func (r *controlPlanes) applyPayload(hcp *hyperv1.HostedControlPlane, v *observation, prefix string) {
	o := &v.version
	o.Blockers = o.Missing()
	switch {
	case guest.Completed(hcp, o.Payload.Image):
		o.Done = true
	default:
		left := r.Stages.Remaining(prefix+"manifests", time.Second)
		if left == 0 {
			left = r.updateOperators(hcp, o, prefix)
		}
		v.wait = reconciler.Soonest(v.wait, left)
		o.Done = left == 0 && !o.Troubled()
		if left > 0 {
			return
		}
	}
	if !o.Troubled() {
		r.Stages.Restart(prefix + "patience")
		return
	}
	left := r.Stages.Remaining(prefix+"patience", 30*time.Second)
	o.Stuck, v.wait = left == 0, reconciler.Soonest(v.wait, left)
}

// updateOperators returns the updated cluster operators, and the remaining time of the current one.
func (r *controlPlanes) updateOperators(hcp *hyperv1.HostedControlPlane, o *guest.Rollout,
	prefix string) time.Duration {
	var until time.Duration
	for _, op := range o.OperatorNames() {
		switch {
		case slices.Contains(o.Blockers, op):
			continue
		case op == stuckOperator && o.Previous != "" && r.FaultOn(fault.UpgradeStuck, hcp):
			o.Degraded = op
			continue
		}
		until += 250 * time.Millisecond
		if left := r.Stages.Remaining(prefix+"operators", until); left > 0 {
			o.At = op
			return left
		}
		o.Updated = append(o.Updated, op)
	}
	return 0
}

func readyNodes(ctx context.Context, c client.Client) (int, error) {
	nodes := &corev1.NodeList{}
	if err := c.List(ctx, nodes); err != nil {
		return 0, fmt.Errorf("list the guest's nodes: %w", err)
	}
	ready := 0
	for i := range nodes.Items {
		if guest.NodeReady(&nodes.Items[i]) {
			ready++
		}
	}
	return ready, nil
}

// The cluster operators that faults affect.
const (
	stuckOperator = "monitoring"
)

func msgIncompatibleOperator(minor int) string {
	return fmt.Sprintf("ClusterServiceVersions blocking minor version upgrades to %s.0 or higher:\n"+
		"- maximum supported OCP version for openshift-logging/cluster-logging.v6.0.0 is %s", profile.MinorName(minor+1),
		profile.MinorName(minor))
}
