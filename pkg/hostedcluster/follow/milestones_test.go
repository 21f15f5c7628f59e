package follow

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
)

var gatesOpen = []hostedtest.Row{
	{"SupportedHostedCluster", "True", "AsExpected", ""},
	{"ValidConfiguration", "True", "AsExpected", ""},
	{"ValidReleaseImage", "True", "AsExpected", ""},
}

// The messages are those recorded of the real operators.
func TestAccepted(t *testing.T) {
	const hc = "HostedCluster clusters/plain: "
	for name, tc := range map[string]struct {
		rows []hostedtest.Row
		want string
	}{
		"nothing reported": {nil, "pending: " + hc + "the HyperShift operator has not reported anything yet"},
		"registry away": {
			[]hostedtest.Row{
				{"SupportedHostedCluster", "True", "AsExpected", ""},
				{"ValidConfiguration", "True", "AsExpected", ""},
				{"ValidReleaseImage", "False", "PayloadArchNotFound", "failed to determine if release image multi-arch: " +
					"no such host"},
				{"Progressing", "False", "Blocked", "failed to extract release metadata"},
			},
			"pending: " + hc + "ValidReleaseImage False (PayloadArchNotFound): failed to determine if release image " +
				"multi-arch: no such host",
		},
		"KubeVirt away": {
			[]hostedtest.Row{
				{"ReconciliationSucceeded", "False", "ReconciliationError", "configuration is invalid: ..."},
				{"ValidConfiguration", "False", "InvalidConfiguration", "unable to validate OpenShift Virtualization version " +
					"due to connection error: the server could not find the requested resource"},
			},
			"pending: " + hc + "ValidConfiguration False (InvalidConfiguration): unable to validate OpenShift Virtualization " +
				"version due to connection error: the server could not find the requested resource",
		},
		"pull secret away": {
			[]hostedtest.Row{{"Available", "False", "WaitingForAvailable", `pull secret unavailable: Secret ` +
				`"plain-pull-secret" not found`}},
			"pending: " + hc + `Available False (WaitingForAvailable): pull secret unavailable: Secret ` +
				`"plain-pull-secret" not found`,
		},
		"paused": {append([]hostedtest.Row{{"ReconciliationActive", "False", "ReconciliationPaused",
			"Reconciliation paused until field removed"}}, gatesOpen...), "pending: " + hc +
			"ReconciliationActive False (ReconciliationPaused): Reconciliation paused until field removed"},
		"open":            {gatesOpen, "ok: " + hc + "configuration and release image are valid"},
		"half reported":   {gatesOpen[:2], "pending: " + hc + "ValidReleaseImage not reported yet"},
		"older operators": {gatesOpen[1:], "ok: " + hc + "configuration and release image are valid"},
	} {
		t.Run(name, func(t *testing.T) { hostedtest.Expect(t, accepted(hostedtest.Cluster(tc.rows...)), tc.want) })
	}
}

func TestTerminalCondition(t *testing.T) {
	f, ok := conditions.OfCluster(
		hostedtest.Cluster(
			hostedtest.Row{
				"ValidReleaseImage",
				"False",
				"InvalidImage",
				`the latest version supported is: "4.20". Attempting to use: "4.99.0"`,
			},
		),
	).Terminal()
	if !ok || f.Hint.String() == "" {
		t.Errorf("an unsupported release is waited for: %+v", f)
	}
	hostedtest.Expect(
		t,
		f,
		`broken: HostedCluster clusters/plain: ValidReleaseImage False (InvalidImage): the latest version supported is: `+
			`"4.20". Attempting to use: "4.99.0"`,
	)

	stale := hostedtest.Cluster(hostedtest.Row{"ValidReleaseImage", "False", "InvalidImage", "old"})
	stale.Generation = 4
	if f, ok := conditions.OfCluster(stale).Terminal(); ok {
		t.Errorf("a condition of an older generation counts: %+v", f)
	}
	hostedtest.Expect(
		t,
		accepted(stale),
		"pending: HostedCluster clusters/plain: ValidReleaseImage False (InvalidImage): old (of before "+
			"the newest change, which its operator has not processed)",
	)
	open := hostedtest.Cluster(gatesOpen...)
	open.Generation = 4
	hostedtest.Expect(t, accepted(open), "pending: HostedCluster clusters/plain: ValidConfiguration True (AsExpected) "+
		"(of before the newest change, which its operator has not processed)")
	stale.Status.Conditions[0].ObservedGeneration = 0
	if _, ok := conditions.OfCluster(stale).Terminal(); !ok {
		t.Error("a condition without a generation does not count")
	}
	if f, ok := conditions.OfCluster(
		hostedtest.Cluster(hostedtest.Row{"EtcdRecoveryActive", "True", "EtcdRecoveryJobFailed", ""}),
	).Terminal(); ok {
		t.Errorf("a condition that is True is terminal: %+v", f)
	}
}

