package restore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// TestChecks are the findings on the way: what each step waits for, and what it does not take for its own.
func TestChecks(t *testing.T) {
	pod := func(meta, status string) string {
		return fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {namespace: clusters-kv-00, name: hcctl-etcd-restore, %s},
			status: {%s}}`, meta, status)
	}
	const own = "labels: {app.kubernetes.io/managed-by: hcctl}"
	const going = `, deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [a]`
	mine := `{"id":"1","snapshot":"5eed","replicas":{"etcd":3,"kube-apiserver":2}}`
	hc := func(mark, spec string) string { return hosted(fmt.Sprintf(marked, mark), spec) }
	const paused = `pausedUntil: "true"`
	etcd := func(replicas, ready int) string {
		return strings.Replace(workload("StatefulSet", "etcd", replicas), "}}}}", fmt.Sprintf("}}}, status: {observedGeneration: 1, replicas: %[1]d, readyReplicas: %[1]d}}",
			ready), 1)
	}
	restored := fmt.Sprintf(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: clusters-kv-00,
		name: data-etcd-0, annotations: {hcctl.dev/restored: %q}}}`, "1")
	for name, tc := range map[string]struct {
		id      step.ID
		objects []string
		state   step.State
		says    string
	}{
		"no pod":           {"restore/pod", nil, step.StateMissing, "does not exist"},
		"a pod of others":  {"restore/pod", []string{pod("", "phase: Running")}, step.StateBroken, "is not hcctl's"},
		"a pod that ended": {"restore/pod", []string{pod(own, "phase: Failed")}, step.StateMissing, "has ended"},
		"a pod that goes":  {"restore/pod", []string{pod(own+going, "phase: Running")}, step.StatePending, "being deleted"},
		"a pod without a node": {"restore/pod", []string{pod(own, `phase: Pending, conditions: [{type: PodScheduled,
			status: "False", reason: Unschedulable, message: no room}]`)}, step.StatePending, "Unschedulable: no room"},
		"a pod that starts": {"restore/pod", []string{pod(own, "phase: Pending")}, step.StatePending, "Pending"},
		"a pod that runs": {"restore/pod", []string{pod(own, `phase: Running, conditions: [{type: Ready, status: "True"}]`)},
			step.StateOK, "runs"},
		"a pod, with the data restored": {"restore/pod", []string{restored}, step.StateOK, "the data are restored"},
		"a pod of others at the end":    {"restore/pod-removed", []string{pod("", "")}, step.StateBroken, "is not hcctl's"},
		"the pod at the end":            {"restore/pod-removed", []string{pod(own, "")}, step.StateMissing, "has the volume"},
		"the pod is gone":               {"restore/pod-removed", nil, step.StateOK, "gone"},

		"not paused": {"restore/paused", []string{hosted("", "")}, step.StateMissing, "not paused for this restore"},
		"paused by a person": {"restore/paused", []string{hosted("", paused)}, step.StateMissing,
			"not paused for this restore"},
		"not paused yet below": {"restore/paused", []string{hc(mine, paused), hostedControlPlane("kv-00", "clusters/kv-00", "")},
			step.StatePending, "operator is not paused yet"},
		"no control plane": {"restore/paused", []string{hc(mine, paused)}, step.StatePending, "operator is not paused yet"},
		"another's control plane": {"restore/paused", []string{hc(mine, paused),
			hostedControlPlane("kv-00", "clusters/kv-00", "true"), hostedControlPlane("00", "clusters-kv/00", "true")},
			step.StateBroken, `holds the control plane of HostedCluster "clusters-kv/00", too`},
		"paused": {"restore/paused", []string{hc(mine, paused), hostedControlPlane("kv-00", "clusters/kv-00", "true")},
			step.StateOK, "paused"},
		"another restore": {"restore/paused", []string{hc(strings.Replace(mine, "1", "2", 1), paused)}, step.StateBroken,
			"another restore has begun meanwhile"},
		"a mark that was changed": {"restore/paused", []string{hc("x", paused)}, step.StateBroken, "cannot be read"},
		"the cluster was deleted": {"restore/paused", nil, step.StateMissing, "does not exist"},

		"API servers run":    {"restore/api-servers-stopped", []string{workload("Deployment", "kube-apiserver", 2)}, step.StateMissing, "2 replicas, must be 0"},
		"API servers end":    {"restore/api-servers-stopped", []string{workload("Deployment", "kube-apiserver", 0), appPod("kube-apiserver")}, step.StatePending, "is stopping"},
		"no API servers":     {"restore/api-servers-stopped", nil, step.StateOK, "no API server runs"},
		"no API servers yet": {"restore/api-servers-started", nil, step.StateOK, "HyperShift creates them"},
		"API servers are off": {"restore/api-servers-started", []string{workload("Deployment", "kube-apiserver", 0)},
			step.StateMissing, "0 replicas, must be 2"},
		"API servers start": {"restore/api-servers-started", []string{workload("Deployment", "kube-apiserver", 2)},
			step.StatePending, "its controller has not processed it yet"},

		"no etcd":      {"restore/etcd-stopped", nil, step.StateMissing, "does not exist"},
		"etcd runs":    {"restore/etcd-stopped", []string{etcd(3, 3)}, step.StateMissing, "3 replicas, must be 0"},
		"etcd ends":    {"restore/etcd-stopped", []string{etcd(0, 0), appPod("etcd")}, step.StatePending, "is stopping"},
		"etcd is off":  {"restore/etcd-started", []string{etcd(0, 0)}, step.StateMissing, "0 replicas, must be 3"},
		"one of three": {"restore/etcd-started", []string{etcd(3, 1)}, step.StatePending, "1 of 3 pods are ready"},
		"two of three": {"restore/etcd-started", []string{etcd(3, 2)}, step.StateOK, "2 of 3 members ready"},
		"a third volume": {"restore/volumes-removed", []string{volume(0, "old"), volume(2, "old")}, step.StateMissing,
			"PersistentVolumeClaim clusters-kv-00/data-etcd-2: has data from before the restore"},
		"one volume": {"restore/volumes-removed", []string{volume(0, "old")}, step.StateOK, "only that of etcd-0"},

		"still paused":  {"restore/resumed", []string{hc(mine, paused)}, step.StateMissing, "still paused for this restore"},
		"resumed":       {"restore/resumed", []string{hc(mine, "")}, step.StateOK, ""},
		"no word yet":   {"restore/available", []string{hc(mine, "")}, step.StatePending, ""},
		"paused before": {"restore/available", []string{hc(mine, paused)}, step.StateOK, "paused until true, as before"},
		"marked":        {"restore/finished", []string{hc(mine, "")}, step.StateMissing, "still marked"},
		"finished":      {"restore/finished", []string{hosted("", "")}, step.StateOK, "over"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.objects...)
			p := &Plan{client: w.client, content: saved(), mark: mark{ID: "1", Snapshot: "5eed",
				Replicas: map[string]int32{"etcd": 3, "kube-apiserver": 2}}}
			found := steptest.Find(t, p.Steps(), tc.id).Check(t.Context(), nil)
			if text := found.Object + ": " + found.Message; found.State != tc.state || !strings.Contains(text, tc.says) {
				t.Errorf("%s %s, want %s %q", found.State, text, tc.state, tc.says)
			}
		})
	}
}

func appPod(app string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {namespace: clusters-kv-00, name: %s-0, labels: {app: %s}}}`,
		app, app)
}

// TestPodsOfOthersStay: the name of the pod is no secret, so others may have one of that name.
func TestPodsOfOthersStay(t *testing.T) {
	for _, phase := range []string{"Running", "Failed"} {
		w := newWorld(t, append(running(), fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {namespace: clusters-kv-00,
			name: hcctl-etcd-restore}, status: {phase: %s}}`, phase))...)
		p := &Plan{client: w.client, content: saved(), mark: mark{ID: "1"}}
		for _, id := range []step.ID{"restore/pod", "restore/pod-removed"} {
			if change, err := steptest.Find(t, p.Steps(), id).Apply(t.Context()); change == step.Deleted || change == step.Created {
				t.Errorf("%s: %s, %v", id, change, err)
			}
		}
		if pod := w.get("Pod", plane, podName); pod == nil || pod.GetLabels()[kube.ManagedByLabel] != "" {
			t.Errorf("the pod of somebody else (%s) is gone", phase)
		}
	}
}
