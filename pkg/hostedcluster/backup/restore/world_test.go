package restore

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/archive"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/podexec"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

const plane = "clusters-kv-00"

// world is a management cluster with a HyperShift that does what a restore waits for, at once.
type world struct {
	t       *testing.T
	client  *kube.Client
	servers map[string]*kubetest.Server
	// members is how many etcd has when HyperShift makes it.
	members int

	mu sync.Mutex
	// writes counts the writes that are no dry runs. Before or after the one of that number, kill is called.
	writes, killAt int
	killBefore     bool
	kill           context.CancelFunc
	// restored are the snapshots that were restored, by the number of the write after which.
	restored []int
	execFail error
}

func newWorld(t *testing.T, objects ...string) *world {
	t.Helper()
	w := &world{t: t, servers: map[string]*kubetest.Server{}, members: 3}
	for _, kind := range [][3]string{
		{"v1", "Namespace", "namespaces"}, {"v1", "Secret", "secrets"}, {"v1", "ConfigMap", "configmaps"},
		{"v1", "Pod", "pods"}, {"v1", "PersistentVolumeClaim", "persistentvolumeclaims"},
		{"apps/v1", "StatefulSet", "statefulsets"}, {"apps/v1", "Deployment", "deployments"},
		{"hypershift.openshift.io/v1beta1", "HostedCluster", "hostedclusters"},
		{"hypershift.openshift.io/v1beta1", "HostedControlPlane", "hostedcontrolplanes"},
		{"hypershift.openshift.io/v1beta1", "NodePool", "nodepools"},
	} {
		w.servers[kind[1]] = kubetest.New(kind[0], kind[1], kind[2])
	}
	cfg := kubetest.Connect(w)
	cfg.ContentType = "application/json"
	var err error
	if w.client, err = kube.New(cfg); err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		w.set(o)
	}
	return w
}

// ServeHTTP implements http.Handler.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	for _, s := range w.servers {
		if !s.Serves(r) {
			continue
		}
		write := r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == ""
		number := 0
		if write {
			number = w.count()
		}
		if write && w.killed(number, true) {
			http.Error(rw, "killed", http.StatusServiceUnavailable)
			return
		}
		s.ServeHTTP(rw, r)
		if write {
			w.react()
			w.killed(number, false)
		}
		return
	}
	http.Error(rw, "404 page not found", http.StatusNotFound)
}

// count returns the number of a write. Writes of steps that do not need each other are served side by side.
func (w *world) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
	return w.writes
}

// killed kills hcctl if it is to be killed before or after this write, and reports whether it did.
func (w *world) killed(number int, before bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kill == nil || number != w.killAt || before != w.killBefore {
		return false
	}
	w.kill()
	return true
}

// parse reads YAML; objects get the uid that the server would give.
func parse(text string) kubetest.Object {
	var o kubetest.Object
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	meta := o["metadata"].(kubetest.Object)
	if meta["uid"] == nil {
		meta["uid"] = fmt.Sprint("uid-of-", meta["name"])
	}
	return o
}

func (w *world) set(text string) {
	o := parse(text)
	w.servers[o["kind"].(string)].Set(o)
}

func (w *world) get(kind, namespace, name string) *unstructured.Unstructured {
	o := w.servers[kind].Object(namespace, name)
	if o == nil {
		return nil
	}
	return &unstructured.Unstructured{Object: o}
}

// at is a field of an object as text; "" if it or the object is not there.
func (w *world) at(kind, namespace, name string, path ...string) string {
	u := w.get(kind, namespace, name)
	if u == nil {
		return ""
	}
	value, found, err := unstructured.NestedFieldCopy(u.Object, path...)
	if err != nil || !found {
		return ""
	}
	return fmt.Sprint(value)
}

