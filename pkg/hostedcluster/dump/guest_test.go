package dump

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// guestWorld is a hosted cluster whose tenant answers as it likes.
type guestWorld struct {
	mu    sync.Mutex
	asked []string
	// pods and nodes are JSON of the items, logs what the paths answer.
	pods, nodes []string
	logs        map[string]func(io.Writer)
}

func (g *guestWorld) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	list := func(kind string, items []string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"kind":%q,"apiVersion":"v1","metadata":{},"items":[%s]}`, kind, strings.Join(items, ","))
	}
	switch r.URL.Path {
	case "/api/v1/nodes":
		list("NodeList", g.nodes)
		return
	case "/api/v1/pods":
		list("PodList", g.pods)
		return
	}
	g.mu.Lock()
	g.asked = append(g.asked, r.URL.Path+" "+r.URL.Query().Get("unit"))
	g.mu.Unlock()
	write := g.logs[r.URL.Path]
	if write == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	write(w)
}

// guestDump is a Dump and its source of a hosted cluster.
func guestDump(t *testing.T, g *guestWorld) (*Dump, source, string) {
	t.Helper()
	d, dir := dumpInto(t, g.ServeHTTP)
	d.options.Journals, d.directory.guestLogs = true, guestLogAllowance(defaultGuestLogBytes)
	c, err := kube.New(&rest.Config{Host: d.client.Config().Host}, transport.GuestOf("clusters", "kv-00"))
	if err != nil {
		t.Fatal(err)
	}
	return d, source{c, guestBase, make(chan struct{}, 1), requestTimeout}, dir
}

// podJSON is a pod with one container c, which has restarted so often; not ready if it restarted.
func podJSON(namespace, name string, restarts int) string {
	ready := map[bool]string{true: "True", false: "False"}[restarts == 0]
	return fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q},"status":{"phase":"Running","conditions":[{"type":"Ready",`+
		`"status":%q}],"containerStatuses":[{"name":"c","ready":%v,"restartCount":%d,"state":{"running":{}}}]}}`,
		namespace, name, ready, restarts == 0, restarts)
}

