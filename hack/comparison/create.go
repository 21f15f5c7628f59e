package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/audit"
)

const (
	// namespace exists before, so that neither program creates or removes it.
	namespace = "clusters"
	// release is one that the sandbox's operator can create; both programs get it by its tag.
	release = "quay.io/openshift-release-dev/ocp-release:4.20.8-multi"
)

var (
	hostedClusters = schema.GroupVersionResource{Group: "hypershift.openshift.io", Version: "v1beta1",
		Resource: "hostedclusters"}
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	secrets    = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
)

// clusterFlags returns the same flags for both: hcp needs explicitly what hcctl has as default.
func clusterFlags(name, pullSecret string) []string {
	return []string{"--name", name, "--namespace", namespace, "--pull-secret", pullSecret, "--release-image", release,
		"--node-pool-replicas", "2", "--memory", "8Gi", "--cores", "2"}
}

// create returns the command that creates a cluster and returns when it works.
func create(of side, name, pullSecret string, more ...string) []string {
	flags := append(clusterFlags(name, pullSecret), more...)
	if of == ours {
		return append([]string{"create", "cluster", "--yes"}, flags...)
	}
	return append([]string{"create", "cluster", "kubevirt", "--wait"}, flags...)
}

func (c *comparison) program(of side) string {
	if of == ours {
		return c.hcctl
	}
	return c.hcp
}

// agent returns the program's User-Agent.
func agent(of side) string {
	if of == ours {
		return "hcctl"
	}
	return hcp
}

// createAndDelete compares a cluster's life: each program creates one, waits until it works, and deletes it.
func (c *comparison) createAndDelete(ctx context.Context) error {
	w, secret, err := c.prepared(ctx, "ready")
	if err != nil {
		return err
	}
	defer w.end() //nolint:errcheck // the results count
	words := map[side]string{}
	err = alternate(c.runs, func(i int, of side) error {
		name := fmt.Sprintf("%s-%d", agent(of), i)
		description, err := c.createOne(ctx, w, of, name, secret)
		if err != nil {
			return err
		}
		words[of] = description
		return c.deleteOne(ctx, w, of, name)
	})
	if err != nil {
		return err
	}
	c.facts = append(c.facts, fact{"create", "what it says after the HostedCluster is written", hcp, words[ours],
		words[theirs]})
	return nil
}

// prepared launches a sandbox and prepares it for both programs.
func (c *comparison) prepared(ctx context.Context, profile string) (w *testbed, secret string, err error) {
	if w, err = c.launch(ctx, profile); err != nil {
		return nil, "", err
	}
	if secret, err = w.prepare(ctx); err != nil {
		return nil, "", errors.Join(err, w.end())
	}
	return w, secret, nil
}

