package nodepool

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

// Annotations of the machine config daemon about an in-place upgrade of a node.
const (
	nodeConfigAnnotation  = "machineconfiguration.openshift.io/currentConfig"
	nodeDesiredAnnotation = "machineconfiguration.openshift.io/desiredConfig"
	nodeStateAnnotation   = "machineconfiguration.openshift.io/state"
	nodeReasonAnnotation  = "machineconfiguration.openshift.io/reason"

	configDone     = "Done"
	configWorking  = "Working"
	configDegraded = "Degraded"
)

func setConfig(node *corev1.Node, current, desired, state string) {
	metadata.Add(&node.Annotations, map[string]string{
		nodeConfigAnnotation: current, nodeDesiredAnnotation: desired, nodeStateAnnotation: state,
	})
}

// updateInPlace updates the nodes of an InPlace pool to the template's release and configuration, at most
// maxUnavailable at a time. A node is cordoned, reboots with the new release, and becomes ready again.
func (p *pool) updateInPlace(ctx context.Context, t template, strategy strategy) (time.Duration, error) {
	var wait time.Duration
	busy := 0
	for i := range p.machines {
		m := &p.machines[i]
		if m.node == nil || m.leaving() || !updatesConfig(m.node) {
			continue
		}
		busy++
		if m.node.Annotations[nodeStateAnnotation] == configDegraded &&
			m.node.Annotations[nodeReasonAnnotation] != onDiskState(m.node) {
			continue
		}
		left, err := p.finishUpdate(ctx, m, t)
		if err != nil {
			return 0, err
		}
		wait = reconciler.Soonest(wait, left)
	}
	for i := range p.machines {
		m := &p.machines[i]
		if busy >= strategy.unavailable {
			break
		}
		if m.node == nil || m.leaving() || !m.healthy() || upToDate(m.node, t) ||
			updatesConfig(m.node) {
			continue
		}
		if err := p.beginUpdate(ctx, m, t); err != nil {
			return 0, err
		}
		busy++
		wait = reconciler.Soonest(wait, p.Stages.Remaining(p.updateKey(m), updateTime))
	}
	return wait, nil
}

// updateTime is the time to drain and reboot a node.
const updateTime = 3 * time.Second

func (p *pool) updateKey(m *machine) string { return p.key() + "inplace/" + m.vm.Name }

// updatesConfig reports whether the node's machine config daemon is at work, or has failed.
func updatesConfig(node *corev1.Node) bool {
	state := node.Annotations[nodeStateAnnotation]
	return state == configWorking || state == configDegraded
}

// degraded is the message about the first node whose machine config daemon has failed; empty if there is none.
func (p *pool) degraded() string {
	for i := range p.machines {
		if node := p.machines[i].node; node != nil && node.Annotations[nodeStateAnnotation] == configDegraded {
			return msgNodeDegraded(node.Name, node.Annotations[nodeReasonAnnotation])
		}
	}
	return ""
}

// onDiskState is the reason of the daemon that the fault degrades. One that a user has degraded keeps its reason, and
// stays as it is.
func onDiskState(node *corev1.Node) string {
	return "unexpected on-disk state validating against " + node.Annotations[nodeDesiredAnnotation]
}

func upToDate(node *corev1.Node, t template) bool {
	return node.Annotations[nodeConfigAnnotation] == t.configVersion
}

func (p *pool) beginUpdate(ctx context.Context, m *machine, t template) error {
	before := m.node.DeepCopy()
	setConfig(m.node, m.node.Annotations[nodeConfigAnnotation], t.configVersion, configWorking)
	m.node.Spec.Unschedulable = true
	if err := p.guest.Client.Patch(ctx, m.node, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("begin the update of node %s in the guest: %w", m.node.Name, err)
	}
	return p.reboot(ctx, m)
}

// reboot ends the kubelet of a node once its pods are gone.
func (p *pool) reboot(ctx context.Context, m *machine) error {
	if lines, err := p.drained(ctx, m.node); err != nil || len(lines) > 0 {
		return err
	}
	p.Stages.Restart(p.updateKey(m))
	return p.setReady(ctx, m.node, corev1.ConditionFalse, reasonKubeletNotReady, msgKubeletNotReady)
}

func (p *pool) finishUpdate(ctx context.Context, m *machine, t template) (time.Duration, error) {
	if m.healthy() && m.node.Annotations[nodeStateAnnotation] == configWorking {
		return p.Pace.Scale(drainRetry), p.reboot(ctx, m) // it was not empty before
	}
	if left := p.Stages.Remaining(p.updateKey(m), updateTime); left > 0 {
		return left, nil
	}
	before := m.node.DeepCopy()
	if p.FaultOn(fault.InPlaceFails, p.np) {
		setConfig(m.node, m.node.Annotations[nodeConfigAnnotation], t.configVersion, configDegraded)
		m.node.Annotations[nodeReasonAnnotation] = onDiskState(m.node)
		if err := p.guest.Client.Patch(ctx, m.node, client.MergeFrom(before)); err != nil {
			return 0, fmt.Errorf("degrade node %s in the guest: %w", m.node.Name, err)
		}
		return 0, nil
	}
	setNodeInfo(m.node, t.payload.Version)
	if err := p.guest.Client.Status().Patch(ctx, m.node, client.MergeFrom(before)); err != nil {
		return 0, fmt.Errorf("write the release of node %s in the guest: %w", m.node.Name, err)
	}
	if err := p.setReady(ctx, m.node, corev1.ConditionTrue, reasonKubeletReady, msgKubeletReady); err != nil {
		return 0, err
	}
	before = m.node.DeepCopy()
	setConfig(m.node, t.configVersion, t.configVersion, configDone)
	delete(m.node.Annotations, nodeReasonAnnotation)
	m.node.Spec.Unschedulable = false
	if err := p.guest.Client.Patch(ctx, m.node, client.MergeFrom(before)); err != nil {
		return 0, fmt.Errorf("end the update of node %s in the guest: %w", m.node.Name, err)
	}
	p.Guests.Notify(p.namespace)
	return p.Pace.Scale(100 * time.Millisecond), nil
}
