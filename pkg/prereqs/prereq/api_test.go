package prereq_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// TestWorkloadCause has a Deployment of one pod that is not ready. The deepest thing that explains it is told.
func TestWorkloadCause(t *testing.T) {
	pod := func(name, owner, metadata, spec, status string) string {
		return fmt.Sprintf(`
---
{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: ns, labels: {pod-template-hash: 5f7}, %s ownerReferences: [
    {apiVersion: apps/v1, kind: ReplicaSet, name: %s-5f7, uid: u}]}, spec: {%s}, status: {%s}}
`, name, metadata, owner, spec, status)
	}
	warning := func(name, kind, of, kindOf, message string, age time.Duration) string {
		return fmt.Sprintf(`
---
{apiVersion: v1, kind: Event, metadata: {name: %s, namespace: ns}, type: %s, reason: FailedX, message: '%s', count: 7,
  lastTimestamp: %q, involvedObject: {kind: %s, namespace: ns, name: %s}}
`, name, kind, message, time.Now().Add(-age).UTC().Format(time.RFC3339), kindOf, of)
	}
	const (
		waits    = "phase: Pending, containerStatuses: [{name: c, state: {waiting: {reason: ErrImagePull}}}]"
		nowhere  = `phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: 0/1 nodes}]`
		ready    = `phase: Running, conditions: [{type: Ready, status: "True"}]`
		starts   = "phase: Pending, containerStatuses: [{name: c, state: {waiting: {reason: ContainerCreating}}}]"
		stays    = starts + `, conditions: [{type: PodScheduled, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]`
		selector = "nodeSelector: {zone: a}"
		going    = `deletionTimestamp: "2026-01-01T00:00:00Z",`
		itself   = "Deployment ns/d: 0 of 1 pods are ready"
		ports    = "containers: [{name: c, ports: [{containerPort: 8443, hostPort: 443}]}]"
		holder   = `
---
{apiVersion: v1, kind: Pod, metadata: {name: proxy, namespace: other}, spec: {nodeName: w1,
  containers: [{name: c, ports: [{containerPort: 443, hostPort: 443, protocol: TCP}, {containerPort: 80}]}]}, status: {phase: Running}}
`
	)
	quota := warning("e", "Warning", "d-5f7", "ReplicaSet", `pods "d-5f7-abcde" is forbidden: exceeded quota: q`, time.Minute)
	mount := warning("m", "Warning", "b", "Pod", "no such Secret", time.Second)
	node := func(zone string) string {
		return fmt.Sprintf("\n---\n{apiVersion: v1, kind: Node, metadata: {name: w1, labels: {zone: %s}}}\n", zone)
	}
	for name, tc := range map[string]struct {
		objects []string
		refused string
		want    step.State
		says    string
	}{
		"no pods":      {nil, "", step.StatePending, itself},
		"good pods":    {[]string{pod("a", "d", "", "", ready)}, "", step.StatePending, itself},
		"others' pods": {[]string{pod("a", "other", "", "", waits)}, "", step.StatePending, itself},
		"one waits": {[]string{pod("a", "d", "", "", ready), pod("b", "d", "", "", waits)}, "", step.StatePending,
			"Pod ns/b: container c: ErrImagePull"},
		"one that waits goes": {[]string{pod("b", "d", going, "", waits)}, "", step.StatePending, itself},
		"no node for it": {[]string{pod("b", "d", "", "", nowhere)}, "", step.StatePending,
			"Pod ns/b: Unschedulable: 0/1 nodes"},
		"no node can ever take it": {[]string{pod("b", "d", "", selector, nowhere), node("b")}, "", step.StateBroken,
			"Pod ns/b: no node has the labels of its spec.nodeSelector, zone=a"},
		"a node may take it": {[]string{pod("b", "d", "", selector, nowhere), node("a")}, "", step.StatePending,
			"Pod ns/b: Unschedulable"},
		"nodes not to be read": {[]string{pod("b", "d", "", selector, nowhere), node("b")}, "nodes", step.StatePending,
			"Pod ns/b: Unschedulable"},
		"others have its ports": {[]string{pod("b", "d", "", ports, strings.Replace(nowhere, "0/1 nodes", "1 node(s) didn't have free ports", 1)),
			pod("mine", "d", "", "nodeName: w2, "+ports, ready), holder}, "", step.StatePending,
			"Pod ns/b: it needs ports of its node that others have: 443/TCP of w1 by Pod other/proxy; Unschedulable: 1 node(s)"},
		"pods not to be read": {[]string{pod("b", "d", "", "", waits)}, "pods", step.StatePending, itself},

		"its pods are refused":                  {[]string{quota}, "", step.StatePending, "Deployment ns/d: FailedX: exceeded quota: q"},
		"they were refused, and one starts now": {[]string{quota, pod("b", "d", "", "", starts)}, "", step.StatePending, itself},
		"they were refused long ago": {[]string{warning("e", "Warning", "d-5f7", "ReplicaSet", "no", time.Hour)}, "",
			step.StatePending, itself},
		"others' are refused": {[]string{warning("e", "Warning", "d-more-5f7", "ReplicaSet", "no", 0)}, "",
			step.StatePending, itself},
		"a pod waits for a volume": {[]string{pod("b", "d", "", "", starts), mount}, "", step.StatePending,
			"Pod ns/b: FailedX: no such Secret"},
		"a pod has waited for a volume for long": {[]string{pod("b", "d", "", "", stays), mount}, "", step.StatePending,
			"Pod ns/b: FailedX: no such Secret"},
		"nobody says what it waits for": {[]string{pod("b", "d", "", "", stays)}, "", step.StatePending,
			"Pod ns/b: container c has not been created for more than 5m"},
		"the newest counts": {[]string{pod("b", "d", "", "", starts), mount,
			warning("old", "Warning", "b", "Pod", "older", time.Minute)}, "", step.StatePending, "no such Secret"},
		"what is normal is no reason": {[]string{pod("b", "d", "", "", starts),
			warning("fine", "Normal", "b", "Pod", "pulled", 0)}, "", step.StatePending, itself},
		"events not to be read": {[]string{quota}, "events", step.StatePending, itself},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.objects...)
			if tc.refused != "" {
				api.Refuse(tc.refused, 403)
			}
			d := &appsv1.Deployment{}
			if err := json.Unmarshal([]byte(`{"metadata": {"name": "d", "namespace": "ns", "generation": 1}, "status": `+
				healthtest.RolledOut(1, 1, 0)+"}"), d); err != nil {
				t.Fatal(err)
			}
			f := prereq.JudgeWorkload(t.Context(), api.Client, d)
			if f == nil {
				t.Fatal("nothing found")
			}
			steptest.Expect(t, *f, tc.want, tc.says)
			if f.Trouble == (tc.says == itself) && f.State == step.StatePending {
				t.Errorf("trouble %t: %s", f.Trouble, f.Message)
			}
			if strings.Contains(f.Message, "FailedX") != (strings.HasPrefix(f.Detail, "Event FailedX: ") &&
				strings.Contains(f.Detail, " (7 times, last ")) {
				t.Errorf("detail %q", f.Detail)
			}
		})
	}
}

