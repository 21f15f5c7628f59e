package health_test

import (
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// verdict is an object as its controller writes it, and what is to be said of it. grade is Verdict.Grade in words, says
// a part of the message, since the time of Verdict.Since on the day of now ("" is none).
type verdict struct {
	object, grade, says, since string
	facts                      []health.Fact
}

// of makes an object of the kind, with name x and namespace ns, created at 10:00, from its other fields.
func of(apiVersion, kind, fields string) string {
	return "{apiVersion: " + apiVersion + ", kind: " + kind +
		`, metadata: {name: x, namespace: ns, creationTimestamp: "2026-11-20T10:00:00Z"}, ` + fields + "}"
}

// earlier makes an object two hours older.
func earlier(object string) string { return strings.Replace(object, "T10:00:00Z", "T08:00:00Z", 1) }

// condition is one of a status, with the time 10:01.
func condition(conditionType, status, reason, message string) string {
	return `{type: ` + conditionType + `, status: "` + status + `", reason: "` + reason + `", message: "` + message +
		`", lastTransitionTime: "2026-11-20T10:01:00Z"}`
}

// conditions is a status of conditions, after other fields.
func conditions(fields string, list ...string) string {
	return "status: {" + fields + "conditions: [" + strings.Join(list, ", ") + "]}"
}

// kinds has the objects of every kind that has a judge of its own besides workloads.
func kinds() map[string]verdict {
	all := map[string]verdict{}
	for kind, table := range map[string]map[string]verdict{"Pod": pods(), "Node": nodes(), "workload": wanting(),
		"PersistentVolumeClaim": claims(), "PersistentVolume": volumes(), "CephCluster": cephs(),
		"Service": services(), "Route": routes(),
		"CertificateSigningRequest": requests(), "PodDisruptionBudget": budgets(), "Machine": machines(),
		"VirtualMachine": virtualMachines(), "VirtualMachineInstance": instances(), "DataVolume": dataVolumes(),
		"ClusterOperator": operators(), "operator's": operatorsObjects(), "ClusterVersion": versions(),
		"MachineConfigPool": configPools(), "ManagedCluster": managedClusters()} {
		for name, v := range maps.All(table) {
			all[kind+", "+name] = v
		}
	}
	return all
}

// TestEveryJudgeHasRows wants an object that is well and one that is not of each kind that has a judge.
func TestEveryJudgeHasRows(t *testing.T) {
	good, bad := map[schema.GroupKind]bool{}, map[schema.GroupKind]bool{}
	add := func(text string, ok bool) {
		kind := object(t, text).GroupVersionKind().GroupKind()
		good[kind], bad[kind] = good[kind] || ok, bad[kind] || !ok
	}
	for _, tc := range kinds() {
		add(tc.object, tc.grade == "ok")
	}
	for _, tc := range cases() {
		add(tc.object, tc.want == step.StateOK)
	}
	for _, kind := range health.JudgedKinds() {
		if !good[kind] || !bad[kind] {
			t.Errorf("%s: one that is well: %t, one that is not: %t", kind, good[kind], bad[kind])
		}
	}
}

func TestJudgeKinds(t *testing.T) {
	for name, tc := range kinds() {
		t.Run(name, func(t *testing.T) {
			u := object(t, tc.object)
			v := health.Judge(u, now, tc.facts...)
			if v.Grade().String() != tc.grade || !strings.Contains(v.Message, tc.says) {
				t.Errorf("%s: %q, want %s: %q", v.Grade(), v.Message, tc.grade, tc.says)
			}
			if since := v.Since.UTC().Format("15:04"); !v.Since.IsZero() && since != tc.since || v.Since.IsZero() && tc.since != "" {
				t.Errorf("since %s, want %s", v.Since, tc.since)
			}
			if v.Grade() != step.StateOK && (v.Message == "" || v.Reason == "") || v.Object == "" {
				t.Errorf("got %+v", v)
			}
			if v.OK() != (tc.grade == "ok" || tc.grade == "warning") {
				t.Errorf("OK is %t", v.OK())
			}
		})
	}
}

func pods() map[string]verdict {
	// ran is a container of a running pod, ended the last time at 10:01.
	ran := func(restarts, ended string) string {
		return pod(`phase: Running, conditions: [` + condition("Ready", "True", "", "") + `], containerStatuses: [{name: main, ` +
			`image: i, imageID: "", ready: true, restartCount: ` + restarts + `, state: {running: {}}, lastState: {terminated: {` +
			ended + `}}}]`)
	}
	waits := func(container, state string) string {
		return pod(`phase: Pending, conditions: [` + condition("PodScheduled", "True", "", "") + `], ` + container +
			`: [{name: main, image: i, imageID: "", ready: false, restartCount: 2, state: {waiting: {` + state + `}}}]`)
	}
	unready := condition("Ready", "False", "ContainersNotReady", "containers with unready status: [main]")
	initializes := pod(`phase: Pending, conditions: [` + unready + `], initContainerStatuses: [{name: wait, image: i, ` +
		`imageID: "", ready: false, restartCount: 0, state: {running: {startedAt: "2026-11-20T10:01:00Z"}}}]`)
	return map[string]verdict{
		"OOMKilled 57 times, ready": {object: ran("57", `exitCode: 137, reason: OOMKilled, finishedAt: "2026-11-20T10:01:00Z"`),
			grade: "warning", since: "10:01",
			says: "container main has restarted 57 times, the last time 60s ago: it ended with exit code 137 (OOMKilled)"},
		"restarted once": {object: ran("1", `exitCode: 1, reason: Error, finishedAt: "2026-11-20T10:01:00Z"`), grade: "ok",
			since: "10:01"},
		"restarted long ago": {object: ran("57", `exitCode: 137, reason: OOMKilled, finishedAt: "2026-11-18T10:01:00Z"`),
			grade: "ok", since: "10:01"},
		"a member of etcd with a broken log": {object: pod(`phase: Running, conditions: [` + unready + `], containerStatuses: [{` +
			`name: etcd, image: i, imageID: "", ready: false, restartCount: 9, state: {waiting: {reason: CrashLoopBackOff, message: ` +
			`back-off 5m0s restarting}}, lastState: {terminated: {exitCode: 2, reason: Error, finishedAt: "2026-11-20T10:01:30Z", ` +
			`message: "{\"level\":\"info\"}\npanic: raft log corrupted\n"}}}]`), grade: "failing", since: "10:01",
			says: "container etcd: CrashLoopBackOff: it ended with exit code 2 (Error): panic: raft log corrupted"},
		"an init container has ended": {object: pod(`phase: Pending, conditions: [` + unready + `], initContainerStatuses: [{` +
			`name: wait, image: i, imageID: "", ready: false, restartCount: 0, state: {terminated: {exitCode: 3, reason: Error, ` +
			`finishedAt: "2026-11-20T10:01:30Z", message: "no \u001b[31mDNS"}}}]`), grade: "failing", since: "10:01",
			says: `container wait: it ended with exit code 3 (Error): no \x1b[31mDNS`},
		"an init container runs": {object: initializes, grade: "pending", since: "10:01",
			says: "init container wait runs and has not ended"},
		"an init container runs for long": {object: strings.Replace(initializes, `startedAt: "2026-11-20T10`,
			`startedAt: "2026-11-20T09`, 1), grade: "failing", since: "09:01", says: "init container wait runs"},
		"an init container is a sidecar": {object: strings.Replace(initializes, "spec: {", "spec: {initContainers: [{name: "+
			"wait, image: i, restartPolicy: Always}], ", 1), grade: "pending", since: "10:01",
			says: "it is Pending and not ready"},
		"containers are created": {object: waits("containerStatuses", "reason: ContainerCreating"), grade: "pending",
			says: "container main is being created", since: "10:01"},
		"containers are created for long": {object: strings.Replace(waits("containerStatuses", "reason: ContainerCreating"),
			"T10:01:00Z", "T09:01:00Z", 1), grade: "failing", since: "09:01", says: "has not been created for more than 5m"},
		"no secret": {object: waits("containerStatuses", `reason: CreateContainerConfigError, message: secret "a" not found`),
			grade: "failing", says: `CreateContainerConfigError: secret "a" not found`, since: "10:00"},
		"gated": {object: pod("phase: Pending, conditions: [" + condition("PodScheduled", "False", "SchedulingGated",
			"Scheduling is blocked due to non-empty scheduling gates") + "]"), grade: "failing", says: "SchedulingGated",
			since: "10:01"},
		"a probe fails": {object: pod("phase: Running, conditions: [" + unready + "]"), grade: "pending", since: "10:01",
			says: "it is Running and not ready: containers with unready status: [main]"},
		"a probe fails for long": {object: pod("phase: Running, conditions: [" + strings.Replace(unready, "10:01", "09:01", 1) +
			"]"), grade: "failing", says: "unready status: [main]", since: "09:01"},
		"of a Job that has failed": {object: pod(`phase: Failed, containerStatuses: [{name: main, image: i, imageID: "", ready: ` +
			`false, restartCount: 0, state: {terminated: {exitCode: 1, reason: Error, message: "a\nno such bucket", finishedAt: ` +
			`"2026-11-20T10:01:30Z"}}}]`), grade: "broken", since: "10:01",
			says: "it has failed: container main ended with exit code 1 (Error): no such bucket"},
		"being deleted": {object: strings.Replace(pod("phase: Running"), "metadata: {", `metadata: {deletionTimestamp: `+
			`"2026-11-20T10:02:30Z", deletionGracePeriodSeconds: 30, `, 1), grade: "pending", says: "it is being deleted",
			since: "10:02"},
	}
}

func nodes() map[string]verdict {
	node := func(fields string, list ...string) string {
		return earlier(of("v1", "Node", fields+conditions("nodeInfo: {kubeletVersion: v1.29.6}, ", list...)))
	}
	ready := condition("Ready", "True", "KubeletReady", "kubelet is posting ready status")
	return map[string]verdict{
		"ready": {object: node("", ready), grade: "ok", since: "10:01"},
		"silent": {object: node("", condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")),
			grade: "failing", says: "Ready Unknown (NodeStatusUnknown): Kubelet stopped posting node status.", since: "10:01"},
		"joined just now": {object: of("v1", "Node", conditions("", condition("Ready", "False", "KubeletNotReady",
			"container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady"))), grade: "pending",
			says: "NetworkPluginNotReady", since: "10:01"},
		"not reported": {object: of("v1", "Node", "status: {}"), grade: "pending", says: "its kubelet has not reported yet"},
		"no network": {object: node("", ready, condition("NetworkUnavailable", "True", "NoRouteCreated", "no route")),
			grade: "failing", says: "NetworkUnavailable True (NoRouteCreated): no route", since: "10:01"},
		"memory and disk": {object: node("", ready, condition("MemoryPressure", "True", "KubeletHasInsufficientMemory", ""),
			condition("DiskPressure", "True", "KubeletHasDiskPressure", "")), grade: "warning", since: "10:01",
			says: "MemoryPressure True (KubeletHasInsufficientMemory); DiskPressure True (KubeletHasDiskPressure)"},
		"out of process IDs, and cordoned": {object: node("spec: {unschedulable: true}, ", ready, condition("PIDPressure",
			"True", "KubeletHasInsufficientPID", "")), grade: "warning", since: "10:01",
			says: "PIDPressure True (KubeletHasInsufficientPID); it is cordoned"},
		"cordoned": {object: node(`spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: `+
			`NoSchedule, timeAdded: "2026-11-20T09:30:00Z"}]}, `, ready), grade: "warning", says: "it is cordoned", since: "09:30"},
	}
}

// wanting are workloads of which somebody else says how many are wanted.
func wanting() map[string]verdict {
	etcd := func(replicas, there string) string {
		return statefulSet("replicas: "+replicas, "observedGeneration: 2, replicas: "+there+", readyReplicas: "+there+
			", currentReplicas: "+there+", updatedReplicas: "+there+", availableReplicas: "+there+
			", currentRevision: a, updateRevision: a")
	}
	three := []health.Fact{health.Wanting(3)}
	return map[string]verdict{
		"etcd, as wanted":          {object: etcd("3", "3"), facts: three, grade: "ok"},
		"etcd, one member missing": {object: etcd("3", "2"), facts: three, grade: "pending", says: "2 of 3 pods are ready"},
		"etcd, made smaller": {object: etcd("1", "1"), facts: three, grade: "failing",
			says: "it is scaled to 1 and 3 are wanted: 1 of 3 pods are ready"},
		"etcd, scaled to 0": {object: etcd("0", "0"), facts: []health.Fact{health.Wanting(1)}, grade: "failing",
			says: "it is scaled to 0 and 1 are wanted: 0 of 1 pods are ready"},
		"more than wanted": {object: etcd("3", "3"), facts: []health.Fact{health.Wanting(1)}, grade: "ok"},
		"a quota": {object: deployment("replicas: 3", "observedGeneration: 2, replicas: 2, updatedReplicas: 2, readyReplicas: 2, "+
			"availableReplicas: 2, conditions: ["+condition("Available", "False", "MinimumReplicasUnavailable", "")+", "+
			strings.Replace(condition("ReplicaFailure", "True", "FailedCreate", `pods \"x-1\" is forbidden: exceeded quota: small`),
				"10:01", "09:01", 1)+"]"), facts: three, grade: "failing", says: "exceeded quota: small", since: "09:01"},
		"a ReplicaSet's": {object: strings.NewReplacer("kind: Deployment", "kind: ReplicaSet").Replace(deployment("replicas: 2",
			"observedGeneration: 2, replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 1, availableReplicas: 1")),
			grade: "pending", says: "1 of 2 pods are ready"},
	}
}

// slices are EndpointSlices of Service x.
func slices(endpoints string) []health.Fact {
	u := &unstructured.Unstructured{}
	data := `{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"name": "x-1", "namespace": "ns", ` +
		`"labels": {"kubernetes.io/service-name": "x"}}, "endpoints": [` + endpoints + `]}`
	if err := u.UnmarshalJSON([]byte(data)); err != nil {
		panic(err)
	}
	other := u.DeepCopy()
	other.SetLabels(map[string]string{"kubernetes.io/service-name": "y"})
	other.Object["endpoints"] = []any{map[string]any{"addresses": []any{"10.0.0.9"}}}
	return []health.Fact{health.Endpoints([]unstructured.Unstructured{*u, *other})}
}
