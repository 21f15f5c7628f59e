package follow

import (
	"context"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// A milestone that does not come names the pod or the claim that it waits for.
func TestCauses(t *testing.T) {
	pod := func(name string, age time.Duration, status hostedtest.Object) hostedtest.Object {
		meta := hostedtest.MetaOf("clusters-kv-00", name, nil)
		meta["creationTimestamp"] = ago(age)
		return hostedtest.Object{"metadata": meta, "status": status}
	}
	unschedulable := hostedtest.Object{"phase": "Pending", "conditions": []any{hostedtest.Object{
		"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available",
	}}}
	waits := func(reason, message string) hostedtest.Object {
		return hostedtest.Object{"phase": "Pending", "conditions": []any{
			hostedtest.Object{"type": "Initialized", "status": "False", "reason": "ContainersNotInitialized"},
			hostedtest.Object{"type": "PodScheduled", "status": "True"},
		}, "containerStatuses": []any{
			hostedtest.Object{"name": "a", "state": hostedtest.Object{"running": hostedtest.Object{}}},
			hostedtest.Object{"name": "b", "state": hostedtest.Object{
				"waiting": hostedtest.Object{"reason": reason, "message": message},
			}},
		}}
	}
	claim := func(phase string, class any) hostedtest.Object {
		return hostedtest.Object{
			"metadata": hostedtest.MetaOf("clusters-kv-00", "data-etcd-0", nil),
			"spec":     hostedtest.Object{"storageClassName": class}, "status": hostedtest.Object{"phase": phase},
		}
	}
	const emptyClass = "PersistentVolumeClaim clusters-kv-00/data-etcd-0: it is Pending with the empty StorageClass"
	const unhappy, noClass = "Pod clusters-kv-00/etcd-0: Unschedulable: 0/3 nodes are available",
		"PersistentVolumeClaim clusters-kv-00/data-etcd-0: it is Pending without a StorageClass"
	for name, tc := range map[string]struct {
		pods, claims []hostedtest.Object
		cause        string
		recheck      time.Duration
	}{
		"nothing yet":     {nil, nil, "", 0},
		"fits on no node": {[]hostedtest.Object{pod("etcd-0", time.Minute, unschedulable)}, nil, unhappy, 0},
		"just made":       {[]hostedtest.Object{pod("etcd-0", 0, unschedulable)}, nil, "", minTroubleAge},
		"of some age":     {[]hostedtest.Object{pod("etcd-0", 2*minTroubleAge, unschedulable)}, nil, unhappy, 0},
		"one of them is old": {[]hostedtest.Object{pod("a", 0, unschedulable), pod("etcd-0", time.Hour, unschedulable)}, nil,
			unhappy, minTroubleAge},
		"starts": {[]hostedtest.Object{pod("etcd-0", time.Minute, waits("ContainerCreating", ""))}, nil, "", 0},
		"starts for an hour": {[]hostedtest.Object{pod("etcd-0", time.Hour, waits("ContainerCreating", ""))}, nil,
			"Pod clusters-kv-00/etcd-0: container b has not been created for more than 5m", 0},
		"starts with others":  {[]hostedtest.Object{pod("etcd-0", time.Hour, waits("PodInitializing", ""))}, nil, "", 0},
		"waits for no reason": {[]hostedtest.Object{pod("etcd-0", time.Hour, waits("", "x"))}, nil, "", 0},
		"crashes": {[]hostedtest.Object{pod("etcd-0", time.Hour, waits("CrashLoopBackOff", "back-off 5m0s"))}, nil,
			"Pod clusters-kv-00/etcd-0: container b: CrashLoopBackOff: back-off 5m0s", 0},
		"crashes without a word": {[]hostedtest.Object{pod("etcd-0", time.Hour, waits("CrashLoopBackOff", ""))}, nil,
			"Pod clusters-kv-00/etcd-0: container b: CrashLoopBackOff", 0},
		"has done its work": {[]hostedtest.Object{pod("etcd-0", time.Hour, hostedtest.Object{
			"phase": "Succeeded", "conditions": unschedulable["conditions"]})}, nil, "", 0},
		"several": {[]hostedtest.Object{pod("etcd-0", time.Hour, unschedulable), pod("etcd-1", time.Hour, unschedulable),
			pod("etcd-2", time.Hour, unschedulable)}, nil, unhappy + "; and 2 more", 0},
		"no StorageClass":       {nil, []hostedtest.Object{claim("Pending", nil)}, noClass, 0},
		"an empty StorageClass": {nil, []hostedtest.Object{claim("Pending", "")}, emptyClass, 0},
		"before the pods": {[]hostedtest.Object{pod("etcd-0", 0, unschedulable)},
			[]hostedtest.Object{claim("Pending", "")}, emptyClass, 0},
		"a StorageClass that waits": {nil, []hostedtest.Object{claim("Pending", "lvms")}, "", 0},
		"bound without a class":     {nil, []hostedtest.Object{claim("Bound", "")}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, condition(hostedtest.Row{"EtcdAvailable", "False", "EtcdWaitingForQuorum", "Waiting for etcd"}))
			m.Set("Pod", tc.pods...)
			m.Set("PersistentVolumeClaim", tc.claims...)
			f := expect(t, New(m.Client, "clusters", "kv-00").Steps(options.WaitAPI), etcdStep, step.StatePending,
				"EtcdAvailable False (EtcdWaitingForQuorum): Waiting for etcd", tc.cause)
			if f.Recheck != tc.recheck {
				t.Errorf("looks again after %s, want %s", f.Recheck, tc.recheck)
			}
			if f.Trouble != (tc.cause != "") || tc.cause == "" && strings.Contains(f.Message, "; ") {
				t.Errorf("trouble %v: %s", f.Trouble, f.Message)
			}
			// What may not be read is no cause.
			m.Forbid("get /api/v1/namespaces/clusters-kv-00/*")
			f = expect(t, New(m.Client, "clusters", "kv-00").Steps(options.WaitAPI), etcdStep, step.StatePending)
			if f.Trouble || f.Recheck != 0 {
				t.Errorf("not readable: %+v", f)
			}
		})
	}
	t.Run("once it is there", func(t *testing.T) {
		m := manage(t)
		m.Set("Pod", pod("etcd-0", time.Hour, unschedulable))
		f := expect(t, New(m.Client, "clusters", "kv-00").Steps(options.WaitAPI), etcdStep, step.StateOK, "quorum")
		if strings.Contains(f.Message, "etcd-0") || f.Trouble || len(m.Of("Pod").Requests()) > 0 {
			t.Errorf("%+v", f)
		}
	})
	t.Run("a milestone that is looked at again anyway", func(t *testing.T) {
		m := manage(t)
		m.server.Close()
		m.Set("Pod", pod("router", 0, unschedulable))
		f := expect(t, New(m.Client, "clusters", "kv-00").Steps(options.WaitAPI), APIStep, step.StatePending)
		if f.Recheck != time.Second {
			t.Errorf("looks again after %s", f.Recheck)
		}
	})
}