func TestNodes(t *testing.T) {
	api := prereqtest.Serve(t, `
{apiVersion: v1, kind: Node, metadata: {name: m1, labels: {node-role.kubernetes.io/master: ""}}}
---
{apiVersion: v1, kind: Node, metadata: {name: m2, labels: {node-role.kubernetes.io/control-plane: ""}},
  spec: {taints: [{key: node-role.kubernetes.io/master, effect: NoSchedule}]},
  status: {conditions: [{type: DiskPressure, status: "True"}, {type: Ready, status: "False"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: w1, labels: {node-role.kubernetes.io/worker: ""}},
  spec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoExecute}, {key: soft, effect: PreferNoSchedule},
    {key: node.ocs.openshift.io/storage, effect: NoSchedule}]},
  status: {conditions: [{type: DiskPressure, status: "False"}, {type: Ready, status: "True"}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: w2, labels: {node-role.kubernetes.io/worker: ""}},
  spec: {unschedulable: true}}
`)
	nodes, err := prereq.AllNodes(t.Context(), api.Client)
	if err != nil || len(nodes) != 4 {
		t.Fatalf("%d nodes, %v", len(nodes), err)
	}
	got := map[string]string{}
	for i := range nodes {
		got[nodes[i].Name] = fmt.Sprint(prereq.IsControlPlane(&nodes[i]), prereq.TakesPods(&nodes[i]),
			health.NodeReady(&nodes[i]))
	}
	for name, want := range map[string]string{"m1": "true true false", "m2": "true false false", "w1": "false true true",
		"w2": "false false false"} {
		if got[name] != want {
			t.Errorf("%s: control plane, takes pods, ready: %s, want %s", name, got[name], want)
		}
	}
	workers, err := prereq.Workers(t.Context(), api.Client)
	if err != nil || len(workers) != 2 || workers[0].Name != "w1" {
		t.Errorf("%v, %v", workers, err)
	}
	api.Refuse("nodes", 403)
	if workers, err := prereq.Workers(t.Context(), api.Client); err == nil || len(workers) != 0 {
		t.Errorf("%v, %v", workers, err)
	}
}

