package hostedcluster

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

var gatesOpen = []row{
	{"SupportedHostedCluster", "True", "AsExpected", ""},
	{"ValidConfiguration", "True", "AsExpected", ""},
	{"ValidReleaseImage", "True", "AsExpected", ""},
}

// The messages are those recorded of the real operators.
func TestAccepted(t *testing.T) {
	const hc = "HostedCluster clusters/plain: "
	for name, tc := range map[string]struct {
		rows []row
		want string
	}{
		"nothing reported": {nil, "pending: " + hc + "the HyperShift operator has not reported anything yet"},
		"registry away": {
			[]row{
				{"SupportedHostedCluster", "True", "AsExpected", ""},
				{"ValidConfiguration", "True", "AsExpected", ""},
				{"ValidReleaseImage", "False", "PayloadArchNotFound", "failed to determine if release image multi-arch: no such host"},
				{"Progressing", "False", "Blocked", "failed to extract release metadata"},
			},
			"pending: " + hc + "ValidReleaseImage False (PayloadArchNotFound): failed to determine if release image multi-arch: no such host",
		},
		"KubeVirt away": {
			[]row{
				{"ReconciliationSucceeded", "False", "ReconciliationError", "configuration is invalid: ..."},
				{"ValidConfiguration", "False", "InvalidConfiguration", "unable to validate OpenShift Virtualization version due to connection error: the server could not find the requested resource"},
			},
			"pending: " + hc + "ValidConfiguration False (InvalidConfiguration): unable to validate OpenShift Virtualization version due to connection error: the server could not find the requested resource",
		},
		"pull secret away": {
			[]row{{"Available", "False", "WaitingForAvailable", `pull secret unavailable: Secret "plain-pull-secret" not found`}},
			"pending: " + hc + `Available False (WaitingForAvailable): pull secret unavailable: Secret "plain-pull-secret" not found`,
		},
		"paused":          {append([]row{{"ReconciliationActive", "False", "ReconciliationPaused", "Reconciliation paused until field removed"}}, gatesOpen...), "pending: " + hc + "ReconciliationActive False (ReconciliationPaused): Reconciliation paused until field removed"},
		"open":            {gatesOpen, "ok: " + hc + "configuration and release image are valid"},
		"half reported":   {gatesOpen[:2], "pending: " + hc + "ValidReleaseImage not reported yet"},
		"older operators": {gatesOpen[1:], "ok: " + hc + "configuration and release image are valid"},
	} {
		t.Run(name, func(t *testing.T) { expect(t, accepted(cluster(tc.rows...)), tc.want) })
	}
}

func TestTerminalCondition(t *testing.T) {
	f, ok := ClusterConditions(cluster(row{"ValidReleaseImage", "False", "InvalidImage", `the latest version supported is: "4.20". Attempting to use: "4.99.0"`})).Terminal()
	if !ok || f.Hint == "" {
		t.Errorf("an unsupported release is waited for: %+v", f)
	}
	expect(t, f, `broken: HostedCluster clusters/plain: ValidReleaseImage False (InvalidImage): the latest version supported is: "4.20". Attempting to use: "4.99.0"`)

	stale := cluster(row{"ValidReleaseImage", "False", "InvalidImage", "old"})
	stale.Generation = 4
	if f, ok := ClusterConditions(stale).Terminal(); ok {
		t.Errorf("a condition of an older generation counts: %+v", f)
	}
	expect(t, accepted(stale), "pending: HostedCluster clusters/plain: ValidReleaseImage False (InvalidImage): old")
	open := cluster(gatesOpen...)
	open.Generation = 4
	expect(t, accepted(open), "pending: HostedCluster clusters/plain: ValidConfiguration not reported yet")
	stale.Status.Conditions[0].ObservedGeneration = 0
	if _, ok := ClusterConditions(stale).Terminal(); !ok {
		t.Error("a condition without a generation does not count")
	}
	if f, ok := ClusterConditions(cluster(row{"EtcdRecoveryActive", "True", "EtcdRecoveryJobFailed", ""})).Terminal(); ok {
		t.Errorf("a condition that is True is terminal: %+v", f)
	}
}

