package health_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// now is the API server's time in the tests.
var now = time.Date(2026, 11, 20, 10, 2, 0, 0, time.UTC)

func object(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), u); err != nil {
		t.Fatal(err)
	}
	if u.GetName() == "" {
		u.SetName("x")
		u.SetNamespace("ns")
	}
	return u
}

// complete is the condition of a Deployment that has rolled out.
const complete = `{type: Progressing, status: "True", reason: NewReplicaSetAvailable, message: done}`

func deployment(spec, status string) string {
	return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x, namespace: ns, generation: 2}, " +
		"spec: {progressDeadlineSeconds: 600, " + spec + "}, status: {" + status + "}}"
}

func daemonSet(spec, status string) string {
	return "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: x, namespace: ns, generation: 2}, spec: {" + spec +
		"}, status: {" + status + "}}"
}

func statefulSet(spec, status string) string {
	return "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: x, namespace: ns, generation: 2}, spec: {" + spec +
		"}, status: {" + status + "}}"
}

func job(spec, status string) string {
	return "{apiVersion: batch/v1, kind: Job, metadata: {name: x, namespace: ns, generation: 1}, spec: {" +
		"completions: 1, parallelism: 1, backoffLimit: 6, " + spec + "}, status: {" + status + "}}"
}

func pod(status string) string {
	return "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: ns, creationTimestamp: \"2026-11-20T10:00:00Z\"}, " +
		"spec: {containers: [{name: main, image: i}]}, status: {" + status + "}}"
}

func custom(status string) string {
	return "{apiVersion: example.com/v1, kind: Thing, metadata: {name: x, namespace: ns, generation: 2}, status: {" +
		status + "}}"
}

func definition(conditions string) string {
	return "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x}, status: " +
		"{conditions: [" + conditions + "]}}"
}

const (
	available   = `{type: Available, status: "True", reason: MinimumReplicasAvailable}`
	unavailable = `{type: Available, status: "False", reason: MinimumReplicasUnavailable}`
	upToDate    = "observedGeneration: 2, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3, "
)

