package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

const (
	// awaited is the step that each cluster of the fleet waits for.
	awaited = "/cluster/api"
	// ignoredChanges is the number of changes that do not affect a waiting step. The rest, one per cluster, end the wait.
	ignoredChanges = changes - thousand
	// fleetBegins is the time limit until hcctl waits for a thousand clusters.
	fleetBegins = 5 * time.Minute
)

var secrets = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// waitedFleet is a fleet of clusters that are complete, as far as hcctl apply --wait api checks.
const waitedFleet = `apiVersion: hcctl.dev/v1alpha1
kind: Fleet
clusters:
- metadata: {name: "kv-%04d"}
  first: 1
  count: `

// fleetWait runs hcctl apply for a thousand clusters during ten thousand changes. The last change of each cluster ends
// its wait.
func (b *bench) fleetWait(ctx context.Context) error {
	w, err := b.finished(ctx, thousand)
	if err != nil {
		return err
	}
	defer b.testbeds.stop() // it holds too many objects for other families
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	clusters, err := w.names(ctx, hostedClusters)
	if err != nil {
		return err
	}
	door := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok")
	}))
	defer door.Close()
	whole, err := w.unavailable(ctx, clusters, door)
	if err != nil {
		return err
	}
	file := filepath.Join(w.dir, "waited-fleet.yaml")
	if err := os.WriteFile(file, []byte(waitedFleet+strconv.Itoa(len(clusters))+"\n"), 0o600); err != nil {
		return err
	}
	count, err := w.counter()
	if err != nil {
		return err
	}
	seen := &waitedOn{clusters: len(clusters), pending: map[string]bool{}, begun: make(chan struct{})}
	cmd, err := b.stream(ctx, w, seen.read, "apply", "-f", file, "--wait", "api", "--parallel",
		strconv.Itoa(len(clusters)), "--skip-preflight", "all", "--yes", "-o", "json")
	if err != nil {
		return err
	}
	if err := cmd.await(seen.begun, fleetBegins, func() string {
		return fmt.Sprintf("waited for %d of %d clusters", seen.waits(), len(clusters))
	}); err != nil {
		return err
	}
	var made atomic.Int64
	sampling, sampled := context.WithCancel(ctx)
	samples := make(chan []point, 1)
	go func() {
		samples <- memory(sampling, cmd.Process.Pid, func() int { return int(made.Load()) }, cancel)
	}()
	failed := writeAll(changes, func(i int) error {
		defer made.Add(1)
		if i < ignoredChanges {
			return w.mark(ctx, clusters[i%len(clusters)], i)
		}
		at := clusters[i%len(clusters)]
		return w.conditions(ctx, at, whole[at])
	})
	sampled()
	line := <-samples
	if failed != nil {
		return failed
	}
	select {
	case err = <-cmd.heard:
	case <-time.After(quietLimit):
		cancel()
		err = <-cmd.heard
	}
	if !errors.Is(err, io.EOF) {
		return fmt.Errorf("what hcctl apply writes: %w", err)
	}
	ended := cmd.Wait()
	requests, err := count.Requests(context.WithoutCancel(ctx), own)
	if err != nil {
		return err
	}
	missed := len(clusters) - seen.done
	if ended != nil && missed == 0 {
		return fmt.Errorf("hcctl apply: %w", ended)
	}
	grown, err := growth(line, changes)
	if err != nil {
		return err
	}
	b.record("fleetwait.missed", float64(missed))
	b.record("fleetwait.growth", grown)
	b.record("fleetwait.memory", measuring.ResidentOf(cmd.ProcessState))
	b.record("fleetwait.requests", float64(len(requests))/float64(len(clusters)))
	b.series = append(b.series, series{ID: "fleetwait.memory.line", Group: "watch",
		Title: "hcctl apply waiting for 1,000 clusters: memory over the changes", Kind: "columns", Across: "changes made",
		Unit: "MB", Points: line})
	return nil
}

// unavailable gives the clusters' API servers one address, and makes their operator report them as not available. It
// returns the former conditions.
func (w *testbed) unavailable(ctx context.Context, clusters []types.NamespacedName,
	door *httptest.Server) (map[types.NamespacedName][]any, error) {
	kubeconfig, err := leadingTo(door)
	if err != nil {
		return nil, err
	}
	secret, err := json.Marshal(map[string]any{"data": map[string][]byte{"kubeconfig": kubeconfig}})
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	before := map[types.NamespacedName][]any{}
	return before, writeAll(len(clusters), func(i int) error {
		at := clusters[i]
		if _, err := w.client.Resource(secrets).Namespace(at.Namespace).
			Patch(ctx, at.Name+"-admin-kubeconfig", types.MergePatchType, secret, metav1.PatchOptions{}); err != nil {
			return err
		}
		hc, err := w.client.Resource(hostedClusters).Namespace(at.Namespace).Get(ctx, at.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		had, _, err := unstructured.NestedSlice(hc.Object, "status", "conditions")
		if err != nil {
			return err
		}
		mu.Lock()
		before[at] = had
		mu.Unlock()
		return w.conditions(ctx, at, withoutAvailable(had))
	})
}

// withoutAvailable returns the conditions of a cluster that is not available.
func withoutAvailable(had []any) []any {
	var out []any
	for _, c := range had {
		if c, ok := c.(map[string]any); ok && c["type"] == "Available" {
			c := map[string]any{"type": "Available", "status": "False", "reason": "WaitingForAvailable", "message": "",
				"lastTransitionTime": c["lastTransitionTime"], "observedGeneration": c["observedGeneration"]}
			out = append(out, c)
			continue
		}
		out = append(out, c)
	}
	return out
}

// conditions writes the conditions of a cluster.
func (w *testbed) conditions(ctx context.Context, at types.NamespacedName, conditions []any) error {
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": conditions}})
	if err != nil {
		return err
	}
	_, err = w.client.Resource(hostedClusters).Namespace(at.Namespace).
		Patch(ctx, at.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// leadingTo returns a kubeconfig for a server.
func leadingTo(server *httptest.Server) ([]byte, error) {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return clientcmd.Write(clientcmdapi.Config{
		Clusters:  map[string]*clientcmdapi.Cluster{agent: {Server: server.URL, CertificateAuthorityData: ca}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{agent: {Token: agent}},
		Contexts:  map[string]*clientcmdapi.Context{agent: {Cluster: agent, AuthInfo: agent}}, CurrentContext: agent,
	})
}

// waitedOn collects the events of the awaited step from hcctl apply -o json.
type waitedOn struct {
	clusters int
	// begun is closed once all clusters are waited for.
	begun chan struct{}

	mu      sync.Mutex
	pending map[string]bool
	// done counts the clusters that have finished the step.
	done int
}

// read reads events until the end or an error.
func (s *waitedOn) read(events *json.Decoder) error {
	for {
		var l line
		if err := events.Decode(&l); err != nil {
			return err
		}
		s.saw(l)
	}
}

func (s *waitedOn) saw(l line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !strings.HasSuffix(l.Step, awaited):
	case l.Type == "finished" && l.Outcome == "done":
		s.done++
	case l.Finding.State == "pending" && !s.pending[l.Step]:
		if s.pending[l.Step] = true; len(s.pending) == s.clusters {
			close(s.begun)
		}
	}
}

func (s *waitedOn) waits() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending)
}
