package follow

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestParseGoals(t *testing.T) {
	for text, want := range map[string]any{
		"api":                      Goal{Name: "api"},
		"version=4.20.4":           Goal{Name: "version", Version: "4.20.4"},
		"condition=Available":      Goal{Name: "condition", Condition: "Available", Status: "True"},
		"condition=Degraded=false": Goal{Name: "condition", Condition: "Degraded", Status: "False"},
		"condition=Degraded=no":    `--for "condition=Degraded=no": a condition's status is True, False or Unknown, not "no"`,
		"condition=":               `--for "condition=": "" is not a type of condition; write it like condition=Available`,
		"version=newest":           `--for "version=newest": "newest" is not a version; write it like version=4.20.3`,
		"version": `--for "version": must be one of api, nodes, complete, healthy, deleted, version=VERSION, ` +
			`condition=TYPE[=STATUS]`,
		"api=yes": `--for "api=yes": must be one of api, nodes, complete, healthy, deleted, version=VERSION, ` +
			`condition=TYPE[=STATUS]`,
		"replicas=3": `--for "replicas=3": must be one of api, nodes, complete, healthy, deleted, version=VERSION, ` +
			`condition=TYPE[=STATUS]`,
	} {
		goals, err := ParseClusterGoals(text)
		var got any = ""
		var flag *options.Error
		switch {
		case errors.As(err, &flag):
			got = optionstest.Flagged(err).Error()
		case len(goals) == 1:
			got = goals[0]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	if _, err := ParseClusterGoals("deleted", "api"); err == nil {
		t.Error("deleted and api at once must be refused")
	}
	if goals, err := ParsePoolGoals("replicas=0", "ready"); err != nil || len(goals) != 2 || goals[0].Replicas != 0 {
		t.Errorf("pool goals: %v, %v", goals, err)
	}
	if _, err := ParsePoolGoals("replicas=-1"); err == nil {
		t.Error("a negative number of nodes must be refused")
	}
}

func TestUntilIsAGraph(t *testing.T) {
	goals, err := ParseClusterGoals("nodes", "api", "version=4.20.3", "condition=Available", "condition=Available=True")
	if err != nil {
		t.Fatal(err)
	}
	var got []step.ID
	steps := New(nil, "clusters", "kv-00").GoalSteps(goals)
	for _, s := range steps {
		got = append(got, s.ID)
	}
	want := []step.ID{
		"cluster/accepted",
		"cluster/infrastructure",
		"cluster/etcd",
		"cluster/api",
		"cluster/machines",
		"hosted/nodes",
		"cluster/advice",
		"wait/version-4.20.3",
		"wait/condition-Available-True",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := step.New(steps...); err != nil {
		t.Error(err)
	}
}

func TestAtVersion(t *testing.T) {
	hc := hostedtest.Cluster()
	w := hostedtest.NewWorld(t)
	at := func(version string) step.Finding { return atVersion(t.Context(), w.Client, hc, version) }
	hostedtest.Expect(t, at("4.20.3"), "pending: HostedCluster clusters/plain: no version yet")
	history := func(entries ...configv1.UpdateHistory) {
		hc.Status.Version = &hyperv1.ClusterVersionStatus{History: entries}
	}
	history(configv1.UpdateHistory{Version: "4.20.3", State: configv1.CompletedUpdate})
	hostedtest.Expect(t, at("4.20.3"), "ok: HostedCluster clusters/plain: 4.20.3 completed")
	hostedtest.Expect(t, at("4.20.4"), "pending: HostedCluster clusters/plain: is at 4.20.3")
	// It was at 4.20.3 and has left it: not there any more.
	history(
		configv1.UpdateHistory{Version: "4.20.4", State: configv1.PartialUpdate},
		configv1.UpdateHistory{Version: "4.20.3", State: configv1.CompletedUpdate},
	)
	hostedtest.Expect(t, at("4.20.3"), "pending: HostedCluster clusters/plain: on its way to 4.20.4")
	hostedtest.Expect(
		t,
		at("4.20.4"),
		"pending: HostedCluster clusters/plain: on its way to 4.20.4; the hosted cluster's operators are rolling out",
	)
	// The components of the control plane come first, where the operator tells (HyperShift 4.22 and later).
	history(configv1.UpdateHistory{Version: "4.20.3", State: configv1.CompletedUpdate})
	for state, want := range map[string]string{
		"Partial":   "is at 4.20.3; the components of its control plane are rolled out to 4.20.4",
		"Completed": "is at 4.20.3; all components of its control plane are at 4.20.4",
	} {
		w.Set("HostedCluster", hostedtest.Object{
			"metadata": hostedtest.Object{"namespace": hc.Namespace, "name": hc.Name},
			"status": hostedtest.Object{"controlPlaneVersion": hostedtest.Object{
				"desired": hostedtest.Object{"version": "4.20.4", "image": "r@sha256:4"},
				"history": []any{hostedtest.Object{"version": "4.20.4", "state": state}},
			}},
		})
		hostedtest.Expect(t, at("4.20.4"), "pending: HostedCluster clusters/plain: "+want)
		hostedtest.Expect(t, at("4.20.5"), "pending: HostedCluster clusters/plain: is at 4.20.3")
	}
}

func TestOperatorsNotReady(t *testing.T) {
	co := func(name string, conditions ...configv1.ClusterOperatorStatusCondition) configv1.ClusterOperator {
		return configv1.ClusterOperator{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Status:     configv1.ClusterOperatorStatus{Conditions: conditions},
		}
	}
	is := func(of configv1.ClusterStatusConditionType, status configv1.ConditionStatus,
		message string) configv1.ClusterOperatorStatusCondition {
		return configv1.ClusterOperatorStatusCondition{Type: of, Status: status, Message: message, Reason: "Why"}
	}
	got := OperatorsNotReady([]configv1.ClusterOperator{
		co(
			"dns",
			is(configv1.OperatorAvailable, configv1.ConditionTrue, ""),
			is(configv1.OperatorProgressing, configv1.ConditionTrue, "2 of 3\nup"),
		),
		co("console", is(configv1.OperatorAvailable, configv1.ConditionFalse, "no route")),
		co(
			"fine",
			is(configv1.OperatorAvailable, configv1.ConditionTrue, ""),
			is(configv1.OperatorDegraded, configv1.ConditionFalse, ""),
		),
		co(
			"ingress",
			is(configv1.OperatorDegraded, configv1.ConditionTrue, ""),
			is(configv1.OperatorAvailable, configv1.ConditionFalse, "x"),
		),
		co("new"),
	})
	want := []string{"ingress: Why", "console: no route", "new: no status yet", "dns: 2 of 3; up"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestVMState(t *testing.T) {
	v := hostedtest.VM("a", false, kubevirtv1.VirtualMachineStatusUnschedulable)
	v.Status.Conditions = []kubevirtv1.VirtualMachineCondition{
		{Type: kubevirtv1.VirtualMachineReady, Status: corev1.ConditionFalse, Message: "Guest VM is not reported as running"},
		{
			Type:    kubevirtv1.VirtualMachineConditionType(corev1.PodScheduled),
			Status:  corev1.ConditionFalse,
			Reason:  "Unschedulable",
			Message: "0/3 nodes are available: 3 Insufficient memory.",
		},
	}
	if got, want := VMState(
		&v,
	), "ErrorUnschedulable: Unschedulable: 0/3 nodes are available: 3 Insufficient memory."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// Of two that are not ready, the one in trouble is told.
	hostedtest.Expect(
		t,
		Machines(hostedtest.Pool(2, 0), []kubevirtv1.VirtualMachine{hostedtest.VM("b", false, "Starting"), v}),
		"pending: VirtualMachine clusters-plain/a: 0 of 2 worker VMs ready: ErrorUnschedulable: Unschedulable: 0/3 nodes "+
			"are available: 3 Insufficient memory.",
	)
}

func TestVMStateWithoutTrouble(t *testing.T) {
	for want, tc := range map[string]struct {
		status  kubevirtv1.VirtualMachinePrintableStatus
		message string
	}{
		"not started":  {"", ""},
		"Provisioning": {kubevirtv1.VirtualMachineStatusProvisioning, ""},
		"Running: Guest VM is not reported as running; wait": {kubevirtv1.VirtualMachineStatusRunning,
			"Guest VM is not reported as running\nwait"},
	} {
		v := hostedtest.VM("a", false, tc.status)
		v.Status.Conditions = []kubevirtv1.VirtualMachineCondition{
			{Type: "Initialized", Message: "not about its start"},
			{Type: kubevirtv1.VirtualMachineReady, Status: corev1.ConditionFalse, Message: tc.message},
		}
		if got := VMState(&v); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSeveralPools(t *testing.T) {
	np := func(name string, want, have int, conditions ...any) hostedtest.Object {
		return hostedtest.Object{
			"metadata": hostedtest.MetaOf("clusters", name, nil),
			"spec":     hostedtest.Object{"clusterName": "kv-00", "replicas": want},
			"status":   hostedtest.Object{"replicas": have, "conditions": conditions},
		}
	}
	ready := hostedtest.Object{"type": "Ready", "status": "True"}
	other := hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters", "other", nil),
		"spec":     hostedtest.Object{"clusterName": "kv-01", "replicas": 9},
	}
	world := map[string]any{hostedtest.PoolsPath: hostedtest.Items(np("a", 2, 2, ready), np("b", 3, 1), other)}
	expectNodes(t, New(hostedtest.ReadOnly(t, world), "clusters", "kv-00"),
		"pending: NodePool clusters/b: 3 of 5 nodes joined and ready in all; 1 of 3 nodes joined and ready")
	expectNodes(t, New(hostedtest.ReadOnly(t, world), "clusters", "kv-00", "a"),
		"ok: NodePool clusters/a: 2 of 2 nodes joined and ready")
	expectNodes(t, New(hostedtest.ReadOnly(t, world), "clusters", "kv-00", "c"),
		"broken: NodePool clusters/c: deleted while hcctl waited for it")
	final := map[string]any{
		hostedtest.PoolsPath: hostedtest.Items(
			np("a", 2, 2, ready),
			np(
				"b",
				3,
				1,
				hostedtest.Object{
					"type":    "ValidMachineTemplate",
					"status":  "False",
					"reason":  "InvalidKubevirtMachineTemplate",
					"message": "no",
				},
			),
		),
	}
	expectNodes(t, New(hostedtest.ReadOnly(t, final), "clusters", "kv-00"),
		"broken: NodePool clusters/b: ValidMachineTemplate False (InvalidKubevirtMachineTemplate): no")
}

// Workers of a hosted cluster whose VMs are on another cluster are followed by their nodes alone: none of its VMs will
// ever be seen here.
func TestMachinesElsewhere(t *testing.T) {
	elsewhere := hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters", "kv-00", nil),
		"spec": hostedtest.Object{
			"platform": hostedtest.Object{"kubevirt": hostedtest.Object{"credentials": hostedtest.Object{"infraNamespace": "infra"}}},
		},
	}
	np := hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters", "workers", nil),
		"spec":     hostedtest.Object{"clusterName": "kv-00", "replicas": 2},
		"status":   hostedtest.Object{"replicas": 2, "conditions": []any{hostedtest.Object{"type": "Ready", "status": "True"}}},
	}
	world := map[string]any{
		hostedtest.ClustersPath + "/kv-00": elsewhere, hostedtest.PoolsPath: hostedtest.Items(np), hostedtest.PoolsPath + "/workers": np,
		"/apis/kubevirt.io/v1/namespaces/clusters-kv-00/virtualmachines": hostedtest.Items(),
	}
	f := New(hostedtest.ReadOnly(t, world), "clusters", "kv-00")
	hostedtest.Expect(
		t,
		f.withHostedCluster(f.machinesReady)(t.Context(), f.client),
		"ok: HostedCluster clusters/kv-00: its VMs run on another cluster: they are not judged",
	)
	ready := PoolGoalSteps(hostedtest.ReadOnly(t, world), "clusters", "workers", []Goal{{Name: "ready"}})[0]
	hostedtest.Expect(t, ready.Check(t.Context(), nil), "ok: NodePool clusters/workers: 2 of 2 nodes joined and ready")
}

// Nothing waits for the machines of a platform that hcctl does not judge, nor for nodes that HyperShift does not count.
func TestMachinesOfOtherPlatforms(t *testing.T) {
	np := hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters", "workers", nil), "spec": hostedtest.Object{"clusterName": "kv-00", "replicas": 2},
		"status": hostedtest.Object{"replicas": 1},
	}
	for platform, nodes := range map[string]string{
		"None":  "ok: HostedCluster clusters/kv-00: platform None: its machines are not judged",
		"Agent": "pending: NodePool clusters/workers: 1 of 2 nodes joined and ready",
	} {
		hc := hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", "kv-00", nil),
			"spec": hostedtest.Object{"platform": hostedtest.Object{"type": platform}}, "status": hostedtest.Object{}}
		world := map[string]any{hostedtest.ClustersPath + "/kv-00": hc, hostedtest.PoolsPath: hostedtest.Items(np),
			hostedtest.PoolsPath + "/workers": np}
		f := New(hostedtest.ReadOnly(t, world), "clusters", "kv-00")
		hostedtest.Expect(t, f.withHostedCluster(f.machinesReady)(t.Context(), f.client),
			"ok: HostedCluster clusters/kv-00: platform "+platform+": its machines are not judged")
		hostedtest.Expect(t, f.withHostedCluster(f.nodesReady)(t.Context(), f.client), nodes)
		ready := PoolGoalSteps(f.client, "clusters", "workers", []Goal{{Name: "ready"}})[0].Check(t.Context(), nil)
		if (ready.State == step.StateOK) != (platform == "None") || strings.Contains(ready.Message, "VM") {
			t.Errorf("%s: wait nodepool: %s %s", platform, ready.State, ready.Message)
		}
		of := &hyperv1.HostedCluster{}
		of.Spec.Platform.Type = hyperv1.PlatformType(platform)
		for _, m := range MilestoneTimes(of, nil) {
			if platform == "None" && (m.Name == "machines" || m.Name == "nodes") {
				t.Errorf("%s: milestone %s is never reached", platform, m.Name)
			}
		}
	}
}

// The command lines in hints are about the very cluster, in whatever namespace it is.
func TestHintsNameTheNamespace(t *testing.T) {
	hc := hostedtest.Cluster(hostedtest.Row{"ValidReleaseImage", "False", "InvalidImage", ""})
	hc.Namespace = "other"
	if f, over := conditions.OfCluster(
		hc,
	).Terminal(); !over ||
		!strings.Contains(f.Hint.String(), "hcctl delete cluster plain --namespace other,") {
		t.Errorf("%t %q", over, f.Hint.String())
	}
	np := hostedtest.Pool(2, 1)
	np.Namespace = "other"
	if f := atReplicas(np, 3); f.Hint.String() != "hcctl scale plain --namespace other --replicas 3" {
		t.Errorf("%q", f.Hint.String())
	}
}

func expectNodes(t *testing.T, f *Cluster, want string) {
	t.Helper()
	hostedtest.Expect(t, f.nodesReady(t.Context(), f.client, &hyperv1.HostedCluster{}), want)
}