// cases are objects as Kubernetes' own controllers write them, and what is to be said of them.
func cases() map[string]struct {
	object string
	want   step.State
	says   string
} {
	type row = struct {
		object string
		want   step.State
		says   string
	}
	const ok, pending, broken, unknown = step.StateOK, step.StatePending, step.StateBroken, step.StateUnknown
	return map[string]row{
		"Deployment, rolled out":   {deployment("replicas: 3", upToDate+"conditions: ["+available+", "+complete+"]"), ok, ""},
		"Deployment, just applied": {deployment("replicas: 3", ""), pending, "its controller has not processed it yet"},
		"Deployment, observedGeneration behind": {deployment("replicas: 3", strings.Replace(upToDate, "n: 2", "n: 1", 1)+
			"conditions: ["+available+", "+complete+"]"), pending, "its controller has not processed it yet"},
		"Deployment, an old deadline and a new generation": {deployment("replicas: 1", "observedGeneration: 1, conditions: ["+
			`{type: Progressing, status: "False", reason: ProgressDeadlineExceeded}]`), pending, "not processed"},
		"Deployment, past its deadline": {deployment("replicas: 1", "observedGeneration: 2, replicas: 1, "+
			"updatedReplicas: 1, unavailableReplicas: 1, conditions: ["+unavailable+
			`, {type: Progressing, status: "False", reason: ProgressDeadlineExceeded, message: "ReplicaSet \"x-1\" has timed `+
			`out progressing."}]`), broken, `ProgressDeadlineExceeded): ReplicaSet "x-1" has timed out progressing.`},
		"Deployment, past its deadline, old pods serve": {deployment("replicas: 3", "observedGeneration: 2, replicas: 4, "+
			"updatedReplicas: 1, readyReplicas: 3, availableReplicas: 3, conditions: ["+available+
			`, {type: Progressing, status: "False", reason: ProgressDeadlineExceeded, message: late}]`), broken, "late"},
		"Deployment, none updated": {deployment("replicas: 3", "observedGeneration: 2, replicas: 3, readyReplicas: 3, "+
			"availableReplicas: 3, conditions: ["+available+`, {type: Progressing, status: "True", reason: ReplicaSetUpdated}]`),
			pending, "0 of 3 pods are updated"},
		"Deployment, old pods are left": {deployment("replicas: 3", "observedGeneration: 2, replicas: 4, updatedReplicas: 3, "+
			"readyReplicas: 4, availableReplicas: 4, conditions: ["+available+"]"), pending, "1 of 4 pods are to end"},
		"Deployment, Recreate, between": {deployment("replicas: 1, strategy: {type: Recreate}", "observedGeneration: 2, "+
			"conditions: ["+unavailable+`, {type: Progressing, status: "True", reason: ReplicaSetUpdated}]`), pending,
			"0 of 1 pods are ready"},
		"Deployment, not long enough ready": {deployment("replicas: 1, minReadySeconds: 30", "observedGeneration: 2, "+
			"replicas: 1, updatedReplicas: 1, readyReplicas: 1, conditions: ["+unavailable+"]"), pending,
			"0 of 1 pods are available"},
		"Deployment, scaled to 0": {deployment("replicas: 0", "observedGeneration: 2, conditions: ["+available+", "+
			complete+"]"), ok, ""},
		"Deployment, paused": {deployment("replicas: 3, paused: true", "observedGeneration: 2, replicas: 3, readyReplicas: 3, "+
			`availableReplicas: 3, conditions: [`+available+`, {type: Progressing, status: Unknown, reason: DeploymentPaused}]`),
			pending, "0 of 3 pods are updated, and its roll-out is paused: spec.paused is true"},
		"Deployment, pods just refused": {deployment("replicas: 1", "observedGeneration: 2, conditions: ["+unavailable+
			`, {type: ReplicaFailure, status: "True", reason: FailedCreate, message: "exceeded quota", `+
			`lastTransitionTime: "2026-11-20T10:01:30Z"}]`), pending, "FailedCreate): exceeded quota"},
		"Deployment, pods refused": {deployment("replicas: 1", "observedGeneration: 2, conditions: ["+unavailable+
			`, {type: ReplicaFailure, status: "True", reason: FailedCreate, message: "exceeded quota", `+
			`lastTransitionTime: "2026-11-20T10:00:00Z"}]`), broken, "FailedCreate): exceeded quota"},
		"Deployment, being deleted": {strings.Replace(deployment("replicas: 3", upToDate+"conditions: ["+available+", "+
			complete+"]"), "generation: 2", `generation: 2, deletionTimestamp: "2026-11-20T10:01:00Z"`, 1), pending,
			"it is being deleted"},

		"DaemonSet, up": {daemonSet("", "observedGeneration: 2, desiredNumberScheduled: 3, currentNumberScheduled: 3, "+
			"updatedNumberScheduled: 3, numberReady: 3, numberAvailable: 3, numberMisscheduled: 0"), ok, ""},
		"DaemonSet, just applied": {daemonSet("", "currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, "+
			"numberReady: 0"), pending, "its controller has not processed it yet"},
		"DaemonSet, changed": {daemonSet("", "observedGeneration: 1, desiredNumberScheduled: 3, currentNumberScheduled: 3, "+
			"updatedNumberScheduled: 3, numberReady: 3, numberAvailable: 3"), pending, "not processed it yet"},
		"DaemonSet, none updated": {daemonSet("", "observedGeneration: 2, desiredNumberScheduled: 3, currentNumberScheduled: "+
			"3, numberReady: 3, numberAvailable: 3"), pending, "0 of 3 pods are updated"},
		"DaemonSet, half ready": {daemonSet("", "observedGeneration: 2, desiredNumberScheduled: 3, currentNumberScheduled: 3, "+
			"updatedNumberScheduled: 3, numberReady: 2, numberAvailable: 2"), pending, "2 of 3 pods are ready"},
		"DaemonSet, no node": {daemonSet("", "observedGeneration: 2, currentNumberScheduled: 0, desiredNumberScheduled: 0, "+
			"numberMisscheduled: 0, numberReady: 0"), ok, ""},
		"DaemonSet, OnDelete": {daemonSet("updateStrategy: {type: OnDelete}", "observedGeneration: 2, desiredNumberScheduled: "+
			"2, currentNumberScheduled: 2, updatedNumberScheduled: 1, numberReady: 2, numberAvailable: 2"), pending,
			"1 of 2 pods are updated: with updateStrategy OnDelete"},

		"StatefulSet, up": {statefulSet("replicas: 3", "observedGeneration: 2, replicas: 3, readyReplicas: 3, currentReplicas: "+
			"3, updatedReplicas: 3, availableReplicas: 3, currentRevision: a, updateRevision: a"), ok, ""},
		"StatefulSet, just applied": {statefulSet("replicas: 3", "replicas: 0, availableReplicas: 0"), pending, "not processed"},
		"StatefulSet, second revision": {statefulSet("replicas: 3", "observedGeneration: 2, replicas: 3, readyReplicas: 3, "+
			"currentReplicas: 2, updatedReplicas: 1, availableReplicas: 3, currentRevision: a, updateRevision: b"), pending,
			"1 of 3 pods are updated"},
		"StatefulSet, partition reached": {statefulSet("replicas: 3, updateStrategy: {type: RollingUpdate, rollingUpdate: "+
			"{partition: 2}}", "observedGeneration: 2, replicas: 3, readyReplicas: 3, currentReplicas: 2, updatedReplicas: 1, "+
			"availableReplicas: 3, currentRevision: a, updateRevision: b"), ok, ""},
		"StatefulSet, partition not reached": {statefulSet("replicas: 3, updateStrategy: {type: RollingUpdate, rollingUpdate: "+
			"{partition: 1}}", "observedGeneration: 2, replicas: 3, readyReplicas: 3, currentReplicas: 2, updatedReplicas: 1, "+
			"availableReplicas: 3, currentRevision: a, updateRevision: b"), pending, "1 of 2 pods are updated"},
		"StatefulSet, OnDelete, none ready": {statefulSet("replicas: 2, updateStrategy: {type: OnDelete}",
			"observedGeneration: 2, replicas: 2, currentReplicas: 2"), pending, "0 of 2 pods are ready"},

		"ReplicaSet, all ready": {strings.Replace(deployment("replicas: 3", "observedGeneration: 2, replicas: 3, "+
			"fullyLabeledReplicas: 3, readyReplicas: 3, availableReplicas: 3"), "Deployment", "ReplicaSet", 1), ok, ""},

		"Job, new":       {job("", ""), pending, "it has not completed: 0 of 1 pods have succeeded"},
		"Job, runs":      {job("", `startTime: "2026-11-20T10:00:00Z", active: 1, failed: 2`), pending, "succeeded, 2 failed"},
		"Job, completed": {job("", `startTime: "2026-11-20T10:00:00Z", succeeded: 1, conditions: [{type: Complete, status: "True"}]`), ok, ""},
		"Job, suspended": {job("suspend: true", `conditions: [{type: Suspended, status: "True", reason: JobSuspended}]`), pending,
			"it is suspended: spec.suspend is true"},
		"Job, too many failures": {job("", `startTime: "2026-11-20T10:00:00Z", failed: 7, conditions: [{type: Failed, status: `+
			`"True", reason: BackoffLimitExceeded, message: Job has reached the specified backoff limit}]`), broken,
			"(BackoffLimitExceeded): Job has reached the specified backoff limit"},
		"Job, too late": {job("activeDeadlineSeconds: 5", `startTime: "2026-11-20T10:00:00Z", failed: 1, conditions: [{type: `+
			`Failed, status: "True", reason: DeadlineExceeded, message: Job was active longer than specified deadline}]`), broken,
			"DeadlineExceeded"},
		"Job, its pods are being ended": {job("", `startTime: "2026-11-20T10:00:00Z", active: 1, conditions: [{type: `+
			`FailureTarget, status: "True", reason: PodFailurePolicy, message: exit code 42}]`), broken, "exit code 42"},

		"Pod, ready": {pod(`phase: Running, conditions: [{type: Ready, status: "True"}]`), ok, ""},
		"Pod, done":  {pod(`phase: Succeeded, conditions: [{type: Ready, status: "False", reason: PodCompleted}]`), ok, ""},
		"Pod, failed": {pod("phase: Failed, reason: Evicted, message: The node was low on resource"), broken,
			"it has failed: Evicted: The node was low on resource"},
		"Pod, crash loop": {pod(`phase: Running, conditions: [{type: Ready, status: "False"}], containerStatuses: [{name: main, ` +
			`ready: false, restartCount: 4, image: i, imageID: "", state: {waiting: {reason: CrashLoopBackOff, message: back-off ` +
			`40s restarting}}, lastState: {terminated: {exitCode: 1, reason: Error}}}]`), pending,
			"container main: CrashLoopBackOff: it ended with exit code 1 (Error)"},
		"Pod, no image": {pod(`phase: Pending, containerStatuses: [{name: main, image: i, imageID: "", ready: false, restartCount: 0, ` +
			`state: {waiting: {reason: ImagePullBackOff}}}]`), pending, "container main: ImagePullBackOff"},
		"Pod, no node": {pod(`phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: ` +
			`0/3 nodes are available}]`), pending, "Unschedulable: 0/3 nodes are available"},
		"Pod, starting":       {pod("phase: Pending"), pending, "it is Pending and not ready"},
		"Pod, not seen":       {pod(""), pending, "it is not ready"},
		"Pod, of no form":     {pod("phase: Running, containerStatuses: [5]"), unknown, "form"},
		"Pod, no such phase":  {pod("phase: Sleeping"), unknown, "unknown phase Sleeping"},
		"CRD, established":    {definition(`{type: Established, status: "True"}`), ok, ""},
		"CRD, names taken":    {definition(`{type: NamesAccepted, status: "False", reason: Conflict, message: taken}`), broken, "NamesAccepted False (Conflict): taken"},
		"CRD, new":            {definition(""), pending, "Established not reported yet"},
		"custom, no status":   {custom(""), ok, ""},
		"custom, behind":      {custom("observedGeneration: 1"), pending, "has not processed its latest change"},
		"custom, ready":       {custom(`observedGeneration: 2, conditions: [{type: Ready, status: "True"}]`), ok, ""},
		"custom, not ready":   {custom(`conditions: [{type: Ready, status: "False", reason: Why}]`), pending, "Ready False (Why)"},
		"custom, unavailable": {custom(`conditions: [{type: Available, status: "False"}]`), pending, "Available False"},
		"custom, stalled":     {custom(`conditions: [{type: Stalled, status: "True", reason: Why}]`), pending, "Stalled True (Why)"},
		"custom, works on it": {custom(`conditions: [{type: Progressing, status: "True"}, {type: Available, status: "True"}]`), pending, "Progressing True"},
		"custom, called Deployment": {strings.Replace(custom(`conditions: [{type: Ready, status: "True"}]`), "Thing",
			"Deployment", 1), ok, ""},
		"anything else": {"{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: x, namespace: ns}}", ok, ""},
	}
}

