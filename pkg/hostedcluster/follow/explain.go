package follow

import (
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// Explanation is what is known of a condition, or of one reason of it.
type Explanation struct {
	// Kind is HostedCluster or NodePool.
	Kind string `json:"kind"`
	// Condition is its type. Reason is empty if this is about the condition whatever its reason.
	Condition string `json:"condition"`
	Reason    string `json:"reason,omitempty"`
	// Means is what the operator looked at when it wrote the condition, or found when it wrote the reason.
	Means string `json:"means,omitempty"`
	// Look is where a person looks first if it does not have the good status: a command, or what to read.
	Look string `json:"look,omitempty"`
	// Good is the status of a cluster that is well, such as True; empty if it is not known.
	Good string `json:"good,omitempty"`
	// Weight says what another status means.
	Weight string `json:"meaning,omitempty"`
	// Terminal is whether waiting does not help.
	Terminal bool `json:"terminal"`
	// Does says what hcctl does about it by itself.
	Does string `json:"does,omitempty"`
	// By is the operator that decides it; hcctl logs takes that name.
	By string `json:"by,omitempty"`
	// Hint says what a person can do; it may be empty. NAME stands for the cluster's name.
	Hint string `json:"hint,omitempty"`
}

// Explanations are all conditions and reasons that are known, causes first.
func Explanations() []Explanation {
	words := map[Weight]string{WeightFailure: "something is wrong", WeightProgress: "something is under way",
		WeightAdvice: "it works, and there is something to know"}
	var out []Explanation
	for _, e := range expectations() {
		out = append(out, Explanation{Kind: e.kind, Condition: e.condition, Good: string(e.good), Weight: words[e.weight],
			Hint: e.note, Does: e.does(), By: decidedBy(e.kind, e.condition)})
	}
	for _, m := range meanings() {
		i := slices.IndexFunc(out, func(o Explanation) bool { return o.Kind == m.kind && o.Condition == m.condition })
		if i >= 0 {
			out[i].Means, out[i].Look = m.means, m.look
		}
	}
	for _, k := range knownConditions() {
		e := Explanation{Kind: k.kind, Condition: k.condition, Reason: k.reason, Terminal: k.terminal, Hint: k.hint}
		i := slices.IndexFunc(out, func(o Explanation) bool { return o.Kind == k.kind && o.Condition == k.condition })
		if i >= 0 {
			e.Good, e.Weight, e.Means, e.Look = out[i].Good, out[i].Weight, out[i].Means, out[i].Look
			e.Does, e.By = out[i].Does, out[i].By
		}
		if k.means != "" {
			e.Means = k.means
		}
		if k.terminal {
			e.Does = "Waiting does not help: commands that wait stop at once, with exit code 5. They delete nothing."
		}
		out = append(out, e)
	}
	return out
}

// does says what hcctl does while the condition does not have its good status.
func (e expectation) does() string {
	switch {
	case e.weight == WeightAdvice && e.notInAdvice:
		return "The cluster works with it, and hcctl status warns."
	case e.weight == WeightAdvice:
		return "The cluster works with it: hcctl status warns, and so does hcctl create cluster in the end."
	case e.weight == WeightProgress:
		return "Commands that wait go on, up to --timeout (exit code 4). hcctl status calls it progress, and a failure " +
			"after an hour."
	}
	return "It may pass: commands that wait go on, up to --timeout (exit code 4). hcctl status calls it a failure; " +
		"while the cluster is being created, only after an hour."
}

// decidedBy is the operator that decides a condition. What operators of the control plane decide is copied from the
// HostedControlPlane by the HyperShift operator. A test holds the lists to contracts/hypershift.yaml.
func decidedBy(kind, condition string) string {
	switch {
	case kind != hostedcluster.HostedClusterKind:
	case slices.Contains([]string{string(hyperv1.HostedClusterDegraded), string(hyperv1.EtcdAvailable),
		string(hyperv1.ExternalDNSReachable), string(hyperv1.InfrastructureReady), string(hyperv1.KubeAPIServerAvailable),
		string(hyperv1.ValidHostedControlPlaneConfiguration), string(hyperv1.ValidIDPConfiguration),
		string(hyperv1.ValidReleaseInfo)}, condition):
		return "control-plane-operator"
	case strings.HasPrefix(condition, "ClusterVersion"), slices.Contains([]string{dataPlaneConnection,
		controlPlaneConnection, configOperator, string(hyperv1.ValidKubeVirtInfraNetworkMTU)}, condition):
		return "hosted-cluster-config-operator"
	}
	return "hypershift-operator"
}

// meaning is what the operator looked at when it wrote a condition, and where a person looks first when it does
// not have the good status.
type meaning struct{ kind, condition, means, look string }

// meanings has each condition of expectations once.
//
// Source: the comments and code of HyperShift's API module and operators (v0.1.70 to v0.1.81).
func meanings() []meaning {
	hc := func(t hyperv1.ConditionType, means, look string) meaning {
		return meaning{hostedcluster.HostedClusterKind, string(t), means, look}
	}
	np := func(t, means, look string) meaning { return meaning{hostedcluster.NodePoolKind, t, means, look} }
	const (
		events   = "hcctl events NAME"
		logs     = "hcctl logs NAME control-plane-operator"
		operator = "hcctl logs NAME hypershift-operator"
		status   = "hcctl status NAME"
		machines = "hcctl get nodepools, then hcctl events NAME for the worker VMs"
	)
	return []meaning{
		hc(hyperv1.SupportedHostedCluster, "The operator is configured to create clusters of this kind.",
			"hcctl check --only hypershift"),
		hc(hyperv1.ValidHostedClusterConfiguration, "The fields of the HostedCluster fit each other and this management "+
			"cluster.", "the condition's message, then hcctl check"),
		hc(hyperv1.PlatformCredentialsFound, "The credentials for the infrastructure are there. KubeVirt needs some only "+
			"with another infrastructure cluster (--infra-kubeconfig-file).", events),
		hc(hyperv1.ValidReleaseImage, "The operator could read the release image, and supports its version.",
			"hcctl check --only cluster/pull-secret, then "+operator),
		hc(hyperv1.ValidHostedControlPlaneConfiguration, "The control plane's own operator accepts the configuration.", logs),
		hc(hyperv1.ReconciliationSucceeded, "The operator's last pass over the HostedCluster ended without an error.",
			operator),
		hc(hyperv1.InfrastructureReady, "The load balancers and Routes of the control plane have addresses.",
			"hcctl check --only load-balancer,ingress"),
		hc(hyperv1.EtcdAvailable, "The StatefulSet etcd has as many ready pods as a quorum needs.",
			events+"; then hcctl logs NAME etcd"),
		hc(hyperv1.KubeAPIServerAvailable, "The Deployment kube-apiserver of the control plane is available.",
			"hcctl logs NAME kube-apiserver"),
		hc(hyperv1.IgnitionEndpointAvailable, "The ignition server, from which new nodes get their configuration, has "+
			"replicas.", "hcctl logs NAME ignition-server"),
		hc(hyperv1.HostedClusterAvailable, "The control plane works, and its API server answers at its address.", status),
		hc(hyperv1.HostedClusterDegraded, "A component of the control plane has fewer ready replicas than it wants. This is "+
			"normal while the control plane is created or upgraded.", status),
		hc(controlPlaneConnection, "The nodes of the hosted cluster reach its API server.",
			"hcctl exec NAME -- oc get nodes, and the network between worker VMs and the API server's address"),
		hc(configOperator, "The hosted-cluster-config-operator's last pass over the resources inside of the hosted cluster "+
			"ended without an error.", "hcctl logs NAME hosted-cluster-config-operator"),
		hc(dataPlaneConnection, "The API server reaches the nodes through konnectivity.",
			"hcctl logs NAME konnectivity-agent"),
		hc(hyperv1.ClusterVersionReleaseAccepted, "The cluster version operator of the hosted cluster has accepted the "+
			"release.", "hcctl exec NAME -- oc get clusterversion version -o yaml"),
		hc(hyperv1.ClusterVersionSucceeding, "The cluster version operator of the hosted cluster reports no failure.",
			"hcctl exec NAME -- oc get clusteroperators"),
		hc(hyperv1.ClusterVersionAvailable, "The hosted cluster has had a version rolled out completely.",
			"hcctl exec NAME -- oc get clusteroperators"),
		hc(hyperv1.HostedClusterProgressing, "The operator is changing the control plane.", status),
		hc(hyperv1.ClusterVersionProgressing, "The hosted cluster rolls out a version.",
			"hcctl exec NAME -- oc get clusteroperators"),
		hc(hyperv1.EtcdRecoveryActive, "A job repairs a member of etcd.", "hcctl logs NAME etcd"),
		hc(hyperv1.ValidKubeVirtInfraNetworkMTU, "The management cluster's network carries packets that are large enough "+
			"for the network of the hosted cluster. Smaller ones cost speed.", "hcctl check --only cluster/mtu"),
		hc(hyperv1.KubeVirtNodesLiveMigratable, "Every worker VM can be migrated live to another node. Without that, a "+
			"drained node stops its VMs.", "hcctl check --only storage/live-migration"),
		hc(hyperv1.ClusterVersionUpgradeable, "Nothing in the hosted cluster forbids an upgrade to the next minor version.",
			"hcctl exec NAME -- oc get clusteroperators"),
		hc(hyperv1.ValidIDPConfiguration, "The identity providers of the configuration are valid.",
			"hcctl logs NAME oauth-openshift"),
		hc(validProxy, "The proxy of the configuration is valid.", "the condition's message"),
		hc(infraNetworkPolicyRBAC, "The operator may write network policies in the infrastructure cluster.",
			"the rights in --infra-kubeconfig-file"),
		hc(hyperv1.ValidReleaseInfo, "The release has every image that the operator asks for.", operator),
		hc(hyperv1.ExternalDNSReachable, "The host names of the services resolve.",
			"the DNS records of --external-dns-domain"),
		hc(hyperv1.ReconciliationActive, "The operator works on the cluster; it is not paused.", "hcctl resume cluster NAME"),

		np(hyperv1.NodePoolValidReleaseImageConditionType, "The operator could read the node pool's release image.",
			operator),
		np(hyperv1.NodePoolValidArchPlatform, "The platform has nodes of that architecture.", "hcctl check --only "+
			"cluster/architecture"),
		np(hyperv1.NodePoolSupportedVersionSkewConditionType, "The nodes' version is near enough to the control plane's.",
			"hcctl upgrade nodepool NAME"),
		np(hyperv1.NodePoolValidPlatformImageType, "The release names a disk image for the VMs.", operator),
		np(hyperv1.NodePoolValidPlatformConfigConditionType, "The node pool's platform fields are valid.",
			"the condition's message"),
		np(hyperv1.NodePoolValidMachineTemplateConditionType, "The operator could make the template of the worker VMs.",
			"the annotation hypershift.openshift.io/kubevirt-vm-jsonpatch"),
		np(hyperv1.NodePoolValidMachineConfigConditionType, "The MachineConfigs of the node pool are valid.",
			"the ConfigMaps that spec.config names"),
		np(hyperv1.NodePoolValidTuningConfigConditionType, "The tuning configuration of the node pool is valid.",
			"the ConfigMaps that spec.tuningConfig names"),
		np(hyperv1.NodePoolValidGeneratedPayloadConditionType, "The ignition server could make the nodes' configuration.",
			"hcctl logs NAME ignition-server"),
		np(ignitionEndpointAvailable, "The control plane's ignition server is known to the node pool.",
			"hcctl logs NAME ignition-server"),
		np(hyperv1.NodePoolUpdateManagementEnabledConditionType, "The settings for replacing nodes are valid.",
			"spec.management of the NodePool"),
		np(hyperv1.NodePoolReachedIgnitionEndpoint, "A VM has fetched its configuration from the ignition server.",
			"the way from the VMs to the Routes of the management cluster (*.apps, port 443)"),
		np(hyperv1.NodePoolAllMachinesReadyConditionType, "Every worker VM runs.", machines),
		np(hyperv1.NodePoolAllNodesHealthyConditionType, "Every node is Ready.", "hcctl exec NAME -- oc get nodes"),
		np(hyperv1.NodePoolReadyConditionType, "The node pool has as many ready nodes as it wants.", machines),
		np(hyperv1.NodePoolUpdatingVersionConditionType, "The nodes are being replaced for another version.", machines),
		np(hyperv1.NodePoolUpdatingConfigConditionType, "The nodes are being replaced for another configuration.", machines),
		np(hyperv1.NodePoolUpdatingPlatformMachineTemplateConditionType, "The nodes are being replaced for another machine "+
			"template.", machines),
		np(hyperv1.NodePoolClusterNetworkCIDRConflictType, "A network of the hosted cluster overlaps with the address of a "+
			"machine.", "hcctl check --only cluster/guest-networks"),
		np(hyperv1.NodePoolKubeVirtLiveMigratableType, "Every worker VM of the pool can move to another node while it runs.",
			"hcctl check --only storage/live-migration"),
		np(hyperv1.NodePoolReconciliationActiveConditionType, "The operator works on the node pool; it is not paused.",
			"hcctl resume cluster NAME"),
	}
}