// react is HyperShift, the StatefulSet's and Deployments' controllers and the kubelet.
func (w *world) react() {
	hc := w.get("HostedCluster", "clusters", "kv-00")
	if hc == nil {
		return
	}
	until := w.at("HostedCluster", "clusters", "kv-00", "spec", "pausedUntil")
	w.set(hostedControlPlane("kv-00", "clusters/kv-00", until))
	if w.get("StatefulSet", plane, "etcd") == nil && until == "" {
		w.set(workload("StatefulSet", "etcd", w.members))
		for _, name := range apiServers() {
			w.set(workload("Deployment", name, 2))
		}
	}
	w.runs("StatefulSet", "etcd")
	for _, name := range apiServers() {
		w.runs("Deployment", name)
	}
	if pod := w.get("Pod", plane, podName); pod != nil && w.at("Pod", plane, podName, "status", "phase") == "" {
		pod.Object["status"] = readyPod()
		w.servers["Pod"].Set(pod.Object)
	}
	if until == "" && w.at("HostedCluster", "clusters", "kv-00", "status") == "" {
		hc.Object["status"] = parse(`{metadata: {}, conditions: [
			{type: ReconciliationActive, status: "True", reason: AsExpected, message: ok},
			{type: Available, status: "True", reason: AsExpected, message: ok}]}`)
		w.servers["HostedCluster"].Set(hc.Object)
	}
}

func readyPod() kubetest.Object {
	return kubetest.Object{"phase": "Running", "conditions": []any{kubetest.Object{"type": "Ready", "status": "True"}}}
}