// A control plane that goes away again is what the workers wait for.
func TestAControlPlaneThatGoesAwayAgain(t *testing.T) {
	pending := func(context.Context, kube.Reader, *hyperv1.HostedCluster) step.Finding {
		return step.Pending("0 of 2 VMs")
	}
	done := func(context.Context, kube.Reader, *hyperv1.HostedCluster) step.Finding { return step.OK("2 of 2 VMs") }
	for name, tc := range map[string]struct {
		check   clusterCheck
		status  metav1.ConditionStatus
		message string
	}{
		"available": {pending, metav1.ConditionTrue, "0 of 2 VMs"},
		"away": {pending, metav1.ConditionFalse, "0 of 2 VMs; the control plane is no longer available: " +
			"Available False (KASLoadBalancerNotReachable): no answer"},
		"away, but it is done": {done, metav1.ConditionFalse, "2 of 2 VMs"},
	} {
		hc := &hyperv1.HostedCluster{}
		hc.Status.Conditions = []metav1.Condition{{Type: string(hyperv1.HostedClusterAvailable), Status: tc.status,
			Reason: hyperv1.KASLoadBalancerNotReachableReason, Message: "no answer"}}
		f := stillAvailable(tc.check)(t.Context(), nil, hc)
		away := strings.Contains(tc.message, "no longer")
		if f.Message != tc.message || f.Trouble != away || away != strings.Contains(f.Hint.String(),
			"announced in the network") {
			t.Errorf("%s: %q, trouble %t, hint %q", name, f.Message, f.Trouble, f.Hint.String())
		}
	}
}
