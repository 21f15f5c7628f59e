package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// object is the JSON of an object.
type object = map[string]any

// server answers reads with what it is given by path, or by "table " and the path where a table is asked for; what it
// has not, with a plain 404. Watches stay silent, unless there is a stream for their path.
func server(t *testing.T, answers map[string]any, streams map[string]chan object) string {
	t.Helper()
	if answers["/version"] == nil {
		answers["/version"] = object{"gitVersion": "v1.33.5"}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		if table := answers["table "+r.URL.Path]; table != nil && strings.Contains(r.Header.Get("Accept"), "as=Table") {
			answer, ok = table, true
		}
		if !ok {
			http.Error(w, "404 page not found", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("watch") == "" {
			if code, isCode := answer.(int); isCode {
				w.WriteHeader(code)
				answer = object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": "not for you",
					"reason": map[int]string{403: "Forbidden", 404: "NotFound"}[code], "details": object{"name": "x"}}
			}
			if text, isText := answer.(string); isText {
				_, _ = io.WriteString(w, text)
				return
			}
			_ = json.NewEncoder(w).Encode(answer)
			return
		}
		w.(http.Flusher).Flush()
		for {
			select {
			case event := <-streams[r.URL.Path]:
				_ = json.NewEncoder(w).Encode(event)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(s.CloseClientConnections)
	return s.URL
}

// runOn calls hcctl in this process against a server.
func runOn(t *testing.T, server string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return run(t, append(args, "--server", server)...)
}

// goldenFile holds text to testdata/NAME. After a change that is meant, make update writes it.
func goldenFile(t *testing.T, name, got string) {
	t.Helper()
	golden.File(t, filepath.Join("testdata", name), got)
}

const (
	clustersPath = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters"
	everyPath    = "/apis/hypershift.openshift.io/v1beta1/hostedclusters"
	poolsPath    = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools"
)

func listOf(kind string, items ...any) object {
	return object{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": kind + "List",
		"metadata": object{"resourceVersion": "1"}, "items": append([]any{}, items...)}
}

// hosted is a HostedCluster that was created long ago.
func hosted(namespace, name, version string, status object) object {
	return object{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
		"metadata": object{"namespace": namespace, "name": name, "uid": namespace + "-" + name, "resourceVersion": version,
			"creationTimestamp": "2026-01-01T00:00:00Z",
			"managedFields":     []any{object{"manager": "hypershift"}}},
		"spec": object{"infraID": name}, "status": status,
	}
}

func available(status, message string) object {
	return object{
		"kubeconfig": object{"name": "admin-kubeconfig"},
		"version":    object{"history": []any{object{"state": "Completed", "version": "4.20.3"}}},
		"conditions": []any{
			object{"type": "Available", "status": status, "reason": "AsExpected", "message": message},
			object{"type": "Progressing", "status": "False", "reason": "AsExpected"},
		},
	}
}

func TestGetClusters(t *testing.T) {
	one, two := hosted("clusters", "kv-00", "1", available("True", "The hosted control plane is available")), hosted(
		"clusters", "longer-name", "2", nil)
	url := server(t, map[string]any{
		clustersPath: listOf("HostedCluster", one, two), clustersPath + "/kv-00": one, clustersPath + "/none": 404,
		everyPath: listOf("HostedCluster", one, two, hosted("dev", "kv-00", "3", available("False", "no"))),
	}, nil)
	for name, args := range map[string][]string{
		"get-clusters.txt":      {"get", "clusters"},
		"get-clusters-all.txt":  {"get", "clusters", "-A"},
		"get-clusters-name.txt": {"get", "clusters", "-o", "name"},
		"get-clusters.yaml":     {"get", "hc", "kv-00", "-o", "yaml"},
	} {
		code, stdout, stderr := runOn(t, url, args...)
		if code != cmdutil.ExitDone || stderr != "" {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
		goldenFile(t, name, stdout)
	}
	for _, args := range [][]string{{"get", "clusters", "-o", "json"}, {"get", "clusters", "kv-00", "-o", "json"}} {
		_, stdout, _ := runOn(t, url, args...)
		conforms(t, "get-clusters", []byte(stdout))
		if strings.Contains(stdout, "managedFields") {
			t.Errorf("managedFields are for nobody:\n%s", stdout)
		}
	}
	code, stdout, stderr := runOn(t, url, "get", "clusters", "kv-00", "none")
	if want := `Error: no hosted cluster "none" in namespace "clusters"; there are: kv-00, longer-name, dev/kv-00`; code != cmdutil.ExitError || !strings.Contains(stdout, "kv-00") || !strings.Contains(stderr, want) {
		t.Errorf("a name there is not: exit %d\n%s%s", code, stdout, stderr)
	}
}

// What the API server prints is shown as it is, but for what a terminal would obey.
func TestGetPrintsTheTableOfTheServer(t *testing.T) {
	url := server(t, map[string]any{
		clustersPath: listOf("HostedCluster", hosted("clusters", "kv-00", "1", available("True", "fine"))),
		"table " + clustersPath: object{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": object{},
			"columnDefinitions": []any{object{"name": "Name", "priority": 0}, object{"name": "CP Version", "priority": 0},
				object{"name": "Hidden", "priority": 1}, object{"name": "Message", "priority": 0}},
			"rows": []any{
				object{"cells": []any{"kv-00", "4.21.0", "h", "fine"}},
				object{"cells": []any{"kv-01", nil, "h", "\x1b[2Jcleared\u202e\nNext: forged"}},
			}},
	}, nil)
	code, stdout, stderr := runOn(t, url, "get", "clusters")
	want := "NAME    CP VERSION   MESSAGE\nkv-00   4.21.0       fine\n" +
		"kv-01                \\x1b[2Jcleared\\u202e; Next: forged\n"
	if code != cmdutil.ExitDone || stderr != "" || stdout != want {
		t.Errorf("exit %d, %s\n%s", code, stderr, stdout)
	}
	if _, stdout, _ := runOn(t, url, "get", "clusters", "-o", "name"); !strings.Contains(stdout, "/kv-00\n") {
		t.Errorf("names: %s", stdout)
	}
	code, stdout, _ = watched(t, url)
	if want := "NAME    CP VERSION   MESSAGE\nkv-00                fine\n"; stdout != want {
		t.Errorf("a watch: exit %d\n%s", code, stdout)
	}
}

func TestGetNodePools(t *testing.T) {
	pool := func(name, cluster string) object {
		return object{
			"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
			"metadata": object{"namespace": "clusters", "name": name, "uid": name, "resourceVersion": "1"},
			"spec":     object{"clusterName": cluster, "replicas": 2},
			"status": object{"replicas": 1, "version": "4.20.3",
				"conditions": []any{object{"type": "Ready", "status": "False",
					"message": "Minimum availability requires 2 replicas, current 1 available"}}},
		}
	}
	url := server(t, map[string]any{poolsPath: listOf("NodePool", pool("kv-00", "kv-00"), pool("kv-01-big", "kv-01"))},
		nil)
	code, stdout, stderr := runOn(t, url, "get", "nodepools")
	if code != cmdutil.ExitDone || stderr != "" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	goldenFile(t, "get-nodepools.txt", stdout)
	if _, stdout, _ := runOn(t, url, "get", "np", "--cluster-name", "kv-01", "-o",
		"name"); stdout != "nodepool.hypershift.openshift.io/kv-01-big\n" {
		t.Errorf("of one cluster: %q", stdout)
	}
	if _, stdout, stderr := runOn(t, url, "get", "np", "--cluster-name", "x", "-l", "a=b"); stdout != "" ||
		stderr != "No node pools of hosted cluster x in namespace clusters with labels a=b.\n" {
		t.Errorf("none: %q, %q", stdout, stderr)
	}
	_, stdout, _ = runOn(t, url, "get", "nodepools", "-o", "json")
	conforms(t, "get-nodepools", []byte(stdout))
}

func TestGetMisuse(t *testing.T) {
	for want, args := range map[string][]string{
		"--all-namespaces: with a name": {"get", "clusters", "x", "-A"},
		"give either names or":          {"get", "clusters", "x", "-l", "a=b"},
		`--selector "a=b=c"`:            {"get", "nodepools", "-l", "a=b=c"},
		"it takes wide, json, yaml":     {"get", "nodepools", "-o", "xml"},
		"it is about --watch":           {"get", "clusters", "--output-watch-events"},
		"has no place for them":         {"get", "clusters", "-w", "-o", "name", "--output-watch-events"},
	} {
		code, stdout, stderr := run(t, args...)
		if code != cmdutil.ExitUsage || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}

// tape is a writer that can be waited for.
type tape struct {
	mu  sync.Mutex
	b   bytes.Buffer
	has chan struct{}
}

func (w *tape) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b.Write(p)
	select {
	case w.has <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (w *tape) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// until waits for a text.
func (w *tape) until(t *testing.T, text string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for !strings.Contains(w.String(), text) {
		select {
		case <-w.has:
		case <-deadline:
			t.Fatalf("no %q in:\n%s", text, w)
		}
	}
}

// watching runs get clusters --watch, lets it see changes, and interrupts it.
func watching(t *testing.T, args ...string) (string, int) {
	t.Helper()
	stream := make(chan object)
	url := server(t,
		map[string]any{clustersPath: listOf("HostedCluster", hosted("clusters", "a", "1", available("True", "fine")),
			hosted("clusters", "b", "1", nil))},
		map[string]chan object{clustersPath: stream})
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	out, errs := &tape{has: make(chan struct{}, 1)}, &tape{has: make(chan struct{}, 1)}
	ctx, interrupt := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() {
		code <- Main(ctx, append([]string{"get", "clusters", "--watch", "--server", url}, args...),
			cmdutil.Streams{In: strings.NewReader(""), Out: out, Err: errs}, func(string) string { return "" })
	}()
	out.until(t, "b")
	quiet := hosted("clusters", "a", "2", available("True", "fine"))
	stream <- object{"type": "MODIFIED", "object": quiet}
	stream <- object{"type": "MODIFIED", "object": hosted("clusters", "b", "3", available("False", "no longer fine"))}
	out.until(t, "no longer fine")
	stream <- object{"type": "DELETED", "object": hosted("clusters", "b", "4", available("False", "no longer fine"))}
	stream <- object{"type": "ADDED", "object": hosted("clusters", "last", "5", nil)}
	out.until(t, "last")
	interrupt()
	select {
	case got := <-code:
		if errs.String() != "" {
			t.Errorf("an interrupted watch says %q", errs)
		}
		return out.String(), got
	case <-time.After(20 * time.Second):
		t.Fatal("an interrupt does not end it")
		return "", 0
	}
}

// watched interrupts get clusters --watch after its first row.
func watched(t *testing.T, url string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	out, errs := &tape{has: make(chan struct{}, 1)}, &tape{has: make(chan struct{}, 1)}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, []string{"get", "clusters", "--watch", "--server", url},
			cmdutil.Streams{In: strings.NewReader(""), Out: out, Err: errs}, func(string) string { return "" })
	}()
	out.until(t, "kv-00")
	interrupt()
	return <-ended, out.String(), errs.String()
}

func TestWatchPrintsRowsThatChange(t *testing.T) {
	out, code := watching(t)
	if code != cmdutil.ExitInterrupted {
		t.Errorf("exit %d", code)
	}
	goldenFile(t, "get-clusters-watch.txt", out)
	out, _ = watching(t, "--output-watch-events")
	goldenFile(t, "get-clusters-watch-events.txt", out)
}

func TestWatchAsJSONIsAnObjectALine(t *testing.T) {
	out, code := watching(t, "-o", "json")
	if code != cmdutil.ExitInterrupted {
		t.Errorf("exit %d", code)
	}
	conformLines(t, "get-clusters", []byte(out))
	if n := strings.Count(out, "\n"); n != 6 {
		t.Errorf("%d lines:\n%s", n, out)
	}
	out, _ = watching(t, "-o", "json", "--output-watch-events")
	if !strings.Contains(out, `"type":"DELETED"}`) {
		t.Errorf("no deletion:\n%s", out)
	}
	conformLines(t, "get-clusters", []byte(out))
}