// runs gives a workload its pods and volumes, and takes the pods away.
func (w *world) runs(kind, name string) {
	u := w.get(kind, plane, name)
	if u == nil {
		return
	}
	var replicas int
	_, _ = fmt.Sscan(w.at(kind, plane, name, "spec", "replicas"), &replicas)
	for i := range 9 {
		pod := fmt.Sprintf("%s-%d", name, i)
		switch {
		case i >= replicas:
			if w.get("Pod", plane, pod) != nil {
				w.servers["Pod"].Delete(plane, pod)
			}
			continue
		case w.get("Pod", plane, pod) == nil:
			w.set(fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {namespace: %s, name: %s, labels: {app: %s}}}`, plane,
				pod, name))
		}
		if kind == "StatefulSet" && w.get("PersistentVolumeClaim", plane, "data-"+pod) == nil {
			w.set(volume(i, "new"))
		}
	}
	if w.at(kind, plane, name, "status", "readyReplicas") != fmt.Sprint(replicas) {
		u.Object["status"] = kubetest.Object{"observedGeneration": 1, "readyReplicas": replicas}
		w.servers[kind].Set(u.Object)
	}
}

func volume(member int, uid string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {namespace: %s, name: data-etcd-%d,
		uid: %s-%d}}`, plane, member, uid, member)
}

func workload(kind, name string, replicas int) string {
	return fmt.Sprintf(`{apiVersion: apps/v1, kind: %s, metadata: {namespace: %s, name: %s}, spec: {replicas: %d,
		selector: {matchLabels: {app: %s}}, template: {spec: {containers: [{name: %s, image: "registry.example/it"}]}}}}`,
		kind, plane, name, replicas, name, name)
}

func hostedControlPlane(name, of, pausedUntil string) string {
	spec := ""
	if pausedUntil != "" {
		spec = fmt.Sprintf("pausedUntil: %q", pausedUntil)
	}
	return fmt.Sprintf(`{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedControlPlane, metadata: {namespace: %s,
		name: %q, annotations: {hypershift.openshift.io/cluster: %s}}, spec: {%s}}`, plane, name, of, spec)
}

// hosted is the HostedCluster; meta and spec are more of their YAML.
func hosted(meta, spec string) string {
	return fmt.Sprintf(`{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {namespace: clusters,
		name: kv-00, %s}, spec: {infraID: kv-00-abcde, clusterID: "11111111-2222-4333-8444-555555555555",
		release: {image: "registry.example/release:4.20.3"}, etcd: {managementType: Managed},
		controllerAvailabilityPolicy: HighlyAvailable, pullSecret: {name: kv-00-pull-secret}, additionalTrustBundle: {name: kv-00-user-ca-bundle},
		secretEncryption: {type: aescbc, aescbc: {activeKey: {name: kv-00-etcd-encryption-key}}}, %s}}`, meta, spec)
}

// rotated is the cluster that runs with another key of etcd, with a status, and perhaps the one before as its backup
// key.
func rotated(status string, backupKey ...string) []string {
	hc, key := hosted("", ""), "activeKey: {name: key-2}"
	for _, k := range backupKey {
		key += ", " + k + ": {name: kv-00-etcd-encryption-key}"
	}
	hc = strings.Replace(hc, "activeKey: {name: kv-00-etcd-encryption-key}", key, 1)
	if status != "" {
		hc = strings.TrimSuffix(hc, "}") + ", " + status + "}"
	}
	return append(running()[1:], hc)
}

func secret(namespace, name, value string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: Secret, metadata: {namespace: %s, name: %s}, type: Opaque, data: {key: %s}}`,
		namespace, name, base64.StdEncoding.EncodeToString([]byte(value)))
}

// running is the cluster that the backup is of.
func running(more ...string) []string {
	all := []string{hosted("", ""), hostedControlPlane("kv-00", "clusters/kv-00", ""),
		secret("clusters", "kv-00-etcd-encryption-key", "one"), workload("StatefulSet", "etcd", 3)}
	for i := range 3 {
		all = append(all, volume(i, "old"))
	}
	for _, name := range apiServers() {
		all = append(all, workload("Deployment", name, 2))
	}
	return append(all, more...)
}

// saved is the backup; change may change its HostedCluster.
func saved(change ...func(hc map[string]any)) *archive.Content {
	c := &archive.Content{SnapshotSHA256: "5eed", SnapshotBytes: 4, Manifest: archive.Manifest{Namespace: "clusters",
		Name: "kv-00", ControlPlaneNamespace: plane, InfraID: "kv-00-abcde", Version: "4.20.3",
		Created: "2026-03-01T10:00:00Z"}}
	for _, text := range []string{hosted("", ""), secret("clusters", "kv-00-etcd-encryption-key", "one"),
		secret("clusters", "kv-00-pull-secret", "pull"), secret(plane, "root-ca", "ca"),
		`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: clusters, name: kv-00-user-ca-bundle}, data: {a: b}}`,
		`{apiVersion: hypershift.openshift.io/v1beta1, kind: NodePool, metadata: {namespace: clusters, name: kv-00},
			spec: {clusterName: kv-00, replicas: 1}}`} {
		o := parse(text)
		delete(o["metadata"].(kubetest.Object), "uid")
		c.Objects = append(c.Objects, &unstructured.Unstructured{Object: o})
	}
	for _, f := range change {
		f(c.Objects[0].Object["spec"].(map[string]any))
	}
	return c
}

var errKilled = errors.New("the run was killed")

// prepare prepares a restore whose commands in pods are the world's.
func (w *world) prepare(ctx context.Context) (*Plan, error) {
	p, err := Prepare(ctx, w.client, saved(), func(_ context.Context, to io.Writer) error {
		_, err := io.WriteString(to, "data")
		return err
	})
	if p != nil {
		p.exec = w.exec
	}
	return p, err
}

// exec checks that nothing writes to etcd, and takes the snapshot.
func (w *world) exec(_ context.Context, c podexec.Command) error {
	for _, name := range append(apiServers(), "etcd") {
		if w.get("Pod", plane, name+"-0") != nil {
			w.t.Errorf("the snapshot is restored while %s runs", name)
		}
	}
	if w.execFail != nil {
		return w.execFail
	}
	data, err := io.ReadAll(c.Stdin)
	want := []string{"5eed", "etcd-0=https://etcd-0.etcd-discovery." + plane + ".svc:2380,etcd-1=https://etcd-1." +
		"etcd-discovery." + plane + ".svc:2380,etcd-2=https://etcd-2.etcd-discovery." + plane + ".svc:2380",
		"https://etcd-0.etcd-discovery." + plane + ".svc:2380"}
	if got := c.Args[len(c.Args)-3:]; string(data) != "data" || strings.Join(got, " ") != strings.Join(want, " ") {
		w.t.Errorf("restored %q with %q", data, got)
	}
	w.restored = append(w.restored, w.writes)
	return err
}

// run runs a restore to its end, or until it is killed.
func (w *world) run() error {
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	w.kill = cancel
	p, err := w.prepare(ctx)
	if err != nil {
		return err
	}
	graph, err := step.New(p.Steps()...)
	if err != nil {
		return err
	}
	informers := w.client.NewInformers(ctx)
	defer informers.Close()
	report := graph.Run(ctx, step.Options{Watch: func() step.Watch { return informers.Watch() },
		Transient: kube.IsTransient, Timeout: time.Hour})
	if ctx.Err() != nil {
		return errKilled
	}
	return report.Err()
}

// all are the identity and version of all objects, by kind and name.
func (w *world) all() map[string]string {
	out := map[string]string{}
	for kind := range maps.Keys(w.servers) {
		list := w.servers[kind].Objects()
		for _, o := range list {
			u := &unstructured.Unstructured{Object: o}
			out[kind+" "+kube.Name(u)] = string(u.GetUID()) + " " + u.GetResourceVersion()
		}
	}
	return out
}
