package nodepool

import (
	"maps"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// NodePools have their own condition type, not metav1.Condition. It has a severity, and the reason may be empty.

func poolTrue(kind, message string) status.Condition {
	return status.Condition{Kind: kind, Status: metav1.ConditionTrue, Reason: hyperv1.AsExpectedReason, Message: message}
}

func poolFalse(kind, reason, message string) status.Condition {
	return status.Condition{Kind: kind, Status: metav1.ConditionFalse, Reason: reason, Message: message}
}

// setPool writes a condition of a NodePool. Its time changes with its status.
func setPool(np *hyperv1.NodePool, c status.Condition) {
	fresh := hyperv1.NodePoolCondition{
		Type: c.Kind, Status: corev1.ConditionStatus(c.Status), Reason: c.Reason, Message: c.Message,
		ObservedGeneration: np.Generation, LastTransitionTime: metav1.Now(),
	}
	for i := range np.Status.Conditions {
		old := &np.Status.Conditions[i]
		if old.Type != c.Kind {
			continue
		}
		if old.Status == fresh.Status {
			fresh.LastTransitionTime = old.LastTransitionTime
		}
		*old = fresh
		return
	}
	np.Status.Conditions = append(np.Status.Conditions, fresh)
}

// conditionOf returns a condition of a NodePool, or nil.
func conditionOf(np *hyperv1.NodePool, kind string) *hyperv1.NodePoolCondition {
	for i := range np.Status.Conditions {
		if np.Status.Conditions[i].Type == kind {
			return &np.Status.Conditions[i]
		}
	}
	return nil
}

func dropPool(np *hyperv1.NodePool, kind string) {
	kept := np.Status.Conditions[:0]
	for _, c := range np.Status.Conditions {
		if c.Type != kind {
			kept = append(kept, c)
		}
	}
	np.Status.Conditions = kept
}

// describeIgnition writes ReachedIgnitionEndpoint, True once a node of the configuration exists, because a node has
// read it. Another configuration has another token, which no node has used yet; updates in place need none.
func (p *pool) describeIgnition(t template, inPlace bool) {
	known := inPlace || p.np.Annotations[currentVersionAnnotation] == t.configVersion
	if known && poolIs(p.np, condReachedIgnitionEndpoint) {
		return
	}
	for i := range p.machines {
		if m := &p.machines[i]; m.node != nil && (inPlace || m.matches(t.hash)) {
			setPool(p.np, poolTrue(condReachedIgnitionEndpoint, ""))
			return
		}
	}
	setPool(p.np, poolFalse(condReachedIgnitionEndpoint, reasonIgnitionNotReached, ""))
}

// describeUnblocked writes what an operator has in the end that looks at a pool's conditions in another order each
// time: also what does not depend on the control plane that it waits for.
func (p *pool) describeUnblocked(hc *hyperv1.HostedCluster, payload release.Payload) {
	if !p.Features.Has(reconciler.PoolConditionsShuffled) {
		return
	}
	list := []status.Condition{poolActive(p.np, time.Now()), versionSkew(hc, payload), p.updatingVersion(payload.Version),
		poolTrue(hyperv1.NodePoolValidPlatformConfigConditionType, status.MsgAllIsWell)}
	if conditionOf(p.np, hyperv1.NodePoolAllMachinesReadyConditionType) == nil {
		list = append(list, p.noMachines(hyperv1.NodePoolAllMachinesReadyConditionType),
			p.noMachines(hyperv1.NodePoolAllNodesHealthyConditionType))
	}
	if supportedArch(p.np.Spec.Arch) {
		list = append(list, poolTrue(condValidArch, ""))
	}
	for _, c := range list {
		if p.Features.Reports(c.Kind) {
			setPool(p.np, c)
		}
	}
}

// describeNewToken writes what the operator finds when it looks for the token of a configuration before it makes it.
func (p *pool) describeNewToken(t template) {
	setPool(p.np, p.updatingVersion(t.payload.Version))
	setPool(p.np, p.updating(hyperv1.NodePoolUpdatingConfigConditionType, currentConfigAnnotation, t.config,
		msgUpdatingConfig(t.config)))
	for _, kind := range []string{hyperv1.NodePoolValidGeneratedPayloadConditionType, condReachedIgnitionEndpoint} {
		setPool(p.np, poolFalse(kind, hyperv1.NodePoolNotFoundReason, msgNoSecret(p.tokenName(t))))
	}
}

// noMachines returns both machine conditions of a pool without machines.
func (p *pool) noMachines(kind string) status.Condition {
	if p.desired() == 0 {
		return poolFalse(kind, hyperv1.AsExpectedReason, msgNoReplicas)
	}
	return poolFalse(kind, hyperv1.NodePoolNotFoundReason, msgNoMachines)
}

func (p *pool) nodesHealthy() status.Condition {
	kind := hyperv1.NodePoolAllNodesHealthyConditionType
	if len(p.machines) == 0 {
		return p.noMachines(kind)
	}
	bad := map[string][]string{}
	for i := range p.machines {
		m := &p.machines[i]
		switch {
		case m.node == nil && !m.ready():
			bad[reasonWaitingForNodeRef] = append(bad[reasonWaitingForNodeRef],
				msgMachine(m.vm.Name, reasonWaitingForNodeRef))
		case m.node == nil:
			bad[reasonNodeProvisioning] = append(bad[reasonNodeProvisioning],
				msgMachine(m.vm.Name, reasonNodeProvisioning, msgWaitingForNode))
		default:
			if message, failed := nodeTrouble(m.node); failed {
				bad[reasonNodeConditionsFailed] = append(bad[reasonNodeConditionsFailed],
					msgMachine(m.vm.Name, reasonNodeConditionsFailed, message))
			}
		}
	}
	if p.Features.Has(reconciler.NodesAggregated) || len(bad) == 0 {
		return p.verdict(kind, nodesHealthy, bad)
	}
	return oneByOne(kind, bad)
}

// oneByOne is the condition of operators that do not aggregate: the reason is that of one machine, and each machine's
// line has its reason only.
func oneByOne(kind string, bad map[string][]string) status.Condition {
	c := poolFalse(kind, "", "")
	var lines []string
	for _, reason := range slices.Sorted(maps.Keys(bad)) {
		c.Reason = reason
		for _, line := range bad[reason] {
			name, _, _ := strings.Cut(line, ": ")
			lines = append(lines, name+": "+reason+"\n")
		}
	}
	slices.Sort(lines)
	c.Message = strings.Join(lines, "")
	return c
}

func (p *pool) verdict(kind, state string, bad map[string][]string) status.Condition {
	if len(bad) == 0 {
		return poolTrue(kind, status.MsgAllIsWell)
	}
	reason, message := aggregateMachines(state, len(p.machines), bad)
	return poolFalse(kind, reason, message)
}

func (p *pool) describeMigration() {
	if !p.Features.Reports(status.CondLiveMigratable) || len(p.machines) == 0 {
		return
	}
	bad := map[string][]string{}
	for i := range p.machines {
		c := liveMigratable(&p.machines[i].vm)
		if c != nil && c.Status == corev1.ConditionFalse {
			name := p.machines[i].vm.Name
			bad[c.Reason] = append(bad[c.Reason], msgMachine(name, c.Reason, msgNotMigratable(name, c.Message)))
		}
	}
	setPool(p.np, p.verdict(status.CondLiveMigratable, machinesMigratable, bad))
}
