package cli

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// lab is a management cluster: a cluster that is well, one that is being created, one that will never be.
func lab() map[string]any {
	now := time.Now().UTC().Format(time.RFC3339)
	condition := func(kind, status, reason, message string) object {
		return object{"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": now}
	}
	well := hosted("clusters", "kv-00", "1", available("True", "The hosted control plane is available"))
	well["status"].(object)["controlPlaneEndpoint"] = object{"host": "192.168.216.40", "port": 6443}
	well["status"].(object)["version"].(object)["desired"] = object{"version": "4.20.3"}
	creating := hosted("clusters", "kv-01", "1",
		object{"conditions": []any{condition("InfrastructureReady", "False", "WaitingOnInfrastructureReady",
			"kube-apiserver load balancer is not provisioned; 42s since creation.")}})
	creating["metadata"].(object)["creationTimestamp"] = now
	hopeless := hosted("dev", "kv-02", "1",
		object{"conditions": []any{condition("ValidReleaseImage", "False", "InvalidImage",
			"the latest version supported is: \"4.20\". Attempting to use: \"4.21.3\"")}})
	pool := func(namespace, cluster string, replicas, have int, ready object) object {
		return object{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
			"metadata": object{"namespace": namespace, "name": cluster, "creationTimestamp": now},
			"spec":     object{"clusterName": cluster, "replicas": replicas},
			"status":   object{"replicas": have, "conditions": []any{ready}}}
	}
	one := pool("clusters", "kv-00", 2, 2, condition("Ready", "True", "AsExpected", ""))
	two := pool("clusters", "kv-01", 3, 0, condition("Ready", "False", "WaitingForAvailableMachines",
		"Minimum availability requires 3 replicas, current 0 available"))
	machine := func(name, state string, ready bool, scheduled object) object {
		return object{"metadata": object{"name": name, "creationTimestamp": now},
			"status": object{"ready": ready, "printableStatus": state, "conditions": []any{scheduled}}}
	}
	workload := func(name string) object {
		return object{"metadata": object{"name": name, "creationTimestamp": now}, "spec": object{"replicas": 3},
			"status": object{"replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3}}
	}
	none, apps := object{"items": []any{}}, "/apis/apps/v1/namespaces/"
	return map[string]any{
		apps + "hypershift/deployments/operator": object{"metadata": object{"name": "operator"},
			"status": object{"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 1}},
		apps + "clusters-kv-00/deployments":  object{"items": []any{workload("kube-apiserver")}},
		apps + "clusters-kv-00/statefulsets": object{"items": []any{workload("etcd")}},
		apps + "clusters-kv-01/deployments":  none, apps + "clusters-kv-01/statefulsets": none,
		apps + "clusters-none/deployments": none, apps + "clusters-none/statefulsets": none,
		apps + "dev-kv-02/deployments": none, apps + "dev-kv-02/statefulsets": none,
		clustersPath: listOf("HostedCluster", well, creating), everyPath: listOf("HostedCluster", well, creating, hopeless),
		clustersPath + "/kv-00": well, clustersPath + "/kv-01": creating, clustersPath + "/none": 404,
		"/apis/hypershift.openshift.io/v1beta1/namespaces/dev/hostedclusters/kv-02": hopeless,
		"/apis/hypershift.openshift.io/v1beta1/namespaces/dev/nodepools":            listOf("NodePool"),
		"/api/v1/namespaces/dev-kv-02/pods":                                         object{"items": []any{}},
		"/apis/kubevirt.io/v1/namespaces/dev-kv-02/virtualmachines":                 object{"items": []any{}},
		poolsPath: listOf("NodePool", one, two), "/apis/hypershift.openshift.io/v1beta1/nodepools": listOf("NodePool", one,
			two),
		"/api/v1/namespaces/clusters-kv-00/pods": object{"items": []any{object{"metadata": object{"name": "etcd-0"},
			"status": object{"phase": "Running", "conditions": []any{condition("Ready", "True", "", "")}}}}},
		"/apis/kubevirt.io/v1/namespaces/clusters-kv-00/virtualmachines": object{"items": []any{machine("kv-00-a", "Running",
			true, object{}), machine("kv-00-b", "ErrorUnschedulable", false,
			condition("PodScheduled", "False", "Unschedulable", "0/3 nodes are available: 3 Insufficient memory."))}},
		"/api/v1/namespaces/clusters/secrets/admin-kubeconfig":           403,
		"/api/v1/namespaces/clusters-kv-01/pods":                         403,
		"/apis/kubevirt.io/v1/namespaces/clusters-kv-01/virtualmachines": object{"items": []any{}},
		"/api/v1/namespaces/clusters-none/pods":                          object{"items": []any{}},
		"/apis/kubevirt.io/v1/namespaces/clusters-none/virtualmachines":  object{"items": []any{}},
	}
}

func TestStatus(t *testing.T) {
	url := server(t, lab(), nil)
	for name, tc := range map[string]struct {
		args []string
		code int
	}{
		"status-failing.txt":   {[]string{"status", "kv-00"}, cmdutil.ExitMissing},
		"status-creating.txt":  {[]string{"status", "kv-01"}, cmdutil.ExitMissing},
		"status-broken.txt":    {[]string{"status", "kv-02", "-n", "dev"}, cmdutil.ExitBroken},
		"status-fleet.txt":     {[]string{"status"}, cmdutil.ExitMissing},
		"status-fleet-all.txt": {[]string{"status", "-A"}, cmdutil.ExitBroken},
		"status-problems.txt":  {[]string{"status", "kv-00", "--problems"}, cmdutil.ExitMissing},
	} {
		code, stdout, stderr := runOn(t, url, tc.args...)
		if code != tc.code || stderr != "" {
			t.Errorf("%v: exit %d, want %d: %s", tc.args, code, tc.code, stderr)
		}
		goldenFile(t, name, strings.ReplaceAll(stdout, url, "https://lab.example:6443"))
		_, stdout, _ = runOn(t, url, append(tc.args, "-o", "wide")...)
		if strings.HasPrefix(name, "status-fleet") { // one cluster has no further columns
			name = strings.Replace(name, ".txt", "-wide.txt", 1)
		}
		goldenFile(t, name, strings.ReplaceAll(stdout, url, "https://lab.example:6443"))
		code, document, _ := runOn(t, url, append(tc.args, "-o", "json")...)
		if code != tc.code {
			t.Errorf("%v -o json: exit %d, want %d", tc.args, code, tc.code)
		}
		conforms(t, "status", []byte(document))
		_, text, _ := runOn(t, url, append(tc.args, "-o", "yaml")...)
		fromYAML, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		conforms(t, "status", fromYAML)
	}
}

func TestStatusOfWhatIsNotThere(t *testing.T) {
	url := server(t, lab(), nil)
	code, stdout, stderr := runOn(t, url, "status", "none")
	if code != cmdutil.ExitError || stdout != "" || !strings.Contains(stderr,
		`no hosted cluster "none" in namespace "clusters"; there are: dev/kv-02, kv-00, kv-01`) {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
	empty := lab()
	empty[everyPath], empty["/apis/hypershift.openshift.io/v1beta1/nodepools"] = listOf("HostedCluster"), listOf(
		"NodePool")
	url = server(t, empty, nil)
	if code, stdout, stderr := runOn(t, url, "status", "-A"); code != cmdutil.ExitDone || stdout != "" ||
		stderr != "No hosted clusters in any namespace.\n" {
		t.Errorf("none: exit %d, %q, %q", code, stdout, stderr)
	}
	code, stdout, _ = runOn(t, url, "status", "-A", "-o", "json")
	conforms(t, "status", []byte(stdout))
	var document map[string]any
	if err := json.Unmarshal([]byte(stdout), &document); err != nil || code != cmdutil.ExitDone ||
		document["health"] != "ok" {
		t.Errorf("none as JSON: exit %d, %s", code, stdout)
	}
	bare := map[string]any{}
	if code, _, stderr := runOn(t, server(t, bare, nil), "status"); code != cmdutil.ExitMissing ||
		!strings.Contains(stderr, "HyperShift is not installed") {
		t.Errorf("without HyperShift: exit %d, %s", code, stderr)
	}
}

func TestStatusWhereOnlySomeMayBeRead(t *testing.T) {
	blind := maps.Clone(lab())
	blind["/apis/hypershift.openshift.io/v1beta1/nodepools"] = 403
	blind[everyPath] = listOf("HostedCluster", blind[clustersPath+"/kv-00"])
	code, stdout, _ := runOn(t, server(t, blind, nil), "status", "-A")
	if code != cmdutil.ExitMissing || !strings.Contains(stdout, "✗ clusters   kv-00  failing  ready  4.20.3   ?      "+
		"VirtualMachine kv-00-b: ") {
		t.Errorf("exit %d:\n%s", code, stdout)
	}
}

// TestStatusOfACleanedOut has a cluster of which only the HostedCluster is left, held by somebody's finalizer.
func TestStatusOfACleanedOut(t *testing.T) {
	world := maps.Clone(lab())
	hopeless := maps.Clone(world["/apis/hypershift.openshift.io/v1beta1/namespaces/dev/hostedclusters/kv-02"].(object))
	metadata := maps.Clone(hopeless["metadata"].(object))
	metadata["deletionTimestamp"], metadata["finalizers"] = "2026-03-01T10:00:00Z", []any{"example.com/hold"}
	hopeless["metadata"] = metadata
	world["/apis/hypershift.openshift.io/v1beta1/namespaces/dev/hostedclusters/kv-02"] = hopeless
	_, stdout, _ := runOn(t, server(t, world, nil), "status", "kv-02", "-n", "dev")
	for _, want := range []string{"deleting", "held by example.com/hold", "control plane: none left",
		"worker VMs: none left"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in:\n%s", want, stdout)
		}
	}
}

func TestStatusMisuse(t *testing.T) {
	for want, args := range map[string][]string{
		"takes one name":              {"status", "a", "b"},
		"with a name give":            {"status", "a", "-A"},
		"either a name or a selector": {"status", "a", "-l", "a=b"},
		"it takes wide, json, yaml":   {"status", "-o", "name"},
		"use -o json":                 {"status", "--watch", "-o", "yaml"},
		"give a time above zero":      {"status", "--timeout", "0s"},
		`--selector "=": `:            {"status", "-l", "="},
	} {
		if code, stdout, stderr := run(t, args...); code != cmdutil.ExitUsage || stdout != "" ||
			!strings.Contains(stderr, want) {
			t.Errorf("%v: exit %d, %q, want %q", args, code, stderr, want)
		}
	}
}

// changing is a lab whose cluster kv-00 can be changed while the test goes on.
func changing(t *testing.T) (url string, change func(answers map[string]any), stream chan object) {
	t.Helper()
	world, stream := lab(), make(chan object, 4)
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") != "" {
			w.(http.Flusher).Flush()
			for {
				var events chan object
				if strings.HasSuffix(r.URL.Path, "hostedclusters") {
					events = stream
				}
				select {
				case event := <-events:
					_ = json.NewEncoder(w).Encode(event)
					w.(http.Flusher).Flush()
				case <-r.Context().Done():
					return
				}
			}
		}
		mu.Lock()
		answer, known := world[r.URL.Path]
		mu.Unlock()
		code, refused := answer.(int)
		switch {
		case !known:
			http.Error(w, "404 page not found", http.StatusNotFound)
		case refused:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			_ = json.NewEncoder(w).Encode(object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
				"reason": map[int]string{403: "Forbidden", 404: "NotFound"}[code], "details": object{"name": "kv-00"}})
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(answer)
		}
	}))
	t.Cleanup(s.CloseClientConnections)
	return s.URL, func(answers map[string]any) {
		mu.Lock()
		defer mu.Unlock()
		maps.Copy(world, answers)
	}, stream
}

