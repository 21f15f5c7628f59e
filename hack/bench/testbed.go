package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/sandbox"
)

// agent is the User-Agent of the bench's own requests, which are not counted.
const agent = "bench"

var (
	hostedClusters = schema.GroupVersionResource{Group: "hypershift.openshift.io", Version: "v1beta1",
		Resource: "hostedclusters"}
	nodePools = schema.GroupVersionResource{Group: "hypershift.openshift.io", Version: "v1beta1", Resource: "nodepools"}
)

// testbeds keeps one sandbox at a time, which families with the same flags share.
type testbeds struct {
	flags   string
	current *testbed
}

// testbed is a running sandbox.
type testbed struct {
	*sandbox.Process
	// env is the environment that connects hcctl to it.
	env    []string
	client dynamic.Interface
	config *rest.Config
	dir    string
	// frozen means that the operators ignore its hosted cluster.
	frozen bool
}

// working returns a sandbox with all prerequisites and one finished cluster. Its operators work on further clusters,
// one of which has its own API server.
func (b *bench) working(ctx context.Context) (*testbed, error) {
	return b.testbed(ctx, "--profile", "ready", "--speed", "50", "--guests", "1", "--clusters", "1")
}

// finished returns a sandbox with all prerequisites and this number of finished hosted clusters with two node pools
// each. The operators ignore them.
func (b *bench) finished(ctx context.Context, clusters int) (*testbed, error) {
	return b.testbed(ctx, "--profile", "ready", "--speed", "50", "--guests", "0", "--clusters", strconv.Itoa(clusters))
}

// testbed returns the running sandbox if it has the same flags, else a new one.
func (b *bench) testbed(ctx context.Context, flags ...string) (*testbed, error) {
	key := strings.Join(flags, " ")
	if b.testbeds.current != nil && b.testbeds.flags == key {
		return b.testbeds.current, nil
	}
	b.testbeds.stop()
	w, err := launch(ctx, b.sandbox, append(flags, "--gc-percent", "200", "--audit"))
	if err != nil {
		return nil, err
	}
	b.testbeds = testbeds{flags: key, current: w}
	return w, nil
}

// launch starts a sandbox and makes a client for it.
func launch(ctx context.Context, program string, flags []string) (*testbed, error) {
	dir, err := os.MkdirTemp("", "hcctl-bench")
	if err != nil {
		return nil, err
	}
	starting, cancel := context.WithTimeout(ctx, 2*sandbox.StartTime)
	defer cancel()
	p, err := sandbox.Launch(starting, program, dir, flags...)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	w := &testbed{Process: p, dir: dir, env: []string{"KUBECONFIG=" + p.Kubeconfig}}
	w.config, err = clientcmd.BuildConfigFromFlags("", p.Kubeconfig)
	if err == nil {
		w.config.QPS, w.config.UserAgent = -1, agent
		w.client, err = dynamic.NewForConfig(w.config)
	}
	if err != nil {
		return nil, errors.Join(err, w.end())
	}
	return w, nil
}

func (w *testbed) end() error { return errors.Join(w.Stop(), os.RemoveAll(w.dir)) }

func (w *testbeds) stop() {
	if w.current != nil {
		_ = w.current.end()
	}
	*w = testbeds{}
}
