package guest

import (
	"fmt"
	"slices"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// guestOperator is one ClusterOperator of a hosted cluster.
type guestOperator struct {
	name string
	// needs is the requirement for it to be available.
	needs need
}

type need int

const (
	needsNothing need = iota // it reports on the control plane
	needsNodes               // its pods run on the guest's nodes
	needsIngress             // it also must be reachable from outside
)

// guestOperators lists the operators in the order of a roll-out. The config operator reports those of the control
// plane. Assumed, as the recorded run had no nodes: the order, and that csi-snapshot-controller, dns,
// kube-storage-version-migrator, openshift-samples and storage need no node.
func guestOperators() []guestOperator {
	return []guestOperator{
		{"kube-apiserver", needsNothing}, {"kube-controller-manager", needsNothing}, {"kube-scheduler", needsNothing},
		{"openshift-apiserver", needsNothing}, {"openshift-controller-manager", needsNothing},
		{"operator-lifecycle-manager", needsNothing}, {"operator-lifecycle-manager-catalog", needsNothing},
		{"operator-lifecycle-manager-packageserver", needsNothing}, {"kube-storage-version-migrator", needsNothing},
		{"csi-snapshot-controller", needsNothing}, {"storage", needsNothing}, {"dns", needsNothing},
		{"network", needsNodes}, {"node-tuning", needsNodes}, {"service-ca", needsNodes}, {"image-registry", needsNodes},
		{"insights", needsNodes}, {"openshift-samples", needsNothing}, {"monitoring", needsNodes},
		{"ingress", needsIngress}, {"console", needsIngress},
	}
}

// operators returns the operators of this guest.
func (o Rollout) operators() []guestOperator {
	return slices.DeleteFunc(guestOperators(), func(op guestOperator) bool {
		return o.NoIngress && op.needs == needsIngress
	})
}

// OperatorNames returns the names of this guest's operators, in the order of a roll-out.
func (o Rollout) OperatorNames() []string {
	var names []string
	for _, op := range o.operators() {
		names = append(names, op.name)
	}
	return names
}

// Missing returns the operators that cannot be updated, because a requirement is missing.
func (o Rollout) Missing() []string {
	var names []string
	for _, op := range o.operators() {
		if op.needs >= needsNodes && o.Nodes == 0 || op.needs == needsIngress && !o.Apps.Reachable {
			names = append(names, op.name)
		}
	}
	slices.Sort(names)
	return names
}

// operatorState is the reported state of a ClusterOperator.
type operatorState struct {
	name, version                    string
	available, progressing, degraded bool
	// reason and message explain which of the three is not as expected.
	reason, message string
	// notUpgradeable is why the next minor is not possible.
	notUpgradeable string
}

// states returns the reported state of each operator. Updated ones have the payload's version, the current one is
// progressing, and the others still report the previous version, or nothing during the first roll-out.
func (o Rollout) states() []operatorState {
	var list []operatorState
	for _, op := range o.operators() {
		blocked := slices.Contains(o.Blockers, op.name)
		s := operatorState{name: op.name, version: o.Payload.Version, available: true}
		switch {
		case o.Done || slices.Contains(o.Updated, op.name):
		case op.name == o.At:
			s.version, s.available, s.progressing = o.Previous, o.Previous != "", true
			s.reason, s.message = "RollingOut", op.name+" is being updated"
		case o.Previous == "" && !blocked:
			continue
		default:
			s.version = o.Previous
		}
		if blocked {
			o.blockOperator(op, &s)
		}
		if op.name == o.Degraded {
			s.degraded, s.reason, s.message = true, "RolloutStuck", msgOperatorDegraded
		}
		if op.name == notUpgradeableOperator {
			s.notUpgradeable = o.NotUpgradeable
		}
		list = append(list, s)
	}
	return list
}

// blockOperator explains why an operator cannot be updated: no node, or nothing leads to *.apps. The console's health
// check and the ingress operator's canary report the latter.
func (o Rollout) blockOperator(op guestOperator, s *operatorState) {
	switch {
	case o.Nodes == 0:
		s.available, s.progressing, s.reason, s.message = false, !o.Done, "NoWorkerNodes", msgNoNodesFor(op.name)
	case op.name == "ingress":
		s.degraded, s.reason, s.message = true, reasonCanaryFails, msgCanaryFails
	default:
		s.available, s.reason, s.message = false, reasonRouteHealth, o.Apps.Why
	}
}

// The message is made up: each operator has its own for this, and none was recorded.
func msgNoNodesFor(name string) string {
	return fmt.Sprintf("%s: 0 nodes are available to run its pods", name)
}

// conditions returns the four conditions of every ClusterOperator.
func (s operatorState) conditions() []status.Condition {
	row := func(kind configv1.ClusterStatusConditionType, on, asExpected bool) status.Condition {
		c := status.Condition{Kind: string(kind), Status: "False", Reason: "AsExpected"}
		if on {
			c.Status = "True"
		}
		if !asExpected {
			c.Reason, c.Message = s.reason, s.message
		}
		return c
	}
	upgradeable := row(configv1.OperatorUpgradeable, s.notUpgradeable == "", true)
	if s.notUpgradeable != "" {
		upgradeable.Reason, upgradeable.Message = reasonIncompatibleOperators, s.notUpgradeable
	}
	return []status.Condition{
		row(configv1.OperatorAvailable, s.available, s.available),
		row(configv1.OperatorProgressing, s.progressing, !s.progressing),
		row(configv1.OperatorDegraded, s.degraded, !s.degraded),
		upgradeable,
	}
}
