package conditions

import (
	"slices"
	"strings"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Row is all that is known of one condition.
//
// Sources: HyperShift's API module and operators (v0.1.70 to v0.1.81), its list for KubeVirt (support/conditions,
// ExpectedHCConditions; August 2026), and what the operators were seen to write.
type Row struct {
	// Kind is HostedCluster or NodePool.
	Kind string
	Type string
	// Good is its status on a healthy cluster. It is empty for a condition that is reported and not judged.
	Good metav1.ConditionStatus
	// Bad is what another status means: StateFailing, StatePending or StateWarning.
	Bad step.State
	// Rare is whether only other platforms than KubeVirt, or a PerformanceProfile, bring it.
	Rare bool
	// Workers is whether the condition needs worker nodes.
	Workers bool
	// Root is whether it reports a cause, and not what follows from pods, VMs, nodes or operators.
	Root bool
	// Late leaves a warning out of those at the end of a create.
	Late bool
	// Note is added to the operator's message.
	Note string
	// By is the operator that decides it; empty for hypershift-operator.
	By string
	// Means is what the operator looked at. Look is where a user looks first if the status is not the good one.
	Means, Look string
	// Reasons are those that say more than the condition.
	Reasons []Reason
}

// Reason is what is known of a reason of a condition with status False.
//
// A reason that is not listed may pass, so that a new word of a newer operator never ends a create that would have
// succeeded: the operators retry with a backoff, except where they return without an error or a field is immutable.
type Reason struct {
	Reason string
	// Means is what the operator found.
	Means string
	// Terminal is whether waiting does not help, because the operator does not retry.
	Terminal bool
	// Bad is whether the condition is not good with this reason, although its status is.
	Bad bool
	// Good is whether the condition is good with this reason, although its status is not.
	Good bool
	// Hint says what a user can do. NAME stands for the cluster's name.
	Hint hint.Text
}

// The good statuses.
const (
	yes = metav1.ConditionTrue
	no  = metav1.ConditionFalse
)

// Conditions without constants in the API module: newer operators report them, or HyperShift defines them elsewhere.
const (
	// DataPlaneConnection is about the way from the API server to the nodes, ControlPlaneConnection about the way back.
	DataPlaneConnection    = "DataPlaneConnectionAvailable"
	ControlPlaneConnection = "ControlPlaneConnectionAvailable"
	configOperator         = "ConfigOperatorReconciliationSucceeded"
	validProxy             = "ValidProxyConfiguration"
	EtcdEncryption         = "EtcdDataEncryptionUpToDate"
	infraNetworkPolicyRBAC = "ValidKubeVirtInfraNetworkPolicyRBAC"
	noWorkers              = "NoWorkerNodesAvailable"
)

// Operators of a control plane. The HyperShift operator copies what they decide from the HostedControlPlane.
const (
	controlPlaneOperator        = "control-plane-operator"
	hostedClusterConfigOperator = "hosted-cluster-config-operator"
	hyperShiftOperator          = "hypershift-operator"
)

// Where to look.
const (
	events       = "hcctl events NAME"
	controlPlane = "hcctl logs NAME control-plane-operator"
	operator     = "hcctl logs NAME hypershift-operator"
	status       = "hcctl status NAME"
	machines     = "hcctl get nodepools, then hcctl events NAME for the worker VMs"
	operators    = "hcctl exec NAME -- oc get clusteroperators"
)

// table has every row.
var table = sync.OnceValue(func() []Row { return slices.Concat(hostedCluster(), nodePool()) })

// ofKind returns the rows with their kind and operator.
func ofKind(kind string, rows []Row) []Row {
	for i := range rows {
		rows[i].Kind = kind
		if rows[i].By == "" {
			rows[i].By = hyperShiftOperator
		}
	}
	return rows
}

// Find returns the row of a condition, nil if it is not known.
func Find(kind, conditionType string) *Row {
	rows := table()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Kind == kind && r.Type == conditionType })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// Types returns the types of the known conditions of a kind without the rare ones.
func Types(kind string) []string {
	var types []string
	for _, row := range table() {
		if row.Kind == kind && !row.Rare {
			types = append(types, row.Type)
		}
	}
	return types
}

// reason returns what is known of a condition's reason, the zero Reason if it is nothing.
func (r *Row) reason(c kube.Condition) Reason {
	name := c.Reason
	if name == hyperv1.InvalidImageReason && strings.HasPrefix(c.Message, lookupFailed) {
		name = hyperv1.PayloadArchNotFoundReason
	}
	if i := slices.IndexFunc(r.Reasons, func(k Reason) bool { return k.Reason == name }); i >= 0 {
		return r.Reasons[i]
	}
	return Reason{}
}

// lookupFailed begins the message of InvalidImage if the release image could not be read, which the operator retries.
const lookupFailed = "failed to lookup release image"

// message is part of a condition's message that says more than its reason.
type message struct {
	part string
	next hint.Text
}

// messages are HyperShift's (main, August 2026; the registry's also v0.1.70), about a HostedCluster or a NodePool.
func messages() []message {
	registry := hint.New("the operator keeps trying: %s looks for credentials, and %s has the registry's answer",
		hint.Run("check").Flag("only", "cluster/pull-secret"), hint.Run("logs", "NAME", hyperShiftOperator))
	return []message{
		// Where the operator reads the release before it looks at its validity, no other condition tells of the registry.
		{"manifest unknown", hint.New("the registry has no such image, and the operator keeps trying: it may still be " +
			"mirrored there; if its name is wrong, correct spec.release.image")},
		{"failed to obtain root manifest for", registry},
		{"failed to create repository client for", registry},
		// Part of InfrastructureReady, beside load balancers: no router has given the Route a host.
		{"route does not contain valid host",
			hint.New("the Route has no host: %s says whether the management cluster's default ingress controller is "+
				"available and admits Routes of that namespace", hint.Run("check").Flag("only", "ingress"))},
		// A KubeVirt cluster without a base domain gets it from the host of a Route that the operator creates for that.
		{"unable to autodetect kubevirt platform base domain",
			hint.New("the management cluster gives no host to the operator's Route: %s says whether its default "+
				"ingress controller is available; or give %s", hint.Run("check").Flag("only", "ingress"),
				hint.Flag("base-domain"))},
	}
}

// Hint says what a user can do about a bad condition; it may be empty.
func (s Set) Hint(c kube.Condition) hint.Text {
	for _, k := range messages() {
		if strings.Contains(c.Message, k.part) {
			return s.named(k.next)
		}
	}
	if c.Type == hyperv1.NodePoolReachedIgnitionEndpoint && !s.MachinesRun() {
		return hint.Text{} // no VM runs yet that could have asked for its ignition
	}
	if row := Find(s.kind, c.Type); row != nil {
		return s.named(row.reason(c).Hint)
	}
	return hint.Text{}
}

// MachinesRun reports whether all VMs of a NodePool run. Before that none can have asked for its ignition.
func (s Set) MachinesRun() bool {
	return s.Get(hyperv1.NodePoolAllMachinesReadyConditionType).True()
}
