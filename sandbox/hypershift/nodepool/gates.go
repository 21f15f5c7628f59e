package nodepool

import (
	"context"
	"fmt"
	"strings"
	"time"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// reconcile sets the conditions in the operator's order. A condition that cannot be decided yet ends the reconcile.
func (r *nodePools) reconcile(ctx context.Context, np *hyperv1.NodePool,
	hc *hyperv1.HostedCluster) (time.Duration, error) {
	put := func(c status.Condition) { setPool(np, c) }
	put(autoscaling(np))
	put(poolTrue(hyperv1.NodePoolUpdateManagementEnabledConditionType, ""))
	payload, err := r.poolRelease(ctx, np, hc)
	if err != nil {
		put(poolFalse(hyperv1.NodePoolValidReleaseImageConditionType, hyperv1.NodePoolValidationFailedReason,
			msgReleaseUnreadable(err)))
		return 0, fmt.Errorf("failed to look up release image metadata: %w", err)
	}
	put(poolTrue(hyperv1.NodePoolValidReleaseImageConditionType, msgUsingRelease(np.Spec.Release.Image)))
	r.poolOf(np).describeUnblocked(hc, payload)
	if hc.Status.IgnitionEndpoint == "" {
		put(poolFalse(condIgnitionEndpoint, hyperv1.IgnitionEndpointMissingReason, msgIgnitionEndpointAbsent))
		return 0, nil
	}
	dropPool(np, condIgnitionEndpoint)
	if arch := np.Spec.Arch; !supportedArch(arch) {
		put(poolFalse(condValidArch, reasonInvalidArch, msgArchUnsupported(arch)))
		return 0, nil
	}
	put(poolTrue(condValidArch, ""))
	put(poolActive(np, time.Now()))
	if r.Features.Reports(hyperv1.NodePoolSupportedVersionSkewConditionType) {
		put(versionSkew(hc, payload))
	}
	if hc.Status.KubeConfig == nil {
		return 0, nil
	}
	put(poolTrue(hyperv1.NodePoolValidMachineConfigConditionType, ""))
	if np.Spec.Platform.Type != hyperv1.KubevirtPlatform {
		// The sandbox has no machines of other platforms: their numbers and conditions are the test's. On platform None
		// the operator makes none, and reports the version at once (isAutomatedMachineManagement).
		if np.Spec.Platform.Type == hyperv1.NonePlatform {
			np.Status.Version = payload.Version
		}
		return 0, nil
	}
	if err := checkPlatform(np); err != nil {
		put(poolFalse(hyperv1.NodePoolValidMachineConfigConditionType, hyperv1.NodePoolValidationFailedReason,
			msgPlatformInvalid(err)))
		return 0, fmt.Errorf("validation of NodePool KubeVirt platform failed: %w", err)
	}
	if r.Features.ValidatesInfra && release.Minor(payload.Version) < 14 {
		put(poolFalse(condValidPlatformImage, hyperv1.NodePoolValidationFailedReason,
			msgNoKubeVirtImage(np.Spec.Release.Image)))
		return 0, fmt.Errorf("couldn't discover a KubeVirt Image in release payload image: %s", np.Spec.Release.Image)
	}
	put(poolTrue(condValidPlatformImage, msgKubeVirtImage(bootImage(np, payload.Version))))
	if r.Features.Has(reconciler.TopologySpread) && np.Status.Version != payload.Version {
		metadata.Add(&np.Annotations, map[string]string{
			hyperv1.NodePoolSupportsKubevirtTopologySpreadConstraintsAnnotation: "true"})
	}
	if hc.Spec.InfraID == "" {
		return 0, nil
	}
	return r.reconcileMachines(ctx, np, hc, payload)
}

// describeSettled writes the conditions of a pool that passes all its gates.
func (r *nodePools) describeSettled(np *hyperv1.NodePool, hc *hyperv1.HostedCluster, payload release.Payload) {
	for _, c := range []status.Condition{
		autoscaling(np), poolTrue(hyperv1.NodePoolUpdateManagementEnabledConditionType, ""),
		poolTrue(hyperv1.NodePoolValidReleaseImageConditionType, msgUsingRelease(np.Spec.Release.Image)),
		poolTrue(condValidArch, ""), poolActive(np, time.Now()), versionSkew(hc, payload),
		poolTrue(hyperv1.NodePoolValidMachineConfigConditionType, ""),
		poolTrue(condValidPlatformImage, msgKubeVirtImage(bootImage(np, payload.Version))),
	} {
		if r.Features.Reports(c.Kind) {
			setPool(np, c)
		}
	}
}

// reconcileMachines reconciles the machines, their nodes, and the conditions about both.
func (r *nodePools) reconcileMachines(ctx context.Context, np *hyperv1.NodePool, hc *hyperv1.HostedCluster,
	payload release.Payload) (time.Duration, error) {
	if err := r.watchMachines(); err != nil {
		return 0, err
	}
	t, err := r.templateOf(ctx, np, payload)
	if err != nil {
		setPool(np, poolFalse(hyperv1.NodePoolValidMachineConfigConditionType, hyperv1.NodePoolValidationFailedReason,
			err.Error()))
		return 0, err
	}
	p := r.poolOf(np)
	p.ownPlugIn = hc.Spec.Networking.NetworkType == hyperv1.Other
	p.patch = hc.Annotations[hyperv1.JSONPatchAnnotation]
	if err := p.locate(ctx, hc); err != nil {
		return 0, err
	}
	if err := p.load(ctx); err != nil {
		return 0, err
	}
	strategy, err := strategyOf(np, p.desired())
	if err != nil {
		return 0, err
	}
	if paused, err := status.Paused(np.Spec.PausedUntil, time.Now()); err == nil && paused {
		objects, err := p.objects(hc, t, strategy)
		if err != nil {
			return 0, err
		}
		return status.ResumesIn(np.Spec.PausedUntil, time.Now()), p.ClusterAPI.PausePool(ctx, objects)
	}
	objects, newToken, err := p.ensureObjects(ctx, hc, t, strategy)
	if err != nil {
		return 0, err
	}
	if newToken && r.Features.Has(reconciler.PoolConditionsShuffled) {
		p.describeNewToken(t)
		return r.Pace.Scale(time.Second), nil
	}
	wait, err := p.scale(ctx, t, strategy, objects)
	if err != nil {
		return 0, err
	}
	if p.away() {
		wait = reconciler.Soonest(wait, p.Pace.Scale(awayPoll))
	}
	for _, more := range []func() (time.Duration, error){
		func() (time.Duration, error) { return p.reconcileNodes(ctx, t, strategy) },
		func() (time.Duration, error) { return p.repair(ctx) },
		func() (time.Duration, error) { return 0, p.propagateFaults(ctx) },
	} {
		left, err := more()
		if err != nil {
			return 0, err
		}
		wait = reconciler.Soonest(wait, left)
	}
	if err := p.load(ctx); err != nil {
		return 0, err
	}
	if p.guest.Phase == guest.Running && !p.guest.InMemory() {
		// Nothing tells of changes in a guest.
		wait = reconciler.Soonest(wait, max(r.Pace.Scale(3*resyncInterval), resyncInterval))
	}
	if p.guest.Phase != guest.Running {
		wait = reconciler.Soonest(wait, r.Pace.Scale(3*time.Second))
	}
	p.describeNetwork(hc)
	if err := p.describe(ctx, t, strategy); err != nil {
		return 0, err
	}
	if err := p.noteReached(ctx, t); err != nil {
		return 0, err
	}
	if err := p.noteNodes(ctx); err != nil {
		return 0, err
	}
	return wait, p.report(ctx, objects, t, strategy)
}

// resyncInterval is how soon the nodes of a guest with an API server are looked at again.
const resyncInterval = 5 * time.Second

// reconcileNodes registers new nodes, and updates existing ones as the pool wants them.
func (p *pool) reconcileNodes(ctx context.Context, t template, strategy strategy) (time.Duration, error) {
	if p.guest.Phase != guest.Running {
		return 0, nil
	}
	reachable, err := p.ignitionReachable(ctx, p.namespace)
	if err != nil {
		return 0, err
	}
	reachable = reachable && !p.FaultOn(fault.IgnitionUnreachable, p.np)
	if !p.guest.InMemory() {
		if err := guest.PlayBudgets(ctx, p.guest.Client); err != nil {
			return 0, err
		}
	}
	wait := p.Pace.Scale(3 * time.Second)
	if reachable {
		if wait, err = p.join(ctx, t); err != nil {
			return 0, err
		}
	}
	if err := p.syncNodes(ctx); err != nil || !strategy.inPlace {
		return wait, err
	}
	left, err := p.updateInPlace(ctx, t, strategy)
	return reconciler.Soonest(wait, left), err
}

// ignitionReachable reports whether a booting machine gets its configuration through the management cluster's router.
func (r *nodePools) ignitionReachable(ctx context.Context, namespace string) (bool, error) {
	route := &routev1.Route{}
	err := r.Cached.Get(ctx, types.NamespacedName{Namespace: namespace, Name: "ignition-server"}, route)
	if apierrors.IsNotFound(err) {
		// Without a Route, this cluster's router is not involved.
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("get Route %s/ignition-server: %w", namespace, err)
	}
	return reconciler.Admitted(route), nil
}

// poolRelease reads the payload of the pool's nodes.
func (r *nodePools) poolRelease(ctx context.Context, np *hyperv1.NodePool,
	hc *hyperv1.HostedCluster) (release.Payload, error) {
	if err := reconciler.CheckPullSecret(ctx, r.Client, hc); err != nil {
		return release.Payload{}, err
	}
	payload, err := r.Registry().Lookup(np.Spec.Release.Image)
	if err != nil {
		return release.Payload{}, fmt.Errorf("failed to look up release image metadata: %s", release.MsgReleaseMetadata(err))
	}
	cluster := controlPlaneVersion(hc)
	if cluster == "" {
		if asked, err := r.Registry().Lookup(hc.Spec.Release.Image); err == nil {
			cluster = asked.Version
		}
	}
	return payload, poolSupported(r.Features, np, payload, cluster)
}

func supportedArch(arch string) bool {
	return arch == "" || arch == hyperv1.ArchitectureAMD64 || arch == hyperv1.ArchitectureS390X
}

func autoscaling(np *hyperv1.NodePool) status.Condition {
	if a := np.Spec.AutoScaling; a != nil {
		return poolTrue(hyperv1.NodePoolAutoscalingEnabledConditionType, msgAutoscaling(minimum(a), a.Max))
	}
	return poolFalse(hyperv1.NodePoolAutoscalingEnabledConditionType, hyperv1.AsExpectedReason, "")
}

func poolActive(np *hyperv1.NodePool, now time.Time) status.Condition {
	c := status.ReconciliationActive(np.Spec.PausedUntil, now)
	switch c.Reason {
	case hyperv1.AsExpectedReason:
		c.Reason = reasonReconciliationActive
	case hyperv1.ReconciliationPausedConditionReason:
		c.Reason = reasonReconciliationPaused
	}
	return c
}

// liveMigratable returns a machine's migration condition, or nil.
func liveMigratable(vm *kubevirtv1.VirtualMachine) *kubevirtv1.VirtualMachineCondition {
	for i := range vm.Status.Conditions {
		if strings.EqualFold(string(vm.Status.Conditions[i].Type), string(kubevirtv1.VirtualMachineInstanceIsMigratable)) {
			return &vm.Status.Conditions[i]
		}
	}
	return nil
}
