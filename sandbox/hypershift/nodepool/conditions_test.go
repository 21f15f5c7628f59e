package nodepool

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

func poolOfVersion(minor int) *pool {
	nodePools := &nodePools{}
	nodePools.Features = reconciler.Features{HyperShift: minor}
	return &pool{nodePools: nodePools, np: testPool()}
}

func TestConditionsBeforeTheControlPlane(t *testing.T) {
	for minor, shuffled := range map[int]bool{17: false, 18: true, 20: true, 21: true, 22: false} {
		p := poolOfVersion(minor)
		p.describeUnblocked(&hyperv1.HostedCluster{}, release.Payload{Version: "4.20.3"})
		for _, kind := range []string{hyperv1.NodePoolUpdatingVersionConditionType,
			hyperv1.NodePoolAllMachinesReadyConditionType, hyperv1.NodePoolAllNodesHealthyConditionType, condValidArch} {
			if c := poolCondition(p.np, kind); (c.Type != "") != shuffled {
				t.Errorf("4.%d: %s is %+v", minor, kind, c)
			}
		}
	}
	p := poolOfVersion(20)
	setPool(p.np, poolTrue(hyperv1.NodePoolAllMachinesReadyConditionType, "told before"))
	p.describeUnblocked(&hyperv1.HostedCluster{}, release.Payload{Version: "4.20.3"})
	if c := poolCondition(p.np, hyperv1.NodePoolAllMachinesReadyConditionType); c.Message != "told before" {
		t.Errorf("machines that were told of are forgotten: %+v", c)
	}
}

func TestAnotherConfigurationHasNotReachedIgnition(t *testing.T) {
	old := template{payload: release.Payload{Version: "4.20.3"}, config: "c1", configVersion: "cv1", name: "kv-1",
		hash: "h1"}
	fresh := template{payload: release.Payload{Version: "4.20.8"}, config: "c2", configVersion: "cv2", name: "kv-2",
		hash: "h2"}
	reached := func(p *pool) corev1.ConditionStatus { return poolCondition(p.np, condReachedIgnitionEndpoint).Status }
	for _, inPlace := range []bool{false, true} {
		p := poolOfVersion(20)
		p.describeIgnition(old, inPlace)
		if reached(p) != corev1.ConditionFalse {
			t.Errorf("in place %t: reached without a node", inPlace)
		}
		p.machines = []machine{testMachine("a", old.hash, true)}
		p.describeIgnition(old, inPlace)
		p.describeUpdate(old, true)
		if reached(p) != corev1.ConditionTrue {
			t.Errorf("in place %t: a node has not reached it", inPlace)
		}
		p.machines = nil
		if p.describeIgnition(old, inPlace); reached(p) != corev1.ConditionTrue {
			t.Errorf("in place %t: forgotten when the pool has no machines", inPlace)
		}
		p.machines = []machine{testMachine("a", old.hash, true)}
		want := corev1.ConditionFalse
		if inPlace {
			want = corev1.ConditionTrue
		}
		if p.describeIgnition(fresh, inPlace); reached(p) != want {
			t.Errorf("in place %t: another configuration is %s, want %s", inPlace, reached(p), want)
		}
		p.machines = append(p.machines, testMachine("b", fresh.hash, true))
		if p.describeIgnition(fresh, inPlace); reached(p) != corev1.ConditionTrue {
			t.Errorf("in place %t: a new node has not reached it", inPlace)
		}
	}
}

func TestNewTokenIsNotThereYet(t *testing.T) {
	p := poolOfVersion(20)
	p.describeNewToken(template{payload: release.Payload{Version: "4.20.3"}, config: "c1", configVersion: "e750cc34"})
	c := poolCondition(p.np, hyperv1.NodePoolValidGeneratedPayloadConditionType)
	if c.Status != corev1.ConditionFalse || c.Message != `Secret "token-kv-e750cc34" not found` {
		t.Errorf("%+v", c)
	}
}
