package follow

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// goalSteps are the steps that wait for goals of the hosted cluster.
func (m *management) goalSteps(t *testing.T, goals ...string) []step.Step {
	t.Helper()
	parsed, err := ParseClusterGoals(goals...)
	if err != nil {
		t.Fatal(err)
	}
	return New(m.Client, "clusters", "kv-00").GoalSteps(parsed)
}

// poolGoalSteps are the steps that wait for goals of the NodePool.
func (m *management) poolGoalSteps(t *testing.T, goals ...string) []step.Step {
	t.Helper()
	parsed, err := ParsePoolGoals(goals...)
	if err != nil {
		t.Fatal(err)
	}
	return PoolGoalSteps(m.Client, "clusters", "kv-00", parsed)
}

func TestGoalsBecomeSteps(t *testing.T) {
	const api = "cluster/accepted cluster/infrastructure cluster/etcd cluster/api"
	m := manage(t)
	for name, tc := range map[string]struct {
		steps []step.Step
		want  string
	}{
		"deleted": {m.goalSteps(t, "deleted"), "wait/deleted"},
		"api":     {m.goalSteps(t, "api"), api},
		"the farthest of several": {m.goalSteps(t, "nodes", "api"),
			api + " cluster/machines hosted/nodes cluster/advice"},
		"complete": {m.goalSteps(t, "complete"), api + " cluster/machines hosted/nodes cluster/rollout cluster/advice cluster/healthy"},
		"healthy": {m.goalSteps(t, "healthy"), api +
			" cluster/machines hosted/nodes cluster/rollout cluster/healthy cluster/advice"},
		"twice": {m.goalSteps(t, "version=4.20.3", "version=4.20.3"), "wait/version-4.20.3"},
		"of a pool": {m.poolGoalSteps(t, "ready", "replicas=3", "version=4.20.3", "condition=Ready=false", "replicas=3"),
			"wait/ready wait/replicas-3 wait/version-4.20.3 wait/condition-Ready-False"},
		"a pool deleted": {m.poolGoalSteps(t, "deleted"), "wait/deleted"},
	} {
		if got := steptest.IDs(tc.steps); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
		if _, err := step.New(tc.steps...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGoalsAreWrittenAsTheyAreRead(t *testing.T) {
	for _, text := range []string{"api", "nodes", "complete", "deleted", "version=4.20.3", "condition=Available=True",
		"condition=Degraded=False"} {
		if goals, err := ParseClusterGoals(text); err != nil || goals[0].String() != text {
			t.Errorf("%s became %v, %v", text, goals, err)
		}
	}
	for _, text := range []string{"ready", "replicas=0", "replicas=12"} {
		if goals, err := ParsePoolGoals(text); err != nil || goals[0].String() != text {
			t.Errorf("%s became %v, %v", text, goals, err)
		}
	}
	for _, texts := range [][]string{{}, {"replicas=x"}, {"deleted", "ready"}, {"ready", "deleted"}} {
		if goals, err := ParsePoolGoals(texts...); err == nil {
			t.Errorf("%q became %v", texts, goals)
		}
	}
	if goals, err := ParsePoolGoals("deleted"); err != nil || len(goals) != 1 {
		t.Errorf("%v, %v", goals, err)
	}
}

func TestWaitingForTheDeletionOfACluster(t *testing.T) {
	m := manage(t)
	wait := func() []step.Step { return m.goalSteps(t, "deleted") }
	expect(t, wait(), "wait/deleted", step.StatePending, "still there, and nobody has asked for its deletion",
		"HostedCluster clusters/kv-00", "hcctl delete cluster kv-00 --namespace clusters")
	m = manage(t, goes)
	f := expect(t, wait(), "wait/deleted", step.StatePending, "being deleted")
	if f.Message != "being deleted: all else of it is gone" {
		t.Errorf("%q", f.Message)
	}
	m = manage(t, goes, condition(hostedtest.Row{"CloudResourcesDestroyed", "False", "RemainingCloudResources",
		"Remaining resources: loadbalancers"}))
	expect(t, wait(), "wait/deleted", step.StatePending,
		"being deleted: CloudResourcesDestroyed False (RemainingCloudResources): Remaining resources: loadbalancers")
	m.Forbid("get " + hostedClusterPath)
	expect(t, wait(), "wait/deleted", step.StateUnknown, "not allowed", "HostedCluster clusters/kv-00")
	m.Allow()
	m.Of("HostedCluster").Delete("clusters", "kv-00")
	expect(t, wait(), "wait/deleted", step.StateOK, "gone", "HostedCluster clusters/kv-00")
}

func TestWaitingForAVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		versions []string
		state    step.State
		words    []string
	}{
		"reached": {[]string{"4.20.3", "4.20.2"}, step.StateOK, []string{"4.20.3 completed"}},
		"under way": {[]string{"4.20.3?", "4.20.2"}, step.StatePending,
			[]string{"on its way to 4.20.3; the hosted cluster's operators are rolling out"}},
		"at another": {[]string{"4.20.2"}, step.StatePending,
			[]string{"is at 4.20.2", "hcctl upgrade cluster kv-00 lists"}},
		"on the way to another": {[]string{"4.20.4?", "4.20.3"}, step.StatePending, []string{"on its way to 4.20.4"}},
		"none":                  {nil, step.StatePending, []string{"no version yet"}},
	} {
		m := manage(t, history(tc.versions...))
		f := expect(t, m.goalSteps(t, "version=4.20.3"), "wait/version-4.20.3", tc.state, tc.words...)
		if f.Object != "HostedCluster clusters/kv-00" {
			t.Errorf("%s: %s", name, f.Object)
		}
	}
}

func TestWaitingForACondition(t *testing.T) {
	final := hostedtest.Row{"ValidReleaseImage", "False", "InvalidImage", "no such release"}
	m := manage(t, condition(hostedtest.Row{"Degraded", "True", "Bad", "an operator is degraded"}))
	expect(t, m.goalSteps(t, "condition=Available"), "wait/condition-Available-True", step.StateOK, "Available True")
	expect(t, m.goalSteps(t, "condition=Degraded=False"), "wait/condition-Degraded-False", step.StatePending,
		"Degraded True (Bad): an operator is degraded", "HostedCluster clusters/kv-00")
	expect(t, m.goalSteps(t, "condition=Degraded"), "wait/condition-Degraded-True", step.StateOK, "Degraded True")
	expect(t, m.goalSteps(t, "condition=Odd"), "wait/condition-Odd-True", step.StatePending, "Odd not reported yet")

	// What the operator says of an earlier generation has not come true.
	m = manage(t, func(hc *hyperv1.HostedCluster) { hc.Generation = 4 })
	expect(t, m.goalSteps(t, "condition=Available"), "wait/condition-Available-True", step.StatePending)
	stale := hostedtest.Row{"Degraded", "False", "AsExpected", ""}
	m = manage(t, condition(stale), func(hc *hyperv1.HostedCluster) { hc.Generation = 4 })
	expect(t, m.goalSteps(t, "condition=Degraded=False"), "wait/condition-Degraded-False", step.StatePending)

	// A terminal condition ends the wait, except for one that waits for what is bad.
	m = manage(t, condition(final))
	expect(t, m.goalSteps(t, "condition=Available"), "wait/condition-Available-True", step.StateBroken, "no such release")
	expect(t, m.goalSteps(t, "condition=ValidReleaseImage=False"), "wait/condition-ValidReleaseImage-False",
		step.StateOK, "no such release")
	for _, goal := range []string{"condition=Available", "condition=Degraded=False"} {
		m := manage(t)
		steps := m.goalSteps(t, goal)
		m.Forbid("get " + hostedClusterPath)
		expect(t, steps, steps[0].ID, step.StateUnknown, "not allowed", "HostedCluster clusters/kv-00")
		m.Allow()
		m.Of("HostedCluster").Delete("clusters", "kv-00")
		expect(t, steps, steps[0].ID, step.StateBroken, "deleted while", "HostedCluster clusters/kv-00")
	}
	m = manage(t, goes)
	expect(t, m.goalSteps(t, "api"), "cluster/accepted", step.StateBroken, "being deleted")
}

// workers is the NodePool kv-00 of two nodes that it has.
func workers(edits ...func(*hyperv1.NodePool)) *hyperv1.NodePool {
	np := hostedtest.Pool(2, 2, hostedtest.Row{"Ready", "True"}, hostedtest.Row{"AllNodesHealthy", "True"})
	np.Name, np.Spec.ClusterName, np.Status.Version = "kv-00", "kv-00", "4.20.3"
	for _, edit := range edits {
		edit(np)
	}
	return np
}

func poolCondition(row hostedtest.Row) func(*hyperv1.NodePool) {
	return func(np *hyperv1.NodePool) {
		np.Status.Conditions = append(np.Status.Conditions, hostedtest.Pool(0, 0, row).Status.Conditions...)
	}
}

// outdated has the operator not report on the newest generation.
func outdated(np *hyperv1.NodePool) {
	np.Generation, np.Status.Conditions[0].ObservedGeneration = 4, 3
}

// vm is a worker VM of kv-00.
func vm(name string, ready bool) *kubevirtv1.VirtualMachine {
	v := hostedtest.VM(name, ready, kubevirtv1.VirtualMachineStatusStarting)
	v.Namespace, v.Labels[hyperv1.NodePoolNameLabel] = "clusters-kv-00", "kv-00"
	return &v
}

func TestWaitingForAPool(t *testing.T) {
	const updating = "Updating version in progress. Target version: 4.20.4"
	rolls := poolCondition(hostedtest.Row{"UpdatingVersion", "True", "AsExpected", updating})
	one := func(np *hyperv1.NodePool) { np.Status.Replicas = 1 }
	for name, tc := range map[string]struct {
		goal  string
		np    *hyperv1.NodePool
		vms   []*kubevirtv1.VirtualMachine
		state step.State
		words []string
	}{
		"ready": {"ready", workers(), []*kubevirtv1.VirtualMachine{vm("a", true), vm("b", true)}, step.StateOK,
			[]string{"2 of 2 nodes joined and ready", "NodePool clusters/kv-00"}},
		"ready before its newest change": {"ready", workers(outdated), []*kubevirtv1.VirtualMachine{vm("a", true), vm("b", true)},
			step.StatePending, []string{"has not processed the change yet"}},
		"at its version before its newest change": {"version=4.20.3", workers(outdated), nil, step.StatePending,
			[]string{"has not processed the change yet"}},
		"a VM starts": {"ready", workers(), []*kubevirtv1.VirtualMachine{vm("a", true), vm("b", false)}, step.StatePending,
			[]string{"1 of 2 worker VMs ready: Starting", "VirtualMachine clusters-kv-00/b"}},
		"a node is late": {"ready", workers(one), []*kubevirtv1.VirtualMachine{vm("a", true), vm("b", true)},
			step.StatePending, []string{"1 of 2 nodes joined and ready"}},
		"it is updated": {"ready", workers(rolls), []*kubevirtv1.VirtualMachine{vm("a", true), vm("b", true)},
			step.StatePending, []string{"UpdatingVersion True (AsExpected): " + updating}},
		"it is updated, and a node is late": {"ready", workers(rolls, one),
			[]*kubevirtv1.VirtualMachine{vm("a", true), vm("b", true)}, step.StatePending,
			[]string{"1 of 2 nodes joined and ready"}},
		"replicas":         {"replicas=2", workers(), nil, step.StateOK, []string{"2 nodes"}},
		"replicas to come": {"replicas=2", workers(one), nil, step.StatePending, []string{"1 of 2 nodes"}},
		"replicas that it does not ask for": {"replicas=3", workers(), nil, step.StatePending,
			[]string{"2 nodes, and its size is set to 2", "hcctl scale kv-00 --replicas 3"}},
		"replicas of its autoscaler": {"replicas=3", workers(func(np *hyperv1.NodePool) {
			np.Spec.Replicas, np.Spec.AutoScaling = nil, &hyperv1.NodePoolAutoScaling{Min: 2, Max: 5}
		}), nil, step.StatePending, []string{"2 of 3 nodes"}},
		"its upgrade in place has failed": {"version=4.20.4", workers(poolCondition(hostedtest.Row{"UpdatingVersion", "False",
			"InplaceUpgradeFailed", "Node w1 in nodepool degraded: no space"})), nil, step.StateBroken,
			[]string{"UpdatingVersion False (InplaceUpgradeFailed): Node w1 in nodepool degraded: no space",
				"hcctl exec kv-00 -- oc describe node NODE"}},
		"its configuration in place has failed": {"ready", workers(poolCondition(hostedtest.Row{"UpdatingConfig", "False",
			"InplaceUpgradeFailed", "Node w1 in nodepool degraded: no space"})),
			[]*kubevirtv1.VirtualMachine{vm("a", true), vm("b", true)}, step.StateBroken, []string{"UpdatingConfig False"}},
		"version":               {"version=4.20.3", workers(), nil, step.StateOK, []string{"all nodes at 4.20.3"}},
		"version of some nodes": {"version=4.20.3", workers(rolls), nil, step.StatePending, []string{updating}},
		"another version": {"version=4.20.4", workers(), nil, step.StatePending,
			[]string{"is at 4.20.3", "hcctl upgrade nodepool kv-00 --version 4.20.4"}},
		"no version": {"version=4.20.3", workers(func(np *hyperv1.NodePool) { np.Status.Version = "" }), nil,
			step.StatePending, []string{"is at no version yet"}},
		"condition":       {"condition=Ready", workers(), nil, step.StateOK, []string{"Ready True"}},
		"condition to be": {"condition=Ready=False", workers(), nil, step.StatePending, []string{"Ready True"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t)
			m.Of("NodePool").Put(tc.np)
			for _, v := range tc.vms {
				m.Of("VirtualMachine").Put(v)
			}
			steps := m.poolGoalSteps(t, tc.goal)
			f := expect(t, steps, steps[0].ID, tc.state, tc.words...)
			if tc.goal == "replicas=3" && tc.np.Spec.AutoScaling != nil && f.Hint.String() != "" {
				t.Errorf("hint %q", f.Hint.String())
			}
			m.Forbid("get " + hostedtest.PoolsPath + "/kv-00")
			expect(t, steps, steps[0].ID, step.StateUnknown, "not allowed", "NodePool clusters/kv-00")
			m.Allow()
			m.Of("NodePool").Delete("clusters", "kv-00")
			expect(t, steps, steps[0].ID, step.StateBroken, "deleted while", "NodePool clusters/kv-00")
		})
	}
}

