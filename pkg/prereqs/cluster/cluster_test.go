package cluster

import (
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeClusterVersion(t *testing.T) {
	const done, partial = configv1.CompletedUpdate, configv1.PartialUpdate
	with := func(history []configv1.UpdateHistory,
		conditions ...configv1.ClusterOperatorStatusCondition) *configv1.ClusterVersion {
		cv := &configv1.ClusterVersion{}
		conditions = append(conditions, configv1.ClusterOperatorStatusCondition{Type: configv1.OperatorAvailable,
			Status: configv1.ConditionTrue})
		cv.Status.History, cv.Status.Conditions = history, conditions
		return cv
	}
	at := func(version string) []configv1.UpdateHistory {
		return []configv1.UpdateHistory{{State: done, Version: version}}
	}
	to := []configv1.UpdateHistory{{State: partial, Version: "4.20.3"}, {State: done, Version: "4.19.7"}}
	first := []configv1.UpdateHistory{{State: partial, Version: "4.20.3"}}
	yes := func(t configv1.ClusterStatusConditionType) configv1.ClusterOperatorStatusCondition {
		return configv1.ClusterOperatorStatusCondition{Type: t, Status: configv1.ConditionTrue, Reason: "Why",
			Message: "words"}
	}
	bare := with(at("4.20.3"))
	bare.Status.Capabilities.KnownCapabilities = []configv1.ClusterVersionCapability{"marketplace",
		"OperatorLifecycleManager", "Console"}
	bare.Status.Capabilities.EnabledCapabilities = []configv1.ClusterVersionCapability{"OperatorLifecycleManager"}
	bare.Spec.Capabilities = &configv1.ClusterVersionCapabilitiesSpec{
		AdditionalEnabledCapabilities: []configv1.ClusterVersionCapability{"Console"},
	}
	neither := bare.DeepCopy()
	neither.Status.Capabilities.EnabledCapabilities = nil
	installing := with(first)
	installing.Status.Desired.Version = "4.20.3"
	outdated := with(at("4.20.3"))
	outdated.Generation, outdated.Status.ObservedGeneration = 3, 2
	current := outdated.DeepCopy()
	current.Status.ObservedGeneration = 3
	for name, tc := range map[string]struct {
		cv        *configv1.ClusterVersion
		manifests bool
		want      step.State
		says      string
	}{
		"supported":                 {with(at("4.20.3")), false, step.StateOK, "OpenShift 4.20.3"},
		"preview":                   {with(at("4.12.45")), false, step.StateOK, "Technology Preview"},
		"newer":                     {with(at("5.2.1")), false, step.StateOK, "newer than 5.1"},
		"six":                       {with(at("6.0.0")), false, step.StateOK, "newer than 5.1"},
		"another version is wanted": {outdated, false, step.StatePending, "has not processed the newest change"},
		"seen":                      {current, false, step.StateOK, "OpenShift 4.20.3"},
		"last known":                {with(at("5.1.0-rc.1")), false, step.StateOK, "OpenShift 5.1.0-rc.1"},
		"too old":                   {with(at("4.11.9")), false, step.StateBroken, "4.12"},
		"upgrading": {with(to, yes("Progressing")), false, step.StatePending,
			"the upgrade from OpenShift 4.19.7 to 4.20.3 is under way: words"},
		"upgrade failing": {with(to, yes("Progressing"), yes("Failing")), false, step.StatePending,
			"the upgrade from OpenShift 4.19.7 to 4.20.3 is failing (Why): words"},
		"failing": {with(at("4.20.3"), yes("Failing")), false, step.StatePending,
			"OpenShift 4.20.3 is failing (Why): words"},
		"rolling out": {with(at("4.20.3"), yes("Progressing")), false, step.StatePending,
			"OpenShift 4.20.3 is being rolled out: words"},
		"history unfinished": {with(to), false, step.StatePending,
			"the upgrade from OpenShift 4.19.7 to 4.20.3 is not complete yet"},
		"installing":     {installing, false, step.StatePending, "OpenShift 4.20.3 is not complete yet"},
		"no version":     {with(nil), false, step.StatePending, "does not report"},
		"no marketplace": {bare, false, step.StateBroken, "the capability marketplace is off"},
		"no catalogs at all": {neither, false, step.StateBroken,
			"the capabilities marketplace and OperatorLifecycleManager are off"},
		"with manifests": {bare, true, step.StateOK, "the capability marketplace is off, so only manifests can be installed"},
	} {
		t.Run(name, func(t *testing.T) { prereqtest.Expect(t, judgeClusterVersion(tc.cv, tc.manifests), tc.want, tc.says) })
	}
	if hint := judgeClusterVersion(bare, false).Hint.String(); !strings.Contains(hint,
		`"additionalEnabledCapabilities":["Console","marketplace"]`) {
		t.Errorf("the hint would switch off what is on: %s", hint)
	}
	if strings.Contains(judgeClusterVersion(with(at("4.21.0")), false).Message, "(") {
		t.Error("the last known minor is told as something special")
	}
}

func TestJudgeTopologyAndPlatform(t *testing.T) {
	infra := func(topology configv1.TopologyMode, platform configv1.PlatformType) *configv1.Infrastructure {
		i := &configv1.Infrastructure{}
		i.Status.ControlPlaneTopology = topology
		i.Status.PlatformStatus = &configv1.PlatformStatus{Type: platform}
		return i
	}
	single := judgeTopology(infra(configv1.SingleReplicaTopologyMode, configv1.NonePlatformType))
	prereqtest.Expect(t, single, step.StateBroken, "unsupported")
	if !strings.Contains(single.Hint.String(), "--skip cluster/topology") {
		t.Errorf("no way out: %s", single.Hint.String())
	}
	prereqtest.Expect(t, judgeTopology(infra(configv1.HighlyAvailableTopologyMode, configv1.BareMetalPlatformType)),
		step.StateOK, "HighlyAvailable")
	prereqtest.Expect(t, judgeBareMetal(infra(configv1.HighlyAvailableTopologyMode, configv1.BareMetalPlatformType)),
		step.StateOK, "BareMetal")
	prereqtest.Expect(t, judgeBareMetal(infra(configv1.HighlyAvailableTopologyMode, configv1.NonePlatformType)),
		step.StateOK,
		"None")
	prereqtest.Expect(t, judgeBareMetal(infra(configv1.HighlyAvailableTopologyMode, configv1.AWSPlatformType)),
		step.StateMissing, "AWS")
	prereqtest.Expect(t, judgeBareMetal(&configv1.Infrastructure{}), step.StateUnknown, "not reported")
}

func TestJudgeClusterOperators(t *testing.T) {
	operator := func(name string, available, degraded configv1.ConditionStatus) configv1.ClusterOperator {
		co := configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: name}}
		co.Status.Conditions = []configv1.ClusterOperatorStatusCondition{
			{Type: configv1.OperatorDegraded, Status: degraded, Message: "sick"}, {Type: configv1.OperatorAvailable,
				Status: available, Message: "gone"}}
		return co
	}
	well := operator("ingress", "True", "False")
	judge := func(operators ...configv1.ClusterOperator) step.Finding { return judgeClusterOperators(operators) }
	prereqtest.Expect(t, judge(well), step.StateOK, "the 1 that hosted clusters depend on")
	prereqtest.Expect(t, judge(well, operator("insights", "False", "True")), step.StateOK, "not needed by them: insights")
	prereqtest.Expect(t, judge(operator("dns", "True", "True"), well), step.StateMissing, "sick")
	both := judge(operator("dns", "True", "True"), operator("storage", "False", "False"))
	prereqtest.Expect(t, both, step.StatePending, "gone (and dns)")
	if both.Object != "ClusterOperator storage" || !strings.Contains(both.Hint.String(), "storage") {
		t.Errorf("got %+v", both)
	}
	prereqtest.Expect(t, judge(configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: "etcd"}}), step.StatePending,
		"it has not reported yet")
	prereqtest.Expect(t, judge(), step.StatePending, "none of them")
}

