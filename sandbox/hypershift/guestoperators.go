package hypershift

import (
	"fmt"
	"slices"

	configv1 "github.com/openshift/api/config/v1"
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

// guestOperators in the order a payload reaches them. Those of the control plane are reported on by the config operator.
// Guess: the order, and that csi-snapshot-controller, dns, kube-storage-version-migrator, openshift-samples and storage need
// no node.
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
func (o rollout) operators() []guestOperator {
	return slices.DeleteFunc(guestOperators(), func(op guestOperator) bool { return o.noIngress && op.needs == needsIngress })
}

// operatorNames are the names of the operators this guest has, in the order a payload reaches them.
func (o rollout) operatorNames() []string {
	var names []string
	for _, op := range o.operators() {
		names = append(names, op.name)
	}
	return names
}

// missing are the operators that cannot follow without what is not there.
func (o rollout) missing() []string {
	var names []string
	for _, op := range o.operators() {
		if op.needs >= needsNodes && o.nodes == 0 || op.needs == needsIngress && !o.way.open {
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
	// notUpgradeable is why the next minor would not do.
	notUpgradeable string
}

// states put together what each operator says: those that have followed are at the payload's version, the one called at is being
// updated, the others are what they were in the version before, or have not reported yet if there was none.
func (o rollout) states() []operatorState {
	var list []operatorState
	for _, op := range o.operators() {
		blocked := slices.Contains(o.blockers, op.name)
		s := operatorState{name: op.name, version: o.payload.Version, available: true}
		switch {
		case o.done || slices.Contains(o.updated, op.name):
		case op.name == o.at:
			s.version, s.available, s.progressing = o.previous, o.previous != "", true
			s.reason, s.message = "RollingOut", op.name+" is being updated"
		case o.previous == "" && !blocked:
			continue
		default:
			s.version = o.previous
		}
		if blocked {
			o.block(op, &s)
		}
		if op.name == o.degraded {
			s.degraded, s.reason, s.message = true, "RolloutStuck", msgOperatorDegraded
		}
		if op.name == notUpgradeableOperator {
			s.notUpgradeable = o.notUpgradeable
		}
		list = append(list, s)
	}
	return list
}

// block says why an operator cannot follow: nothing to run on, or nothing leads to *.apps, which the console's own health
// check finds, and the ingress operator's canary.
func (o rollout) block(op guestOperator, s *operatorState) {
	switch {
	case o.nodes == 0:
		s.available, s.progressing, s.reason, s.message = false, !o.done, "NoWorkerNodes", msgNoNodesFor(op.name)
	case op.name == "ingress":
		s.degraded, s.reason, s.message = true, reasonCanaryFails, msgCanaryFails
	default:
		s.available, s.reason, s.message = false, reasonRouteHealth, o.way.why
	}
}

// Guess: each operator has words of its own for this; none were recorded.
func msgNoNodesFor(name string) string {
	return fmt.Sprintf("%s: 0 nodes are available to run its pods", name)
}

// conditions are the four that every ClusterOperator has.
func (s operatorState) conditions() []condition {
	row := func(kind configv1.ClusterStatusConditionType, on, asExpected bool) condition {
		c := condition{kind: string(kind), status: "False", reason: "AsExpected"}
		if on {
			c.status = "True"
		}
		if !asExpected {
			c.reason, c.message = s.reason, s.message
		}
		return c
	}
	upgradeable := row(configv1.OperatorUpgradeable, s.notUpgradeable == "", true)
	if s.notUpgradeable != "" {
		upgradeable.reason, upgradeable.message = reasonIncompatibleOperators, s.notUpgradeable
	}
	return []condition{
		row(configv1.OperatorAvailable, s.available, s.available),
		row(configv1.OperatorProgressing, s.progressing, !s.progressing),
		row(configv1.OperatorDegraded, s.degraded, !s.degraded),
		upgradeable,
	}
}