func TestOpenShift(t *testing.T) {
	version := func(status string) string {
		return "{apiVersion: config.openshift.io/v1, kind: ClusterVersion, metadata: {name: version}, status: {" + status +
			"}}"
	}
	const desired = "desired: {version: 4.21.0}"
	for name, tc := range map[string]struct{ object, want, fails string }{
		"completed": {version(desired +
			", history: [{state: Partial, version: 4.21.0}, {state: Completed, version: 4.20.3}," +
			" {state: Completed, version: 4.19.1}]"), "4.20.3", ""},
		"nothing completed": {version(desired + ", history: [{state: Partial, version: 4.20.9}]"), "4.21.0", ""},
		"not told":          {version(""), "", "does not report its version yet"},
		"garbled":           {version("desired: {version: new}"), "", `"new" cannot be read`},
		"no OpenShift":      {"", "", "NotFound"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := prereq.OpenShift(t.Context(), prereqtest.Serve(t, tc.object).Client)
			if (err == nil) != (tc.fails == "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("got %v, want %q", err, tc.fails)
			}
			if err == nil && got.String() != tc.want {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestEngine(t *testing.T) {
	const resource = "multiclusterengines.multicluster.openshift.io"
	api := prereqtest.Serve(t)
	if mce, err := prereq.Engine(t.Context(), api.Client); mce != nil || err != nil {
		t.Errorf("without the kind: %v, %v", mce, err)
	}
	api.Register(t, kube.MultiClusterEngine)
	if mce, err := prereq.Engine(t.Context(), api.Client); mce != nil || err != nil {
		t.Errorf("without one: %v, %v", mce, err)
	}
	api.Put(t, `
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: mine},
  spec: {localClusterName: hub, targetNamespace: ns}, status: {currentVersion: 2.9.1}}
`)
	mce, err := prereq.Engine(t.Context(), api.Client)
	if err != nil || mce == nil || prereq.EngineVersion(mce).String() != "2.9.1" ||
		prereq.LocalClusterName(mce) != "hub" || prereq.EngineNamespace(mce) != "ns" {
		t.Errorf("got %v, %v", mce, err)
	}
	plain := kube.MultiClusterEngine.New()
	if prereq.EngineVersion(plain).String() != "0.0.0" || prereq.LocalClusterName(plain) != "local-cluster" ||
		prereq.EngineNamespace(plain) != "multicluster-engine" {
		t.Error("the defaults are others")
	}
	if prereq.EngineBefore(prereq.EngineVersion(mce), 9) || !prereq.EngineBefore(prereq.EngineVersion(mce), 10) {
		t.Error("2.9.1 is before 2.10 and not before 2.9")
	}
	api.Refuse(resource, 403)
	if _, err := prereq.Engine(t.Context(), api.Client); err == nil {
		t.Error("an error was lost")
	}
}

func TestReadDisconnection(t *testing.T) {
	const sets = `
---
{apiVersion: config.openshift.io/v1, kind: ImageDigestMirrorSet, metadata: {name: a}, spec: {imageDigestMirrors: [
  {source: quay.io/openshift-release-dev, mirrors: [b.example.com:5000/ocp, a.example.com/ocp]}]}}
---
{apiVersion: config.openshift.io/v1, kind: ImageTagMirrorSet, metadata: {name: a}, spec: {imageTagMirrors: [
  {source: docker.io, mirrors: [a.example.com/hub]}]}}
---
{apiVersion: operator.openshift.io/v1alpha1, kind: ImageContentSourcePolicy, metadata: {name: a}, spec: {
  repositoryDigestMirrors: [{source: "*.redhat.io", mirrors: [a.example.com/redhat, 5]}]}}
`
	hub := func(off bool) string {
		return fmt.Sprintf("\n---\n{apiVersion: config.openshift.io/v1, kind: OperatorHub, metadata: {name: cluster},"+
			" spec: {disableAllDefaultSources: %t}}\n", off)
	}
	proxy := func(field string) string {
		return "\n---\n{apiVersion: config.openshift.io/v1, kind: Proxy, metadata: {name: cluster}, status: {" + field +
			"}}\n"
	}
	api := prereqtest.Serve(t, sets, hub(true), proxy(`httpProxy: "http://p"`))
	d, err := prereq.ReadDisconnection(t.Context(), api.Client)
	if err != nil || !d.CatalogsOff || !d.Proxy || strings.Join(d.Hosts(), " ") != "a.example.com b.example.com:5000" {
		t.Errorf("got %+v, %v", d, err)
	}
	for repository, want := range map[string]string{
		"quay.io/openshift-release-dev/ocp-release": "b.example.com:5000/ocp a.example.com/ocp",
		"quay.io/openshift-release-dev":             "b.example.com:5000/ocp a.example.com/ocp",
		"quay.io/openshift-release-development":     "", "docker.io": "a.example.com/hub",
		"registry.redhat.io/multicluster-engine": "a.example.com/redhat", "redhat.io": "",
	} {
		if got := strings.Join(d.MirrorsOf(repository), " "); got != want {
			t.Errorf("%s: got %q, want %q", repository, got, want)
		}
	}
	for _, field := range []string{`httpsProxy: "http://p"`, ""} {
		d, err := prereq.ReadDisconnection(t.Context(), prereqtest.Serve(t, hub(false), proxy(field)).Client)
		if err != nil || d.CatalogsOff || d.Proxy != (field != "") || len(d.Hosts()) != 0 {
			t.Errorf("with %q: %+v, %v", field, d, err)
		}
	}
	kinds := []string{"imagedigestmirrorsets.config.openshift.io", "imagetagmirrorsets.config.openshift.io",
		"imagecontentsourcepolicies.operator.openshift.io"}
	for _, resource := range append(kinds, "proxies.config.openshift.io", "operatorhubs.config.openshift.io") {
		api := prereqtest.Serve(t)
		api.Refuse(resource, 403)
		if _, err := prereq.ReadDisconnection(t.Context(), api.Client); err == nil {
			t.Errorf("%s: an error was lost", resource)
		}
	}
	for _, resource := range kinds {
		api := prereqtest.Serve(t)
		api.Refuse(resource, 404)
		if _, err := prereq.ReadDisconnection(t.Context(), api.Client); err != nil {
			t.Errorf("without %s: %v", resource, err)
		}
	}
}

func TestInfrastructure(t *testing.T) {
	api := prereqtest.Serve(t)
	if _, err := prereq.Infrastructure(t.Context(), api.Client); err == nil {
		t.Error("one that is not there was read")
	}
	api.Put(t, "{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: cluster}}")
	infra, err := prereq.Infrastructure(t.Context(), api.Client)
	if err != nil || prereq.PlatformOf(infra) != "" {
		t.Errorf("%v, %v", infra, err)
	}
	api.Put(t, "{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: cluster}, "+
		"status: {platformStatus: {type: BareMetal}}}")
	infra, err = prereq.Infrastructure(t.Context(), api.Client)
	if err != nil || prereq.PlatformOf(infra) != "BareMetal" {
		t.Errorf("%v, %v", infra, err)
	}
}

func TestMergePatch(t *testing.T) {
	class := func() *storagev1.StorageClass {
		return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}}
	}
	api := prereqtest.Serve(t, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}}")
	change, err := prereq.MergePatch(t.Context(), api.Client, class(), `{"metadata":{"labels":{"a":"b"}}}`)
	if change != step.Configured || err != nil || api.Writes()[0].String() != "patch storageclasses.storage.k8s.io fast" {
		t.Errorf("%s, %v, %v", change, err, api.Writes())
	}
	api.Refuse("storageclasses.storage.k8s.io", 403)
	if _, err := prereq.MergePatch(t.Context(), api.Client, class(), `{}`); err == nil ||
		!strings.HasPrefix(err.Error(), "StorageClass fast: ") {
		t.Errorf("got %v", err)
	}
	unknown := kube.Kind{}.New()
	if _, err := prereq.MergePatch(t.Context(), api.Client, unknown, `{}`); err == nil {
		t.Error("an object without a kind was patched")
	}
}

func TestStepsOfAPrerequisite(t *testing.T) {
	says := func(message string) kube.Check {
		return func(context.Context, kube.Reader) step.Finding { return step.OK("%s", message) }
	}
	applies := func(context.Context, *kube.Client) (step.Change, error) { return step.Created, nil }
	p := prereq.Prerequisite{ID: "load-balancer/pool", Severity: step.Advisory, Check: says("own"), Apply: applies,
		Needs: []step.ID{"a"}, After: []step.ID{"b"}, Remove: []prereq.Removal{{ID: "x"}, {ID: "y", Group: "other"}}}
	c := prereqtest.Serve(t).Client
	s := p.Step(c)
	if s.Group != "load balancer" || s.Docs != "docs/checks/load-balancer-pool.md" || s.Severity != step.Advisory {
		t.Errorf("got %+v", s)
	}
	if removal := p.Removal(nil); removal[0].Group != "load balancer" || removal[1].Group != "other" {
		t.Errorf("got %+v", removal)
	}
	if _, needed := p.PreflightStep(c, prereq.Wanted{}); needed {
		t.Error("it is asked for without a preflight")
	}
	p.Preflight = &prereq.Preflight{For: func(w prereq.Wanted) bool { return w.LoadBalancer }}
	if _, needed := p.PreflightStep(c, prereq.Wanted{}); needed {
		t.Error("it is asked for although the hosted cluster does not depend on it")
	}
	s, needed := p.PreflightStep(c, prereq.Wanted{LoadBalancer: true})
	if !needed || s.Apply != nil || s.Needs != nil || s.After != nil || s.Severity != step.Advisory ||
		s.Check(t.Context(), nil).Message != "own" {
		t.Errorf("got %+v", s)
	}
	p.Preflight = &prereq.Preflight{Required: true,
		Check: func(prereq.Wanted) kube.Check { return says("asked") }}
	if s, _ := p.PreflightStep(c, prereq.Wanted{}); s.Severity != step.Required || s.Check(t.Context(), nil).Message != "asked" {
		t.Errorf("got %+v", s)
	}
}

func TestJudgeWorkload(t *testing.T) {
	const kept = `{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns, labels: {pod-template-hash: "1"},
    ownerReferences: [{apiVersion: apps/v1, kind: %s, name: %s, uid: u}]}, status: {containerStatuses: [{name: c, state: {
    waiting: {reason: ErrImagePull}}}]}}`
	one := int32(1)
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "d", Generation: 1}}
	d.Spec.Replicas, d.Status.ObservedGeneration = &one, 1
	late := d.DeepCopy()
	late.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing,
		Reason: "ProgressDeadlineExceeded", Status: corev1.ConditionFalse, Message: "timed out"}}
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "s", Generation: 1}}
	set.Status.ObservedGeneration = 1
	stuck := set.DeepCopy()
	stuck.Status.DesiredNumberScheduled = 1
	for name, tc := range map[string]struct {
		workload client.Object
		pod      string
		want     step.State
		says     []string
	}{
		"well":                   {set, "", step.StateOK, nil},
		"no pod":                 {d, "", step.StatePending, []string{"Deployment ns/d", "0 of 1 pods are ready"}},
		"its pod waits":          {d, fmt.Sprintf(kept, "ReplicaSet", "d-1"), step.StatePending, []string{"Pod ns/p", "ErrImagePull"}},
		"a pod of another":       {d, fmt.Sprintf(kept, "DaemonSet", "d"), step.StatePending, []string{"Deployment ns/d"}},
		"given up, and why":      {late, fmt.Sprintf(kept, "ReplicaSet", "d-1"), step.StateBroken, []string{"Pod ns/p: container c: ErrImagePull; so Deployment ns/d: ", "timed out", "oc describe pod p -n ns"}},
		"the pod of a DaemonSet": {stuck, fmt.Sprintf(kept, "DaemonSet", "s"), step.StatePending, []string{"Pod ns/p", "ErrImagePull"}},
		"a pod of a Deployment":  {stuck, fmt.Sprintf(kept, "ReplicaSet", "s-1"), step.StatePending, []string{"DaemonSet ns/s"}},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.pod)
			f := prereq.JudgeWorkload(t.Context(), api.Client, tc.workload)
			if f == nil {
				f = &step.Finding{State: step.StateOK}
			}
			steptest.Expect(t, *f, tc.want, tc.says...)
		})
	}
}

