package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestOfCluster(t *testing.T) {
	at := func(s int) metav1.Time { return metav1.NewTime(begin.Add(time.Duration(s) * time.Second)) }
	is := func(kind string, status metav1.ConditionStatus, s int) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: "AsExpected", LastTransitionTime: at(s)}
	}
	cluster := func(api int, rolledOut bool) *hyperv1.HostedCluster {
		hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv", CreationTimestamp: at(0)}}
		hc.Status.Conditions = []metav1.Condition{
			is(string(hyperv1.ValidHostedClusterConfiguration), metav1.ConditionTrue, 1),
			is(string(hyperv1.ValidReleaseImage), metav1.ConditionTrue, 2),
			is(string(hyperv1.InfrastructureReady), metav1.ConditionTrue, 10),
			is(string(hyperv1.EtcdAvailable), metav1.ConditionTrue, 30)}
		if api > 0 {
			hc.Status.Conditions = append(hc.Status.Conditions,
				is(string(hyperv1.HostedClusterAvailable), metav1.ConditionTrue, api))
		}
		if rolledOut {
			done := at(300)
			hc.Status.Version = &hyperv1.ClusterVersionStatus{History: []configv1.UpdateHistory{{CompletionTime: &done}}}
		}
		return hc
	}
	pool := func(machines, nodes int) hyperv1.NodePool {
		cond := func(kind string, s int) hyperv1.NodePoolCondition {
			return hyperv1.NodePoolCondition{Type: kind, Status: "True", LastTransitionTime: at(s)}
		}
		return hyperv1.NodePool{Status: hyperv1.NodePoolStatus{Conditions: []hyperv1.NodePoolCondition{
			cond(hyperv1.NodePoolAllMachinesReadyConditionType, machines),
			cond(hyperv1.NodePoolAllNodesHealthyConditionType, nodes), cond(hyperv1.NodePoolReadyConditionType, nodes)}}}
	}
	for name, tc := range map[string]struct {
		hc    *hyperv1.HostedCluster
		pools []hyperv1.NodePool
		want  []string
		end   string
	}{
		"complete": {cluster(100, true), []hyperv1.NodePool{pool(150, 200), pool(140, 220)}, []string{"accepted 0-2",
			"infrastructure 2-10", "etcd 10-30", "api 30-100", "machines 100-150", "nodes 150-220", "rollout 220-300"}, "done"},
		"the API is not there yet": {cluster(0, false), []hyperv1.NodePool{pool(150, 200)}, []string{"accepted 0-2",
			"infrastructure 2-10", "etcd 10-30", "api 30-400 not ended"}, "under way"},
		"a condition that changed after the roll-out": {cluster(9000, true), []hyperv1.NodePool{pool(150, 200)}, []string{
			"accepted 0-2", "infrastructure 2-10", "etcd 10-30", "api 30-30", "machines 30-150", "nodes 150-200",
			"rollout 200-300"}, "done"},
		"a pool that was added later": {cluster(100, true), []hyperv1.NodePool{pool(150, 200), {}}, []string{"accepted 0-2",
			"infrastructure 2-10", "etcd 10-30", "api 30-100", "machines 100-100", "nodes 100-100", "rollout 100-300"}, "done"},
	} {
		r := OfCluster(tc.hc, tc.pools, "here", begin.Add(400*time.Second))
		var got []string
		for _, s := range r.Steps {
			words := fmt.Sprintf("%s %.0f-%.0f", s.ID[strings.Index(s.ID, "/")+1:], s.From, s.To)
			if s.Outcome != "done" {
				words += " " + s.Outcome
			}
			got = append(got, words)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || r.End != tc.end {
			t.Errorf("%s: %s (-want +got):\n%s", name, r.End, diff)
		}
	}
}