func TestWaitingForAPoolThatCannotGetReady(t *testing.T) {
	m := manage(t)
	m.Of("NodePool").Put(workers())
	m.Forbid("get /apis/kubevirt.io/*")
	expect(t, m.poolGoalSteps(t, "ready"), "wait/ready", step.StateUnknown, "not allowed",
		"VirtualMachines in namespace clusters-kv-00")
	m.Forbid("get " + hostedClusterPath)
	expect(t, m.poolGoalSteps(t, "ready"), "wait/ready", step.StateUnknown, "not allowed", "HostedCluster clusters/kv-00")

	final := poolCondition(hostedtest.Row{"ValidMachineTemplate", "False", "InvalidKubevirtMachineTemplate", "no VM"})
	m = manage(t)
	m.Of("NodePool").Put(workers(final))
	for _, goal := range []string{"ready", "replicas=2", "version=4.20.3", "condition=Ready"} {
		steps := m.poolGoalSteps(t, goal)
		expect(t, steps, steps[0].ID, step.StateBroken, "ValidMachineTemplate False", "NodePool clusters/kv-00")
	}
	steps := m.poolGoalSteps(t, "condition=ValidMachineTemplate=False")
	expect(t, steps, steps[0].ID, step.StateOK, "no VM")
}

func TestWaitingForTheDeletionOfAPool(t *testing.T) {
	m := manage(t)
	m.Of("NodePool").Put(workers())
	wait := m.poolGoalSteps(t, "deleted")
	expect(t, wait, "wait/deleted", step.StatePending, "still there, and nobody has asked", "NodePool clusters/kv-00",
		"hcctl delete nodepool kv-00 --namespace clusters")
	m.Of("NodePool").Put(workers(func(np *hyperv1.NodePool) { np.DeletionTimestamp = ptr.To(metav1.Now()) }))
	expect(t, wait, "wait/deleted", step.StatePending, "being deleted", "NodePool clusters/kv-00")
	m.Forbid("get " + hostedtest.PoolsPath + "/kv-00")
	expect(t, wait, "wait/deleted", step.StateUnknown, "not allowed", "NodePool clusters/kv-00")
	m.Allow()
	m.Of("NodePool").Delete("clusters", "kv-00")
	expect(t, wait, "wait/deleted", step.StateOK, "gone", "NodePool clusters/kv-00")
}