// TestStatusWatch has a line for each cluster at first, one for each that changes, and nothing for those that do not.
func TestStatusWatch(t *testing.T) {
	for _, format := range []string{"", "json"} {
		t.Run("format "+format, func(t *testing.T) {
			url, change, stream := changing(t)
			t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
			out, errs := &tape{has: make(chan struct{}, 1)}, &tape{has: make(chan struct{}, 1)}
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			ended := make(chan int, 1)
			go func() {
				ended <- Main(ctx, []string{"status", "--watch", "-o", format, "--server", url},
					cmdutil.Streams{In: strings.NewReader(""), Out: out, Err: errs}, func(string) string { return "" })
			}()
			out.until(t, "kv-01")
			stopped := hosted("clusters", "kv-00", "7", available("False", "it fell over"))
			change(map[string]any{clustersPath: listOf("HostedCluster", stopped), clustersPath + "/kv-00": stopped})
			stream <- object{"type": "MODIFIED", "object": stopped}
			out.until(t, map[string]string{"": "clusters/kv-01   gone", "json": `"gone":["clusters/kv-01"]`}[format])
			interrupt()
			if code := <-ended; code != cmdutil.ExitInterrupted || errs.String() != "" {
				t.Errorf("exit %d, %s", code, errs.String())
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if format == "" {
				if len(lines) < 3 || !strings.Contains(out.String(), "clusters/kv-00") {
					t.Errorf("%d lines:\n%s", len(lines), out.String())
				}
				return
			}
			if len(lines) != 2 {
				t.Errorf("%d lines:\n%s", len(lines), out.String())
			}
			for _, line := range lines {
				conforms(t, "status", []byte(line))
			}
		})
	}
}

// TestStatusWatchEndsWithItsCluster watches one cluster, which is deleted.
func TestStatusWatchEndsWithItsCluster(t *testing.T) {
	url, change, stream := changing(t)
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	out := &tape{has: make(chan struct{}, 1)}
	ended := make(chan int, 1)
	go func() {
		ended <- Main(t.Context(), []string{"status", "kv-00", "--watch", "--server", url},
			cmdutil.Streams{In: strings.NewReader(""), Out: out, Err: out}, func(string) string { return "" })
	}()
	out.until(t, "kv-00")
	change(map[string]any{clustersPath + "/kv-00": 404, clustersPath: listOf("HostedCluster")})
	stream <- object{"type": "DELETED", "object": hosted("clusters", "kv-00", "9", nil)}
	if code := <-ended; code != cmdutil.ExitDone || !strings.Contains(out.String(), "clusters/kv-00") ||
		!strings.Contains(out.String(), "gone") {
		t.Errorf("exit %d: %s", code, out.String())
	}
}

func TestColour(t *testing.T) {
	url := server(t, lab(), nil)
	for flag, coloured := range map[string]bool{"--color=always": true, "--color=never": false, "--color=auto": false} {
		if _, out, _ := runOn(t, url, "status", flag); strings.Contains(out, "\x1b[") != coloured {
			t.Errorf("%s: %q", flag, out)
		}
	}
	if code, _, errs := run(t, "status", "--color=often"); code != cmdutil.ExitUsage ||
		!strings.Contains(errs, "it takes auto, always or never") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

func TestVersionFlag(t *testing.T) {
	_, want, _ := run(t, "version")
	if code, out, errs := run(t, "--version"); code != cmdutil.ExitDone || out != want || errs != "" {
		t.Errorf("exit %d, %q, %q, want %q", code, out, errs, want)
	}
}