func TestJudgeConfigPools(t *testing.T) {
	pool := func(name string, paused bool, conditions ...any) unstructured.Unstructured {
		u := prereq.NewObject(kube.MachineConfigPool, "", name, map[string]any{"paused": paused})
		u.Object["status"] = map[string]any{"machineCount": int64(3), "updatedMachineCount": int64(1),
			"conditions": conditions}
		return *u
	}
	updated, degraded := prereqtest.Condition("Updated", "True", "", ""), prereqtest.Condition("Degraded", "True", "", "")
	well := pool("master", false, updated, prereqtest.Condition("Degraded", "False", "", ""))
	judge := func(pools ...unstructured.Unstructured) step.Finding { return judgeConfigPools(pools) }
	prereqtest.Expect(t, judge(well), step.StateOK, "1 are updated")
	prereqtest.Expect(t, judge(), step.StateOK, "there are none")
	prereqtest.Expect(t, judge(well, pool("worker", true, updated)), step.StateOK, "paused: worker")
	prereqtest.Expect(t, judge(pool("worker", true, prereqtest.Condition("Updated", "False", "", ""))), step.StateMissing,
		"paused with changes waiting")
	prereqtest.Expect(t, judge(pool("worker", false, prereqtest.Condition("Updated", "False", "", "")), well),
		step.StatePending, "1 of 3")
	prereqtest.Expect(t, judge(pool("worker", false, prereqtest.Condition("Updated", "False", "", "")),
		pool("infra", false, updated, degraded, prereqtest.Condition("NodeDegraded", "True", "1 nodes",
			"disk full"))), step.StateMissing, "disk full")
	behind := pool("worker", false, updated)
	behind.SetGeneration(3)
	_ = unstructured.SetNestedField(behind.Object, int64(2), "status", "observedGeneration")
	prereqtest.Expect(t, judge(behind), step.StatePending, "being updated")
}