// The steps of a Pool follow one NodePool that a command has changed.
func TestFollowingOnePool(t *testing.T) {
	m := manage(t)
	pool := Pool{Client: m.Client, Namespace: "clusters", Name: "kv-00", Prefix: "pool", Needs: []step.ID{"pool/written"}}
	if got := steptest.IDs(pool.Steps()); got != "pool/machines pool/nodes" {
		t.Errorf("%s", got)
	}
	if needs := pool.Steps()[1].Needs; len(needs) != 1 || needs[0] != "pool/machines" {
		t.Errorf("nodes need %v", needs)
	}
	m.Of("NodePool").Put(workers())
	m.Of("VirtualMachine").Put(vm("a", true), vm("b", true))
	expect(t, pool.Steps(), "pool/machines", step.StateOK, "2 of 2 worker VMs ready", "NodePool clusters/kv-00")
	expect(t, pool.Steps(), "pool/nodes", step.StateOK, "2 of 2 nodes joined and ready", "NodePool clusters/kv-00")
	m.Of("NodePool").Put(workers(poolCondition(hostedtest.Row{"UpdatingConfig", "True", "AsExpected", "new config"})))
	for _, s := range pool.Steps() {
		expect(t, pool.Steps(), s.ID, step.StatePending, "; UpdatingConfig: new config")
	}
	m.Of("NodePool").Put(workers(outdated))
	for _, s := range pool.Steps() {
		expect(t, pool.Steps(), s.ID, step.StatePending, "has not processed the change yet", "hypershift/operator")
	}
	m.Of("NodePool").Put(workers(poolCondition(
		hostedtest.Row{"ValidMachineTemplate", "False", "InvalidKubevirtMachineTemplate", "no VM"})))
	expect(t, pool.Steps(), "pool/nodes", step.StateBroken, "no VM")

	wanted := pool
	wanted.StillWanted = func(np *hyperv1.NodePool) (step.Finding, bool) {
		return step.Broken("changed by someone").On("NodePool %s", np.Name), *np.Spec.Replicas == 2
	}
	m.Of("NodePool").Put(workers())
	expect(t, wanted.Steps(), "pool/nodes", step.StateOK)
	m.Of("NodePool").Put(workers(func(np *hyperv1.NodePool) { np.Spec.Replicas = ptr.To[int32](5) }))
	expect(t, wanted.Steps(), "pool/nodes", step.StateBroken, "changed by someone")

	m.Forbid("get /apis/kubevirt.io/*")
	expect(t, pool.Steps(), "pool/machines", step.StateUnknown, "not allowed",
		"VirtualMachines in namespace clusters-kv-00")
	m.Of("NodePool").Put(workers(func(np *hyperv1.NodePool) { np.DeletionTimestamp = ptr.To(metav1.Now()) }))
	expect(t, pool.Steps(), "pool/nodes", step.StateBroken, "being deleted", "NodePool clusters/kv-00")
	m.Of("NodePool").Delete("clusters", "kv-00")
	expect(t, pool.Steps(), "pool/nodes", step.StateBroken, "deleted meanwhile", "NodePool clusters/kv-00")
	m.Forbid("get " + hostedtest.PoolsPath + "/kv-00")
	expect(t, pool.Steps(), "pool/nodes", step.StateUnknown, "not allowed", "NodePool clusters/kv-00")

	elsewhere := pool
	elsewhere.Platform = hostedcluster.Platform{Type: hyperv1.AgentPlatform}
	if steps := elsewhere.Steps(); steptest.IDs(steps) != "pool/nodes" || steps[0].Needs[0] != "pool/written" {
		t.Errorf("VMs elsewhere: %s needs %v", steptest.IDs(steps), steps[0].Needs)
	}
	none := pool
	m.Allow()
	m.Of("NodePool").Put(workers(func(np *hyperv1.NodePool) { np.Status.Replicas = 0 }))
	none.Platform = hostedcluster.Platform{Type: hyperv1.NonePlatform}
	expect(t, none.Steps(), "pool/nodes", step.StateOK, "platform None: its machines are not judged",
		"NodePool clusters/kv-00")
}