func TestReplicas(t *testing.T) {
	three := int32(3)
	d := &appsv1.Deployment{}
	if got := prereq.Replicas(d); got != 1 {
		t.Errorf("unset: %d", got)
	}
	if d.Spec.Replicas = &three; prereq.Replicas(d) != 3 {
		t.Errorf("set: %d", prereq.Replicas(d))
	}
}

func TestWords(t *testing.T) {
	if none, two := prereq.Listed(nil), prereq.Listed([]string{"a", "b"}); none != "none" || two != "a, b" {
		t.Errorf("%q, %q", none, two)
	}
	known := []string{"a", "b"}
	if prereq.OneOf("f", "", known) != nil || prereq.OneOf("f", "b", known) != nil {
		t.Error("a known word is refused")
	}
	if err := prereq.OneOf("f", "c", known); err == nil || !strings.Contains(err.Error(), "use one of a, b") {
		t.Errorf("got %v", err)
	}
}

func TestHosts(t *testing.T) {
	closed := func(n *corev1.Node) { n.Spec.Unschedulable = true }
	master := func(n *corev1.Node) { n.Labels = nil }
	for name, tc := range map[string]struct {
		node         corev1.Node
		hosts, ready bool
	}{
		"a worker":  {prereqtest.Worker("w", true, nil), true, true},
		"not ready": {prereqtest.Worker("w", false, nil), false, false},
		"cordoned":  {prereqtest.Worker("w", true, closed), false, true},
		"no worker": {prereqtest.Worker("w", true, master), false, true},
	} {
		if prereq.Hosts(&tc.node) != tc.hosts || health.NodeReady(&tc.node) != tc.ready {
			t.Errorf("%s: hosts %t, ready %t", name, prereq.Hosts(&tc.node), health.NodeReady(&tc.node))
		}
	}
}