func TestInfrastructureMessageHasNoClockInIt(t *testing.T) {
	f := infrastructure(hostedtest.Cluster(hostedtest.Row{
		"InfrastructureReady",
		"False",
		"WaitingOnInfrastructureReady",
		"kube-apiserver load balancer is not provisioned; 1m12s since creation.; OAuth service route does not contain " +
			"valid host; 0s since creation",
	}))
	hostedtest.Expect(
		t,
		f,
		"pending: HostedCluster clusters/plain: InfrastructureReady False (WaitingOnInfrastructureReady): kube-apiserver "+
			"load balancer is not provisioned; OAuth service route does not contain valid host",
	)
	hostedtest.Expect(
		t,
		infrastructure(hostedtest.Cluster(hostedtest.Row{"InfrastructureReady", "True", "AsExpected", "All is well"})),
		"ok: HostedCluster clusters/plain: load balancer and Routes have addresses",
	)
}

func TestUnknownIsExplainedByWhatTheOperatorStumbledOver(t *testing.T) {
	unknown := hostedtest.Row{"InfrastructureReady", "Unknown", "StatusUnknown", "The hosted control plane is not found"}
	stumbled := hostedtest.Row{
		"ReconciliationSucceeded",
		"False",
		"ReconciliationError",
		"failed to reconcile CAPI provider: no image",
	}
	hostedtest.Expect(
		t,
		infrastructure(hostedtest.Cluster(unknown)),
		"pending: HostedCluster clusters/plain: InfrastructureReady not reported yet",
	)
	hostedtest.Expect(
		t,
		infrastructure(hostedtest.Cluster(unknown, stumbled)),
		"pending: HostedCluster clusters/plain: ReconciliationSucceeded False (ReconciliationError): failed to reconcile "+
			"CAPI provider: no image",
	)
	known := hostedtest.Row{
		"InfrastructureReady",
		"False",
		"WaitingOnInfrastructureReady",
		"kube-apiserver load balancer is not provisioned",
	}
	hostedtest.Expect(
		t,
		infrastructure(hostedtest.Cluster(known, stumbled)),
		"pending: HostedCluster clusters/plain: InfrastructureReady False (WaitingOnInfrastructureReady): kube-apiserver "+
			"load balancer is not provisioned",
	)
}

func TestEtcd(t *testing.T) {
	hostedtest.Expect(t, etcd(hostedtest.Cluster()), "pending: HostedCluster clusters/plain: EtcdAvailable not reported yet")
	hostedtest.Expect(
		t,
		etcd(hostedtest.Cluster(hostedtest.Row{"EtcdAvailable", "False", "EtcdWaitingForQuorum", ""})),
		"pending: HostedCluster clusters/plain: EtcdAvailable False (EtcdWaitingForQuorum)",
	)
	hostedtest.Expect(
		t,
		etcd(hostedtest.Cluster(hostedtest.Row{"EtcdAvailable", "True", "QuorumAvailable", ""})),
		"ok: HostedCluster clusters/plain: etcd has a quorum",
	)
}

func TestAvailable(t *testing.T) {
	hc := hostedtest.Cluster(
		hostedtest.Row{
			"Available",
			"False",
			"KubeconfigWaitingForCreate",
			"Waiting for hosted control plane kubeconfig to be created",
		},
	)
	hostedtest.Expect(
		t,
		Available(hc),
		"pending: HostedCluster clusters/plain: Available False (KubeconfigWaitingForCreate): Waiting for hosted control "+
			"plane kubeconfig to be created",
	)
	hc = hostedtest.Cluster(hostedtest.Row{"Available", "True", "AsExpected", ""})
	hostedtest.Expect(t, Available(hc), "pending: HostedCluster clusters/plain: the kubeconfig is not published yet")
	hc.Status.KubeConfig = &corev1.LocalObjectReference{Name: "plain-admin-kubeconfig"}
	hostedtest.Expect(t, Available(hc), "ok: HostedCluster clusters/plain: control plane is available")
}

