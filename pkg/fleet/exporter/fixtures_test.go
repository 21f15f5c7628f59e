package exporter

import (
	"fmt"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

var (
	now     = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	started = now.Add(-time.Hour)
)

func ago(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }

// conditions are each "Type Status Reason", and changed at a time.
func conditions(at metav1.Time, texts ...string) []metav1.Condition {
	var out []metav1.Condition
	for _, text := range texts {
		words := strings.Fields(text)
		out = append(out, metav1.Condition{Type: words[0], Status: metav1.ConditionStatus(words[1]), Reason: words[2],
			LastTransitionTime: at})
	}
	return out
}

// well is a cluster that was created two hours ago, and has rolled out 4.20.3.
func well(namespace, name string) *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{}
	hc.Namespace, hc.Name, hc.CreationTimestamp = namespace, name, ago(2*time.Hour)
	hc.Labels = map[string]string{"env": "dev", "secret": "do-not-export"}
	done := ago(100 * time.Minute)
	hc.Status.Version = &hyperv1.ClusterVersionStatus{Desired: configv1.Release{Version: "4.20.3"},
		History: []configv1.UpdateHistory{{State: configv1.CompletedUpdate, Version: "4.20.3",
			StartedTime: ago(2 * time.Hour), CompletionTime: &done}}}
	hc.Status.Conditions = conditions(ago(115*time.Minute), "ValidConfiguration True AsExpected",
		"ValidReleaseImage True AsExpected", "InfrastructureReady True AsExpected", "EtcdAvailable True QuorumAvailable",
		"Available True AsExpected", "Degraded False AsExpected")
	return hc
}

func pool(hc *hyperv1.HostedCluster, have, want int32) *hyperv1.NodePool {
	np := &hyperv1.NodePool{}
	np.Namespace, np.Name, np.CreationTimestamp = hc.Namespace, hc.Name, hc.CreationTimestamp
	np.Spec.ClusterName, np.Spec.Replicas, np.Status.Replicas = hc.Name, &want, have
	for _, kind := range []string{"AllMachinesReady", "AllNodesHealthy", "Ready"} {
		np.Status.Conditions = append(np.Status.Conditions, hyperv1.NodePoolCondition{Type: kind, Status: "True",
			Reason: "AsExpected", LastTransitionTime: ago(105 * time.Minute)})
	}
	return np
}

// fleetOf is a Fleet that has read these objects.
func fleetOf(t *testing.T, o Options, objects ...client.Object) *Fleet {
	t.Helper()
	if o.MaxClusters == 0 {
		o.MaxClusters = DefaultMaxClusters
	}
	if o.Version == "" {
		o.Version = "1.2.3"
	}
	f, err := New(o, started)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		switch typed := object.(type) {
		case *hyperv1.HostedCluster:
			f.clusters[client.ObjectKeyFromObject(typed)] = typed
		case *hyperv1.NodePool:
			f.pools[client.ObjectKeyFromObject(typed)] = typed
		}
	}
	f.note("HostedCluster", true)
	f.note("NodePool", true)
	return f
}

func text(t *testing.T, f *Fleet) string {
	t.Helper()
	var b strings.Builder
	if err := f.Write(&b, now); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// troubled are a cluster that is well, one that is being created, one that fails in an update, one that is broken, and
// one that is being deleted.
func troubled() []client.Object {
	good := well("clusters", "kv-00")
	creating := well("clusters", "kv-01")
	creating.CreationTimestamp, creating.Status.Version = ago(10*time.Minute), nil
	creating.Status.Conditions = conditions(ago(9*time.Minute), "ValidConfiguration True AsExpected",
		"ValidReleaseImage True AsExpected", "InfrastructureReady True AsExpected",
		"EtcdAvailable False EtcdWaitingForQuorum", "Available False EtcdWaitingForQuorum")
	upgrading := well("clusters", "kv-02")
	upgrading.Status.Version.Desired.Version = "4.20.8"
	upgrading.Status.Version.History = append([]configv1.UpdateHistory{{State: configv1.PartialUpdate, Version: "4.20.8",
		StartedTime: ago(150 * time.Minute)}}, upgrading.Status.Version.History...)
	upgrading.Status.Conditions = append(upgrading.Status.Conditions,
		conditions(ago(2*time.Hour), "ClusterVersionProgressing True ClusterOperatorsUpdating")...)
	broken := well("tenants", "kv-03")
	broken.Status.Conditions[1] = conditions(ago(30*time.Minute), "ValidReleaseImage False InvalidImage")[0]
	deleting := well("tenants", "kv-04")
	deletion := ago(90 * time.Minute)
	deleting.DeletionTimestamp = &deletion
	short := pool(upgrading, 1, 3)
	short.Status.Conditions[0] = hyperv1.NodePoolCondition{Type: "AllMachinesReady", Status: "False",
		Reason: "CreationFailed", LastTransitionTime: ago(80 * time.Minute)}
	return []client.Object{good, pool(good, 2, 2), creating, upgrading, short, broken, pool(broken, 2, 2), deleting}
}

func hostile(i int) string { return fmt.Sprintf("Reason%dOfAServer", i) }