// prepare creates the namespace, and writes the management cluster's pull secret into a file.
func (w *testbed) prepare(ctx context.Context) (secret string, err error) {
	ns := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace",
		"metadata": map[string]any{"name": namespace}}}
	if _, err := w.client.Resource(namespaces).Create(ctx, ns, metav1.CreateOptions{}); err != nil &&
		!apierrors.IsAlreadyExists(err) {
		return "", err
	}
	s, err := w.client.Resource(secrets).Namespace("openshift-config").Get(ctx, "pull-secret", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	text, _, err := unstructured.NestedString(s.Object, "data", ".dockerconfigjson")
	if err != nil {
		return "", err
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	return w.file("pull-secret.json", string(content))
}

// createOne creates a cluster and describes the output.
func (c *comparison) createOne(ctx context.Context, w *testbed, of side, name, secret string) (string, error) {
	seen, stop, err := w.follow(ctx, name)
	if err != nil {
		return "", err
	}
	defer stop()
	e, requests, err := c.counted(ctx, w, of, create(of, name, secret)...)
	if err != nil {
		return "", err
	}
	begin := e.At.Add(-e.Took)
	written, worked := seen.at("written"), seen.at("completed")
	if written.IsZero() || worked.IsZero() {
		return "", fmt.Errorf("%s ended, and HostedCluster %s was not seen to be written and to work", agent(of), name)
	}
	const group = "create"
	c.record(group, "until the HostedCluster is written", "s", hcp, of, written.Sub(begin).Seconds())
	c.record(group, "until one is told that the cluster works", "s", hcp, of, e.Took.Seconds())
	c.record(group, "from the release's completion until it is told", "s", hcp, of, max(0, e.At.Sub(worked).Seconds()))
	c.record(group, "requests", "requests", hcp, of, float64(len(requests)))
	c.record(group, "requests after the HostedCluster is written", "requests", hcp, of, float64(after(requests, written)))
	c.record(group, "memory", "MB", hcp, of, e.Resident)
	texts := map[string]bool{}
	waiting := 0
	for _, line := range e.Said {
		if begin.Add(line.After).After(written) && line.Text != "" {
			waiting++
			texts[withoutTime(line.Text)] = true
		}
	}
	c.record(group, "lines after the HostedCluster is written", "lines", hcp, of, float64(waiting))
	return fmt.Sprintf("%d different lines", len(texts)), nil
}

// withoutTime returns a line without its time.
func withoutTime(text string) string {
	var zap struct {
		Message string `json:"msg"`
	}
	if json.Unmarshal([]byte(text), &zap) == nil {
		return zap.Message
	}
	_, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	return strings.TrimSpace(rest)
}

func after(requests []audit.Request, at time.Time) int {
	n := 0
	for _, r := range requests {
		if r.Received.After(at) {
			n++
		}
	}
	return n
}

func (c *comparison) deleteOne(ctx context.Context, w *testbed, of side, name string) error {
	seen, stop, err := w.follow(ctx, name)
	if err != nil {
		return err
	}
	defer stop()
	args := []string{"destroy", "cluster", "kubevirt", "--name", name, "--namespace", namespace}
	if of == ours {
		args = []string{"delete", "cluster", name, "--namespace", namespace, "--yes"}
	}
	e, requests, err := c.counted(ctx, w, of, args...)
	if err != nil {
		return err
	}
	gone := seen.at("deleted")
	if gone.IsZero() {
		return fmt.Errorf("%s ended, and HostedCluster %s is still there", agent(of), name)
	}
	const group = "create"
	c.record(group, "delete: until it is told to be gone", "s", hcp, of, e.Took.Seconds())
	c.record(group, "delete: until the HostedCluster is gone", "s", hcp, of, gone.Sub(e.At.Add(-e.Took)).Seconds())
	c.record(group, "delete: requests", "requests", hcp, of, float64(len(requests)))
	c.record(group, "delete: memory", "MB", hcp, of, e.Resident)
	left, err := w.left(ctx, name)
	if err != nil {
		return err
	}
	c.record(group, "delete: objects of the cluster that are left", "objects", hcp, of, float64(left))
	return nil
}

// left counts the objects with the cluster's name after its deletion: its ManagedCluster, and Secrets and ConfigMaps.
func (w *testbed) left(ctx context.Context, name string) (int, error) {
	n := 0
	_, err := w.client.Resource(schema.GroupVersionResource{Group: "cluster.open-cluster-management.io", Version: "v1",
		Resource: "managedclusters"}).Get(ctx, name, metav1.GetOptions{})
	switch {
	case err == nil:
		n++
	case !apierrors.IsNotFound(err):
		return 0, err
	}
	for _, kind := range []schema.GroupVersionResource{secrets, {Version: "v1", Resource: "configmaps"}} {
		l, err := w.client.Resource(kind).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return 0, err
		}
		for i := range l.Items {
			if strings.HasPrefix(l.Items[i].GetName(), name+"-") {
				n++
			}
		}
	}
	return n, nil
}

// counted runs a program and returns its requests.
func (c *comparison) counted(ctx context.Context, w *testbed, of side, args ...string) (measuring.Ended,
	[]audit.Request, error) {
	count, err := measuring.NewCounter(w.config, w.Audit())
	if err != nil {
		return measuring.Ended{}, nil, err
	}
	e, err := measuring.Run(ctx, w.env, c.program(of), args...)
	if err != nil {
		return e, nil, err
	}
	requests, err := count.Requests(ctx, agent(of))
	return e, requests, err
}

// milestones records when a HostedCluster was first seen written, completed and deleted.
type milestones struct {
	mu   sync.Mutex
	when map[string]time.Time
	done chan struct{}
}

// at returns when a milestone was seen, or the zero time. It waits for one second, because the watch may be late.
func (m *milestones) at(what string) time.Time {
	for range 100 {
		m.mu.Lock()
		at := m.when[what]
		m.mu.Unlock()
		if !at.IsZero() {
			return at
		}
		select {
		case <-m.done:
			return time.Time{}
		case <-time.After(10 * time.Millisecond):
		}
	}
	return time.Time{}
}

func (m *milestones) pass(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.when[what].IsZero() {
		m.when[what] = time.Now()
	}
}

// follow watches a HostedCluster until the returned function is called.
func (w *testbed) follow(ctx context.Context, name string) (*milestones, func(), error) {
	events, err := w.client.Resource(hostedClusters).Namespace(namespace).Watch(ctx,
		metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return nil, nil, err
	}
	m := &milestones{when: map[string]time.Time{}, done: make(chan struct{})}
	go func() {
		defer close(m.done)
		for event := range events.ResultChan() {
			hc, ok := event.Object.(*unstructured.Unstructured)
			if !ok {
				continue
			}
			m.pass("written")
			history, _, _ := unstructured.NestedSlice(hc.Object, "status", "version", "history")
			if len(history) > 0 {
				if first, ok := history[0].(map[string]any); ok && first["state"] == "Completed" {
					m.pass("completed")
				}
			}
			if event.Type == watch.Deleted {
				m.pass("deleted")
			}
		}
	}()
	return m, events.Stop, nil
}