func nodeJSON(name, ready string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q},"status":{"conditions":[{"type":"Ready","status":%q}]}}`, name, ready)
}

const podLogPath = "/api/v1/namespaces/%s/pods/%s/log"

// TestGuestLogsWorstFirst: journals of nodes that are not ready, then logs of pods that are not well; not those of the
// tenant's own namespaces.
func TestGuestLogsWorstFirst(t *testing.T) {
	line := func(w io.Writer) { _, _ = io.WriteString(w, "\x1b]0;pwned\x07a line\r\nwith token: hunter2Zq7\n") }
	g := &guestWorld{nodes: []string{nodeJSON("a", "True"), nodeJSON("b", "Unknown")},
		pods: []string{podJSON("openshift-dns", "well", 0), podJSON("mine", "own", 5), podJSON("kube-system", "bad", 5)},
		logs: map[string]func(io.Writer){"/api/v1/nodes/a/proxy/logs/journal": line,
			fmt.Sprintf(podLogPath, "openshift-dns", "well"): line, fmt.Sprintf(podLogPath, "kube-system", "bad"): line}}
	d, s, dir := guestDump(t, g)
	if n := d.guestLogs(t.Context(), s); n != 6 || len(d.gaps) > 0 {
		t.Errorf("%d logs, gaps %v", n, d.gaps)
	}
	var order []string
	for _, path := range g.asked {
		order = append(order, strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, "/api/v1/nodes/"),
			"/api/v1/namespaces/"), "/")[0])
	}
	want := []string{"b", "b", "b", "a", "a", "a", "kube-system", "kube-system", "openshift-dns"}
	if !slices.Equal(order, want) {
		t.Errorf("asked for %v", g.asked)
	}
	for _, path := range []string{"nodes/a/kubelet.log", "namespaces/kube-system/logs/bad/c.log"} {
		got, err := os.ReadFile(filepath.Join(dir, guestBase, path))
		if want := "\\x1b]0;pwned\\aa line\nwith token: <redacted: 10 bytes>\n"; err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}

// TestGuestLogWithoutAnEnd: a pod that writes gigabytes fills its own log alone, and all logs together what is set.
func TestGuestLogWithoutAnEnd(t *testing.T) {
	chunk := strings.Repeat(strings.Repeat("y", 1023)+"\n", 256)
	sent := 0
	g := &guestWorld{pods: []string{podJSON("kube-system", "bad", 0), podJSON("kube-system", "other", 0)},
		logs: map[string]func(io.Writer){fmt.Sprintf(podLogPath, "kube-system", "bad"): func(w io.Writer) {
			for range 8 << 12 { // 8 GiB
				n, err := io.WriteString(w, chunk)
				if sent += n; err != nil {
					return
				}
			}
		}, fmt.Sprintf(podLogPath, "kube-system", "other"): func(w io.Writer) { _, _ = io.WriteString(w, "well\n") }}}
	d, s, dir := guestDump(t, g)
	d.options.LogBytes = 1 << 16
	if n := d.guestLogs(t.Context(), s); n != 1 || len(d.gaps) != 1 || sent > 64*mib {
		t.Errorf("%d logs, gaps %v, %d MiB were sent", n, d.gaps, sent/mib)
	}
	info, err := os.Stat(filepath.Join(dir, guestBase, "namespaces/kube-system/logs/bad/c.log"))
	if err != nil || info.Size() > 1<<16 {
		t.Errorf("%v, %v", info, err)
	}

	d, s, _ = guestDump(t, g)
	d.options.LogBytes, d.directory.guestLogs = 1<<16, guestLogAllowance(1000)
	if n := d.guestLogs(t.Context(), s); n != 0 || len(d.gaps) != 2 ||
		!strings.Contains(d.gaps[0].Why, "sent more than 16 MiB") || d.gaps[1].Why != errNoRoom.Error() {
		t.Errorf("%d logs, gaps %v", n, d.gaps)
	}
}

// TestGuestNamesStayInside: names that Kubernetes would refuse become neither paths of requests nor of files.
func TestGuestNamesStayInside(t *testing.T) {
	g := &guestWorld{nodes: []string{nodeJSON("../../../../api/v1/secrets?a=", "True")},
		pods: []string{podJSON("openshift-../..", "..", 0), podJSON("kube-system", "../../../x", 0),
			podJSON("kube-a", `..\\..`, 0)}}
	d, s, dir := guestDump(t, g)
	if n := d.guestLogs(t.Context(), s); n != 0 || len(g.asked) > 0 || len(d.gaps) != 6 {
		t.Errorf("%d logs, asked for %v, gaps %v", n, g.asked, d.gaps)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("written: %v %v", left, err)
	}
}

// TestWorstFirst: pods that crash, then such as are not ready, then such as were restarted.
func TestWorstFirst(t *testing.T) {
	running := corev1.ContainerStatus{Name: "c", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	crashing := corev1.ContainerStatus{Name: "c", RestartCount: 9,
		LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}},
		State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}
	restarted := running
	restarted.RestartCount = 1
	pod := func(name string, ready corev1.ConditionStatus, s corev1.ContainerStatus) corev1.Pod {
		return corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: name},
			Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{s},
				Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}}}
	}
	var got []string
	for _, l := range worstFirst([]corev1.Pod{pod("well", "True", running), pod("restarted", "True", restarted),
		pod("unready", "False", running), pod("crashes", "False", crashing)}, time.Now()) {
		got = append(got, l.pod)
	}
	if want := []string{"crashes", "crashes", "unready", "restarted", "restarted", "well"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// TestTrim: of definitions and operators stays what names them and says how far they are.
func TestTrim(t *testing.T) {
	crd := unstructured.Unstructured{Object: map[string]any{"apiVersion": "apiextensions.k8s.io/v1",
		"kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "as.example.com"},
		"spec": map[string]any{"group": "example.com", "versions": []any{map[string]any{"name": "v1", "served": true,
			"storage": true, "schema": map[string]any{"big": "x"}}}}}}
	trimCRD(&crd)
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	if v := versions[0].(map[string]any); v["name"] != "v1" || v["schema"] != nil || crd.GetName() != "as.example.com" {
		t.Errorf("%v", crd.Object)
	}
	csv := unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "a.v1"},
		"spec":   map[string]any{"version": "1.0.0", "icon": []any{"big"}},
		"status": map[string]any{"phase": "Failed", "requirementStatus": []any{"big"}}}}
	trimCSV(&csv)
	if kube.Text(&csv, "status", "phase") != "Failed" || kube.Text(&csv, "spec", "version") != "1.0.0" ||
		strings.Contains(fmt.Sprint(csv.Object), "big") {
		t.Errorf("%v", csv.Object)
	}
}