func TestInfrastructureMessageHasNoClockInIt(t *testing.T) {
	f := infrastructure(cluster(row{"InfrastructureReady", "False", "WaitingOnInfrastructureReady",
		"kube-apiserver load balancer is not provisioned; 1m12s since creation.; OAuth service route does not contain valid host; 0s since creation"}))
	expect(t, f, "pending: HostedCluster clusters/plain: InfrastructureReady False (WaitingOnInfrastructureReady): kube-apiserver load balancer is not provisioned; OAuth service route does not contain valid host")
	expect(t, infrastructure(cluster(row{"InfrastructureReady", "True", "AsExpected", "All is well"})), "ok: HostedCluster clusters/plain: load balancer and Routes have addresses")
}

func TestUnknownIsExplainedByWhatTheOperatorStumbledOver(t *testing.T) {
	unknown := row{"InfrastructureReady", "Unknown", "StatusUnknown", "The hosted control plane is not found"}
	stumbled := row{"ReconciliationSucceeded", "False", "ReconciliationError", "failed to reconcile CAPI provider: no image"}
	expect(t, infrastructure(cluster(unknown)), "pending: HostedCluster clusters/plain: InfrastructureReady not reported yet")
	expect(t, infrastructure(cluster(unknown, stumbled)), "pending: HostedCluster clusters/plain: ReconciliationSucceeded False (ReconciliationError): failed to reconcile CAPI provider: no image")
	known := row{"InfrastructureReady", "False", "WaitingOnInfrastructureReady", "kube-apiserver load balancer is not provisioned"}
	expect(t, infrastructure(cluster(known, stumbled)), "pending: HostedCluster clusters/plain: InfrastructureReady False (WaitingOnInfrastructureReady): kube-apiserver load balancer is not provisioned")
}

func TestEtcd(t *testing.T) {
	expect(t, etcd(cluster()), "pending: HostedCluster clusters/plain: EtcdAvailable not reported yet")
	expect(t, etcd(cluster(row{"EtcdAvailable", "False", "EtcdWaitingForQuorum", ""})), "pending: HostedCluster clusters/plain: EtcdAvailable False (EtcdWaitingForQuorum)")
	expect(t, etcd(cluster(row{"EtcdAvailable", "True", "QuorumAvailable", ""})), "ok: HostedCluster clusters/plain: etcd has a quorum")
}

func TestAvailable(t *testing.T) {
	hc := cluster(row{"Available", "False", "KubeconfigWaitingForCreate", "Waiting for hosted control plane kubeconfig to be created"})
	expect(t, Available(hc), "pending: HostedCluster clusters/plain: Available False (KubeconfigWaitingForCreate): Waiting for hosted control plane kubeconfig to be created")
	hc = cluster(row{"Available", "True", "AsExpected", ""})
	expect(t, Available(hc), "pending: HostedCluster clusters/plain: the kubeconfig is not published yet")
	hc.Status.KubeConfig = &corev1.LocalObjectReference{Name: "plain-admin-kubeconfig"}
	expect(t, Available(hc), "ok: HostedCluster clusters/plain: control plane is available")
}

