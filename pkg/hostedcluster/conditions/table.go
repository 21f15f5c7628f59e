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

// Row describes one condition.
//
// Sources: HyperShift's API module and operators (v0.1.70 to v0.1.81), its list for KubeVirt (support/conditions,
// ExpectedHCConditions; August 2026), and conditions that the operators were observed to write.
type Row struct {
	// Kind is HostedCluster or NodePool.
	Kind string
	Type string
	// Good is the status on a healthy cluster. It is empty for a condition that is reported and not judged.
	Good metav1.ConditionStatus
	// Bad is the state for another status: StateFailing, StatePending or StateWarning.
	Bad step.State
	// Rare means that only other platforms than KubeVirt, or a PerformanceProfile, have the condition.
	Rare bool
	// Workers means that the condition needs worker nodes.
	Workers bool
	// Root means that it reports a cause, and not a consequence of pods, VMs, nodes or operators.
	Root bool
	// Late omits a warning from the end of a create.
	Late bool
	// Note is added to the operator's message.
	Note string
	// By is the operator that decides the condition, hypershift-operator if empty.
	By string
	// Means is what the good status says. Look is the first place to look if the status is not good.
	Means, Look string
	// Reasons lists the reasons that tell more than the condition.
	Reasons []Reason
}

// Reason describes a reason of a condition with status False.
//
// An unlisted reason counts as temporary, so that a new reason of a newer operator never ends a create that would have
// succeeded: the operators retry with a backoff, unless they return without an error or a field is immutable.
type Reason struct {
	Reason string
	// Means is what the operator found.
	Means string
	// Terminal means that waiting does not help, because the operator does not retry.
	Terminal bool
	// Bad means that the condition is not good with this reason, although its status is.
	Bad bool
	// Good means that the condition is good with this reason, although its status is not.
	Good bool
	// Hint tells the user what to do. NAME stands for the cluster's name.
	Hint hint.Text
}

// The good statuses.
const (
	yes = metav1.ConditionTrue
	no  = metav1.ConditionFalse
)

// Conditions without constants in the API module: newer operators report them, or HyperShift defines them in another
// place.
const (
	// DataPlaneConnection is about the connection from the API server to the nodes, ControlPlaneConnection about the
	// reverse connection.
	DataPlaneConnection    = "DataPlaneConnectionAvailable"
	ControlPlaneConnection = "ControlPlaneConnectionAvailable"
	configOperator         = "ConfigOperatorReconciliationSucceeded"
	validProxy             = "ValidProxyConfiguration"
	EtcdEncryption         = "EtcdDataEncryptionUpToDate"
	infraNetworkPolicyRBAC = "ValidKubeVirtInfraNetworkPolicyRBAC"
	noWorkers              = "NoWorkerNodesAvailable"
)

// Operators of a control plane. The HyperShift operator copies their conditions from the HostedControlPlane.
const (
	controlPlaneOperator        = "control-plane-operator"
	hostedClusterConfigOperator = "hosted-cluster-config-operator"
	hyperShiftOperator          = "hypershift-operator"
)

// First places to look.
const (
	events       = "hcctl events NAME"
	controlPlane = "hcctl logs NAME control-plane-operator"
	operator     = "hcctl logs NAME hypershift-operator"
	status       = "hcctl status NAME"
	machines     = "hcctl get nodepools, then hcctl events NAME for the worker VMs"
	operators    = "hcctl exec NAME -- oc get clusteroperators"
)

// table returns all rows.
var table = sync.OnceValue(func() []Row { return slices.Concat(hostedCluster(), nodePool()) })

// ofKind sets the kind of the rows and the default of By.
func ofKind(kind string, rows []Row) []Row {
	for i := range rows {
		rows[i].Kind = kind
		if rows[i].By == "" {
			rows[i].By = hyperShiftOperator
		}
	}
	return rows
}

// Find returns the row of a condition, or nil for an unknown condition.
func Find(kind, conditionType string) *Row {
	rows := table()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Kind == kind && r.Type == conditionType })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// Types returns the types of a kind's known conditions, without the rare ones.
func Types(kind string) []string {
	var types []string
	for _, row := range table() {
		if row.Kind == kind && !row.Rare {
			types = append(types, row.Type)
		}
	}
	return types
}

// reason returns the row's entry for a condition's reason, or the zero Reason.
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

// lookupFailed begins the message of InvalidImage if the release image could not be read. The operator retries that.
const lookupFailed = "failed to lookup release image"

// message is a part of a condition's message that tells more than its reason.
type message struct {
	part string
	next hint.Text
}

// messages lists messages of HyperShift about a HostedCluster or a NodePool (main, August 2026; those of the registry
// also v0.1.70).
func messages() []message {
	registry := hint.New("the operator keeps trying: %s looks for credentials, and %s has the registry's answer",
		hint.Run("check").Flag("only", "cluster/pull-secret"), hint.Run("logs", "NAME", hyperShiftOperator))
	return []message{
		// If the operator reads the release before it validates it, no other condition reports the registry's error.
		{"manifest unknown", hint.New("the registry has no such image, and the operator keeps trying: it may still be " +
			"mirrored there; if its name is wrong, correct spec.release.image")},
		{"failed to obtain root manifest for", registry},
		{"failed to create repository client for", registry},
		// This is part of InfrastructureReady, as are load balancers: no router has given the Route a host.
		{"route does not contain valid host",
			hint.New("the Route has no host: %s says whether the management cluster's default ingress controller is "+
				"available and admits Routes of that namespace", hint.Run("check").Flag("only", "ingress"))},
		// The operator finds the base domain of a KubeVirt cluster without one by the host of a Route that it creates for
		// that.
		{"unable to autodetect kubevirt platform base domain",
			hint.New("the management cluster gives no host to the operator's Route: %s says whether its default "+
				"ingress controller is available; or give %s", hint.Run("check").Flag("only", "ingress"),
				hint.Flag("base-domain"))},
	}
}

// Hint returns the advice for a condition that is not good; it may be empty.
func (s Set) Hint(c kube.Condition) hint.Text {
	for _, k := range messages() {
		if strings.Contains(c.Message, k.part) {
			return s.withCluster(k.next)
		}
	}
	if c.Type == hyperv1.NodePoolReachedIgnitionEndpoint && !s.MachinesRun() {
		return hint.Text{} // no VM runs yet, so none can have requested its ignition
	}
	if row := Find(s.kind, c.Type); row != nil {
		return s.withCluster(row.reason(c).Hint)
	}
	return hint.Text{}
}

// MachinesRun reports whether all VMs of a NodePool run. Before that none can have requested its ignition.
func (s Set) MachinesRun() bool {
	return s.Get(hyperv1.NodePoolAllMachinesReadyConditionType).True()
}