func TestThePoolsOfACluster(t *testing.T) {
	m := manage(t)
	steps := New(m.Client, "clusters", "kv-00").Steps(options.WaitNodes)
	expect(t, steps, nodesStep, step.StateOK, "there are no NodePools", "HostedCluster clusters/kv-00")
	second := workers(func(np *hyperv1.NodePool) { np.Name, np.Status.Replicas = "more", 3 })
	m.Of("NodePool").Put(workers(), second)
	m.Of("VirtualMachine").Put(vm("a", true), vm("b", true))
	expect(t, steps, nodesStep, step.StatePending, "4 of 4 nodes joined and ready in all; 3 of 2 nodes",
		"NodePool clusters/more")
	expect(t, steps, machinesStep, step.StatePending, "2 of 4 worker VMs ready in all; 0 of 2 worker VMs ready",
		"NodePool clusters/more")
	second.Status.Replicas = 2
	m.Of("NodePool").Put(second)
	expect(t, steps, nodesStep, step.StateOK, "4 of 4 nodes joined and ready in 2 NodePools",
		"HostedCluster clusters/kv-00")
	m.Forbid("get " + hostedtest.PoolsPath)
	for _, id := range []step.ID{nodesStep, machinesStep} {
		expect(t, steps, id, step.StateUnknown, "not allowed", "NodePools in namespace clusters")
	}
	m.Forbid("get /apis/kubevirt.io/*")
	expect(t, steps, machinesStep, step.StateUnknown, "not allowed", "VirtualMachines in namespace clusters-kv-00")
}