func TestJudgeWorkers(t *testing.T) {
	cordon := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	taint := func(key string) func(*corev1.Node) {
		return func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}}
		}
	}
	a, b := prereqtest.Worker("a", true, nil), prereqtest.Worker("b", true, nil)
	for name, tc := range map[string]struct {
		third corev1.Node
		want  step.State
		says  string
	}{
		"ready":       {prereqtest.Worker("c", true, nil), step.StateOK, "3 workers"},
		"for storage": {prereqtest.Worker("c", true, taint(prereq.StorageTaint)), step.StateOK, "3 workers"},
		"not ready": {prereqtest.Worker("c", false, taint("node.kubernetes.io/not-ready")), step.StatePending,
			"not ready: c"},
		"cordoned": {prereqtest.Worker("c", true, cordon), step.StateMissing, "take no pods (cordoned or tainted): c"},
		"control plane": {prereqtest.Worker("c", true, taint("node-role.kubernetes.io/master")), step.StateMissing,
			"2 workers can be scheduled on"},
	} {
		t.Run(name, func(t *testing.T) {
			prereqtest.Expect(t, judgeWorkers([]corev1.Node{a, b, tc.third}), tc.want, tc.says)
		})
	}
	master := prereqtest.Worker("m", true,
		func(n *corev1.Node) { n.Labels = map[string]string{"node-role.kubernetes.io/master": ""} })
	compact := judgeWorkers([]corev1.Node{master, master, master})
	prereqtest.Expect(t, compact, step.StateMissing, "0 workers can be scheduled on")
	if !strings.Contains(compact.Hint.String(), "hcctl bootstrap --take-over cluster/nodes") {
		t.Errorf("got %s", compact.Hint.String())
	}
	if hint := judgeWorkers([]corev1.Node{master, a}).Hint.String(); hint != "add workers" {
		t.Errorf("two nodes in all, yet: %s", hint)
	}
}

func TestJudgeArchitectureAndMaxPods(t *testing.T) {
	of := func(arch, pods string) corev1.Node {
		return prereqtest.Worker(arch, true, func(n *corev1.Node) {
			n.Status.NodeInfo.Architecture = arch
			if pods != "" {
				n.Status.Capacity = corev1.ResourceList{corev1.ResourcePods: resource.MustParse(pods)}
			}
		})
	}
	judge := func(nodes ...corev1.Node) step.Finding { return judgeArchitecture(architectures(nodes), "amd64") }
	x, arm := of("amd64", "250"), of("arm64", "500")
	prereqtest.Expect(t, judge(x, x), step.StateOK, "all 2 workers are amd64")
	prereqtest.Expect(t, judge(x, arm), step.StateOK,
		"of the workers 1 are amd64, and 1 arm64: virtual machines run on amd64 only; hosted clusters need a release image "+
			"that ends in -multi")
	prereqtest.Expect(t, judge(x), step.StateOK, "the one worker is amd64")
	prereqtest.Expect(t, judge(arm), step.StateBroken, "1 arm64")
	prereqtest.Expect(t, judge(of("", "")), step.StatePending, "no worker")
	prereqtest.Expect(t, judgeMaxPods([]corev1.Node{arm, x}), step.StateOK, "250 or more, about 3 highly available")
	prereqtest.Expect(t, judgeMaxPods([]corev1.Node{arm}), step.StateOK, "500 or more, about 6")
	prereqtest.Expect(t, judgeMaxPods([]corev1.Node{arm, of("few", "110")}), step.StateMissing, "takes 110 pods")
	prereqtest.Expect(t, judgeMaxPods([]corev1.Node{of("amd64", "")}), step.StatePending, "no worker")
	few := of("amd64", "110")
	if f := judgeMaxPods([]corev1.Node{few}); !strings.Contains(f.Hint.String(),
		"machineconfiguration.openshift.io/worker") {
		t.Errorf("hint %q", f.Hint.String())
	}
	few.Labels["node-role.kubernetes.io/master"] = ""
	if f := judgeMaxPods([]corev1.Node{few}); !strings.Contains(f.Hint.String(),
		"machineconfiguration.openshift.io/master") {
		t.Errorf("hint on a compact cluster %q", f.Hint.String())
	}
}
