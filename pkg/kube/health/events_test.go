package health_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// reported are events as their reporters write them: client-go's recorder of core/v1 (kubelet, controllers), and that
// of events.k8s.io (kube-scheduler), which counts in a series.
const reported = `
- {type: Warning, reason: Unhealthy, message: "Readiness probe failed: connection refused\n", count: 7,
   firstTimestamp: "2026-11-20T09:00:00Z", lastTimestamp: "2026-11-20T10:00:00Z", source: {component: kubelet},
   involvedObject: {apiVersion: v1, kind: Pod, namespace: ns, name: x, uid: u1, fieldPath: "spec.containers{main}"}}
- {type: Warning, reason: FailedScheduling, message: "0/3 nodes are available", reportingComponent: default-scheduler,
   eventTime: "2026-11-20T09:00:00.000000Z", series: {count: 14, lastObservedTime: "2026-11-20T10:01:40.000000Z"},
   involvedObject: {apiVersion: v1, kind: Pod, namespace: ns, name: x, uid: u1}}
- {type: Normal, reason: Pulled, message: done, count: 1, lastTimestamp: "2026-11-20T10:01:59Z",
   involvedObject: {apiVersion: v1, kind: Pod, namespace: ns, name: x, uid: u1}}
- {type: Warning, reason: BackOff, message: an earlier pod of that name, count: 1, lastTimestamp: "2026-11-20T10:01:58Z",
   involvedObject: {apiVersion: v1, kind: Pod, namespace: ns, name: x, uid: u0}}
- {type: Warning, reason: ProvisioningFailed, message: a claim of that name, count: 1, lastTimestamp: "2026-11-20T10:01:58Z",
   involvedObject: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: ns, name: x, uid: u2}}
- {type: Warning, reason: Rebooted, message: "Node w1 has been rebooted", count: 1, lastTimestamp: "2026-11-20T10:01:00Z",
   source: {component: kubelet}, involvedObject: {kind: Node, name: w1, uid: w1}}
- {type: Warning, reason: FailedCreate, message: "exceeded quota: \u001b[2Jsmall", eventTime: "2026-11-20T10:00:30.000000Z",
   involvedObject: {apiVersion: apps/v1, kind: StatefulSet, namespace: ns, name: etcd}}
`

func TestNewestWarning(t *testing.T) {
	var events []corev1.Event
	if err := yaml.Unmarshal([]byte(reported), &events); err != nil {
		t.Fatal(err)
	}
	named := func(o client.Object, namespace, name, uid string) client.Object {
		o.SetNamespace(namespace)
		o.SetName(name)
		o.SetUID(types.UID(uid))
		return o
	}
	untyped := func(version, kind string) client.Object {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": kind}}
	}
	for name, tc := range map[string]struct {
		object client.Object
		want   string
	}{
		"counted in a series":     {named(&corev1.Pod{}, "ns", "x", "u1"), "FailedScheduling: 0/3 nodes are available (14 times, last 20s ago)"},
		"of another pod":          {named(&corev1.Pod{}, "ns", "x", "u9"), ""},
		"of another namespace":    {named(&corev1.Pod{}, "other", "x", "u1"), ""},
		"a kubelet's of its node": {named(&corev1.Node{}, "", "w1", "8f1"), "Rebooted: Node w1 has been rebooted (60s ago)"},
		"of another kind":         {named(untyped("v1", "PersistentVolumeClaim"), "ns", "x", "u2"), "ProvisioningFailed: a claim of that name (2s ago)"},
		"without a UID": {named(untyped("apps/v1", "StatefulSet"), "ns", "etcd", "e"),
			`FailedCreate: exceeded quota: \x1b[2Jsmall (90s ago)`},
		"of another group": {named(untyped("example.com/v1", "StatefulSet"), "ns", "etcd", "e"), ""},
	} {
		got, found := health.NewestWarning(events, tc.object)
		if said := got.Describe(now); found != (tc.want != "") || found && said != tc.want {
			t.Errorf("%s: %q, want %q", name, said, tc.want)
		}
	}
	last, _ := health.NewestEvent(events, named(&corev1.Pod{}, "ns", "x", "u1"))
	if last.Describe(now) != "Pulled: done (1s ago)" {
		t.Errorf("last: %+v", last)
	}
}