func TestMachines(t *testing.T) {
	waiting := pool(2, 0, row{"AllMachinesReady", "False", "Waiting", "no machines yet"}, row{"IgnitionEndpointAvailable", "False", "IgnitionEndpointMissing", "Ignition endpoint not available, waiting"})
	expect(t, Machines(waiting, nil), "pending: NodePool clusters/plain: 0 of 2 worker VMs ready: IgnitionEndpointAvailable False (IgnitionEndpointMissing): Ignition endpoint not available, waiting")
	expect(t, Machines(pool(2, 0), []kubevirtv1.VirtualMachine{vm("a", true, "Running"), vm("b", false, "Provisioning")}),
		"pending: VirtualMachine clusters-plain/b: 1 of 2 worker VMs ready: Provisioning")
	expect(t, Machines(pool(2, 0), []kubevirtv1.VirtualMachine{vm("a", true, "Running"), vm("b", true, "Running")}), "ok: NodePool clusters/plain: 2 of 2 worker VMs ready")
	other := vm("c", true, "Running")
	other.Labels[hyperv1.NodePoolNameLabel] = "second"
	expect(t, Machines(pool(2, 0), []kubevirtv1.VirtualMachine{vm("a", true, "Running"), other}), "pending: NodePool clusters/plain: 1 of 2 worker VMs ready")
	imageless := pool(2, 1, row{"AllMachinesReady", "False", "DVImagePullFailed", "1 of 2 machines are not ready\nMachine b: DVImagePullFailed: DataVolume b-rhcos import is not running: failed to pull image\n"})
	expect(t, Machines(imageless, []kubevirtv1.VirtualMachine{vm("a", true, "Running"), vm("b", false, "DataVolumeError")}),
		"pending: VirtualMachine clusters-plain/b: 1 of 2 worker VMs ready: DataVolumeError: DVImagePullFailed: DataVolume b-rhcos import is not running: failed to pull image")
	expect(t, Machines(pool(0, 0), nil), "ok: NodePool clusters/plain: 0 of 0 worker VMs ready")
}

func TestNodes(t *testing.T) {
	expect(t, Nodes(pool(2, 1, row{"AllNodesHealthy", "False", "NodeProvisioning", "Machine plain-x: NodeProvisioning"})),
		"pending: NodePool clusters/plain: 1 of 2 nodes joined and ready: AllNodesHealthy False (NodeProvisioning): Machine plain-x: NodeProvisioning")
	expect(t, Nodes(pool(2, 0, row{"AllNodesHealthy", "False", "WaitingForNodeRef", "2 of 2 machines are not healthy\nMachine a: WaitingForNodeRef\n"})),
		"pending: NodePool clusters/plain: 0 of 2 nodes joined and ready: AllNodesHealthy False (WaitingForNodeRef): 2 of 2 machines are not healthy; Machine a: WaitingForNodeRef")
	expect(t, Nodes(pool(2, 2, row{"Ready", "False", "X", "y"})), "pending: NodePool clusters/plain: Ready False (X): y")
	expect(t, Nodes(pool(2, 2, row{"Ready", "True", "", ""}, row{"AllNodesHealthy", "False", "X", "y"})), "pending: NodePool clusters/plain: AllNodesHealthy False (X): y")
	expect(t, Nodes(pool(2, 2, row{"Ready", "True", "", ""}, row{"AllNodesHealthy", "True", "", ""})), "ok: NodePool clusters/plain: 2 of 2 nodes joined and ready")
	expect(t, Nodes(pool(2, 2, row{"Ready", "True", "", ""})), "ok: NodePool clusters/plain: 2 of 2 nodes joined and ready")
	expect(t, Nodes(pool(0, 0)), "ok: NodePool clusters/plain: 0 of 0 nodes joined and ready")
}

func TestRollout(t *testing.T) {
	hc := cluster(row{"ClusterVersionProgressing", "True", "X", "Working towards 4.20.3: 500 of 900 done"}, row{"Available", "True", "AsExpected", ""})
	expect(t, Rollout(hc), "pending: HostedCluster clusters/plain: roll-out: Working towards 4.20.3: 500 of 900 done")
	hc.Status.Version = &hyperv1.ClusterVersionStatus{History: []configv1.UpdateHistory{{State: configv1.PartialUpdate}}}
	expect(t, Rollout(hc), "pending: HostedCluster clusters/plain: roll-out: Working towards 4.20.3: 500 of 900 done")
	hc.Status.Version.History[0] = configv1.UpdateHistory{State: configv1.CompletedUpdate, Version: "4.20.3"}
	expect(t, Rollout(hc), "ok: HostedCluster clusters/plain: 4.20.3 rolled out")
}