func TestMachines(t *testing.T) {
	waiting := hostedtest.Pool(
		2,
		0,
		hostedtest.Row{"AllMachinesReady", "False", "Waiting", "no machines yet"},
		hostedtest.Row{
			"IgnitionEndpointAvailable",
			"False",
			"IgnitionEndpointMissing",
			"Ignition endpoint not available, waiting",
		},
	)
	hostedtest.Expect(
		t,
		Machines(waiting, nil),
		"pending: NodePool clusters/plain: 0 of 2 worker VMs ready: IgnitionEndpointAvailable False "+
			"(IgnitionEndpointMissing): Ignition endpoint not available, waiting",
	)
	hostedtest.Expect(
		t,
		Machines(
			hostedtest.Pool(2, 0),
			[]kubevirtv1.VirtualMachine{hostedtest.VM("a", true, "Running"), hostedtest.VM("b", false, "Provisioning")},
		),
		"pending: VirtualMachine clusters-plain/b: 1 of 2 worker VMs ready: Provisioning",
	)
	hostedtest.Expect(
		t,
		Machines(
			hostedtest.Pool(2, 0),
			[]kubevirtv1.VirtualMachine{hostedtest.VM("a", true, "Running"), hostedtest.VM("b", true, "Running")},
		),
		"ok: NodePool clusters/plain: 2 of 2 worker VMs ready",
	)
	other := hostedtest.VM("c", true, "Running")
	other.Labels[hyperv1.NodePoolNameLabel] = "second"
	hostedtest.Expect(
		t,
		Machines(hostedtest.Pool(2, 0), []kubevirtv1.VirtualMachine{hostedtest.VM("a", true, "Running"), other}),
		"pending: NodePool clusters/plain: 1 of 2 worker VMs ready",
	)
	imageless := hostedtest.Pool(
		2,
		1,
		hostedtest.Row{
			"AllMachinesReady",
			"False",
			"DVImagePullFailed",
			"1 of 2 machines are not ready\nMachine b: DVImagePullFailed: DataVolume b-rhcos import is not running: failed " +
				"to pull image\n",
		},
	)
	hostedtest.Expect(
		t,
		Machines(
			imageless,
			[]kubevirtv1.VirtualMachine{hostedtest.VM("a", true, "Running"), hostedtest.VM("b", false, "DataVolumeError")},
		),
		"pending: VirtualMachine clusters-plain/b: 1 of 2 worker VMs ready: DataVolumeError: DVImagePullFailed: "+
			"DataVolume b-rhcos import is not running: failed to pull image",
	)
	hostedtest.Expect(t, Machines(hostedtest.Pool(0, 0), nil), "ok: NodePool clusters/plain: 0 of 0 worker VMs ready")
}

