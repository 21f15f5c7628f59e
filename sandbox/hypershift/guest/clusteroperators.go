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
	// needs is what has to be there for it to be available.
	needs need
}

type need int

const (
	needsNothing need = iota // it reports on the control plane
	needsNodes               // its pods run on the guest's nodes
	needsIngress             // and it has to be reached from outside
)

// guestOperators in the order a payload reaches them. Those of the control plane are reported on by the config
// operator. Guess: the order, and that csi-snapshot-controller, dns, kube-storage-version-migrator, openshift-samples
// and storage need no node.
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

// operators are those this guest has.
func (o Rollout) operators() []guestOperator {
	return slices.DeleteFunc(guestOperators(), func(op guestOperator) bool {
		return o.NoIngress && op.needs == needsIngress
	})
}

// OperatorNames are the names of the operators this guest has, in the order a payload reaches them.
func (o Rollout) OperatorNames() []string {
	var names []string
	for _, op := range o.operators() {
		names = append(names, op.name)
	}
	return names
}

// Missing are the operators that cannot follow without what is not there.
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

// operatorState is what a ClusterOperator says.
type operatorState struct {
	name, version                    string
	available, progressing, degraded bool
	// reason and message are about what of the three is not as expected.
	reason, message string
	// NotUpgradeable is why the next minor would not do.
	notUpgradeable string
}

// states put together what each operator says: those that have followed are at the payload's version, the one called at
// is being updated, the others are what they were in the version before, or have not reported yet if there was none.
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
			o.block(op, &s)
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

// block says why an operator cannot follow: nothing to run on, or nothing leads to *.apps, which the console's own
// health check finds, and the ingress operator's canary.
func (o Rollout) block(op guestOperator, s *operatorState) {
	switch {
	case o.Nodes == 0:
		s.available, s.progressing, s.reason, s.message = false, !o.Done, "NoWorkerNodes", msgNoNodesFor(op.name)
	case op.name == "ingress":
		s.degraded, s.reason, s.message = true, reasonCanaryFails, msgCanaryFails
	default:
		s.available, s.reason, s.message = false, reasonRouteHealth, o.Apps.Why
	}
}

// Guess: each operator has words of its own for this; none were recorded.
func msgNoNodesFor(name string) string {
	return fmt.Sprintf("%s: 0 nodes are available to run its pods", name)
}

// conditions are the four that every ClusterOperator has.
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