func TestJudge(t *testing.T) {
	trouble := map[string]bool{"Deployment, pods just refused": true, "Job, suspended": true, "Pod, crash loop": true,
		"Pod, no image": true, "Pod, no node": true, "custom, stalled": true, "Deployment, past its deadline": true,
		"Deployment, past its deadline, old pods serve": true, "Deployment, pods refused": true}
	for name, tc := range cases() {
		t.Run(name, func(t *testing.T) {
			v := health.Judge(object(t, tc.object), now)
			steptest.Expect(t, v.Finding, tc.want, tc.says)
			if v.Trouble != trouble[name] {
				t.Errorf("Trouble is %t", v.Trouble)
			}
			if v.OK() != (tc.want == step.StateOK) || v.Object == "" || !v.OK() && v.Message == "" {
				t.Errorf("got %+v", v)
			}
		})
	}
}

// TestOf shows that a typed object is judged as it is in the API server's words.
func TestOf(t *testing.T) {
	for name, tc := range cases() {
		u := object(t, tc.object)
		o, is := map[string]client.Object{"Deployment": &appsv1.Deployment{}, "DaemonSet": &appsv1.DaemonSet{},
			"StatefulSet": &appsv1.StatefulSet{}, "Pod": &corev1.Pod{}}[u.GetKind()]
		if !is || u.GroupVersionKind().Group == "example.com" {
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o); err != nil {
			continue // TestJudge has what cannot be read
		}
		t.Run(name, func(t *testing.T) {
			got := health.Of(o, now)
			if want := health.Judge(u, now); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// TestReadyPods shows that pods of before a change do not count.
func TestReadyPods(t *testing.T) {
	d := &appsv1.Deployment{}
	d.Generation, d.Status.ObservedGeneration, d.Status.ReadyReplicas = 2, 2, 3
	if n := health.ReadyPods(d); n != 3 {
		t.Errorf("%d pods", n)
	}
	d.Status.ObservedGeneration = 1
	if n := health.ReadyPods(d); n != 0 {
		t.Errorf("%d pods, of before the change", n)
	}
	d.Generation, d.Status.ObservedGeneration = 0, 0
	if n := health.ReadyPods(d); n != 0 {
		t.Errorf("%d pods of a Deployment that no controller has seen", n)
	}
}

// TestWaiting shows that a step goes on where a controller may, and ends where it does not.
func TestWaiting(t *testing.T) {
	for name, want := range map[string]step.State{"Deployment, past its deadline": step.StatePending,
		"Job, too many failures": step.StateBroken, "Deployment, rolled out": step.StateOK} {
		f := health.Judge(object(t, cases()[name].object), now).Waiting()
		if f.State != want {
			t.Errorf("%s: %s", name, f.State)
		}
	}
}