// A VM is not blamed for what the operator says of the machines after it.
func TestOneMachineOfSeveral(t *testing.T) {
	np := hostedtest.Pool(2, 0, hostedtest.Row{"AllMachinesReady", "False", "DVImagePullFailed",
		"2 of 2 machines are not ready\n" +
			"Machine b: DVImagePullFailed: failed to pull image\nMachine c: WaitingForClusterInfrastructure\n"})
	for name, want := range map[string]string{
		"b": "DataVolumeError: DVImagePullFailed: failed to pull image",
		"c": "DataVolumeError: WaitingForClusterInfrastructure",
		"d": "DataVolumeError",
	} {
		vm := hostedtest.VM(name, false, kubevirtv1.VirtualMachineStatusDataVolumeError)
		if got := MachineState(&vm, np); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	np.Generation, np.Status.Conditions[0].ObservedGeneration = 4, 3
	vm := hostedtest.VM("b", false, kubevirtv1.VirtualMachineStatusDataVolumeError)
	if got := MachineState(&vm, np); got != "DataVolumeError" {
		t.Errorf("of before the newest change: %q", got)
	}
}

func TestNodes(t *testing.T) {
	hostedtest.Expect(
		t,
		Nodes(
			hostedtest.Pool(2, 1, hostedtest.Row{"AllNodesHealthy", "False", "NodeProvisioning", "Machine plain-x: NodeProvisioning"}),
		),
		"pending: NodePool clusters/plain: 1 of 2 nodes joined and ready: AllNodesHealthy False (NodeProvisioning): "+
			"Machine plain-x: NodeProvisioning",
	)
	hostedtest.Expect(
		t,
		Nodes(
			hostedtest.Pool(
				2,
				0,
				hostedtest.Row{
					"AllNodesHealthy",
					"False",
					"WaitingForNodeRef",
					"2 of 2 machines are not healthy\nMachine a: WaitingForNodeRef\n",
				},
			),
		),
		"pending: NodePool clusters/plain: 0 of 2 nodes joined and ready: AllNodesHealthy False (WaitingForNodeRef): 2 of "+
			"2 machines are not healthy; Machine a: WaitingForNodeRef",
	)
	hostedtest.Expect(
		t,
		Nodes(hostedtest.Pool(2, 2, hostedtest.Row{"Ready", "False", "X", "y"})),
		"pending: NodePool clusters/plain: Ready False (X): y",
	)
	hostedtest.Expect(
		t,
		Nodes(hostedtest.Pool(2, 2, hostedtest.Row{"Ready", "True", "", ""}, hostedtest.Row{"AllNodesHealthy", "False", "X", "y"})),
		"pending: NodePool clusters/plain: AllNodesHealthy False (X): y",
	)
	hostedtest.Expect(
		t,
		Nodes(hostedtest.Pool(2, 2, hostedtest.Row{"Ready", "True", "", ""}, hostedtest.Row{"AllNodesHealthy", "True", "", ""})),
		"ok: NodePool clusters/plain: 2 of 2 nodes joined and ready",
	)
	hostedtest.Expect(
		t,
		Nodes(hostedtest.Pool(2, 2, hostedtest.Row{"Ready", "True", "", ""})),
		"ok: NodePool clusters/plain: 2 of 2 nodes joined and ready",
	)
	hostedtest.Expect(t, Nodes(hostedtest.Pool(0, 0)), "ok: NodePool clusters/plain: 0 of 0 nodes joined and ready")
}

func TestRollout(t *testing.T) {
	hc := hostedtest.Cluster(
		hostedtest.Row{"ClusterVersionProgressing", "True", "X", "Working towards 4.20.3: 500 of 900 done"},
		hostedtest.Row{"Available", "True", "AsExpected", ""},
	)
	hostedtest.Expect(
		t,
		Rollout(hc),
		"pending: HostedCluster clusters/plain: roll-out: Working towards 4.20.3: 500 of 900 done",
	)
	hc.Status.Version = &hyperv1.ClusterVersionStatus{History: []configv1.UpdateHistory{{State: configv1.PartialUpdate}}}
	hostedtest.Expect(
		t,
		Rollout(hc),
		"pending: HostedCluster clusters/plain: roll-out: Working towards 4.20.3: 500 of 900 done",
	)
	hc.Status.Version.History[0] = configv1.UpdateHistory{State: configv1.CompletedUpdate, Version: "4.20.3"}
	hostedtest.Expect(t, Rollout(hc), "ok: HostedCluster clusters/plain: 4.20.3 rolled out")
}

// TestIgnitionIsTroubleOnceAVMRuns: trouble ends a wait after --trouble-timeout, and before that no VM can have asked.
func TestIgnitionIsTroubleOnceAVMRuns(t *testing.T) {
	for _, status := range []string{"True", "False"} {
		np := hostedtest.Pool(2, 0, hostedtest.Row{hyperv1.NodePoolReachedIgnitionEndpoint, "False", hyperv1.IgnitionNotReached, ""},
			hostedtest.Row{hyperv1.NodePoolAllMachinesReadyConditionType, status, "", ""})
		if f := Nodes(np); f.Trouble != (status == "True") {
			t.Errorf("machines ready %s: trouble %t", status, f.Trouble)
		}
	}
}
