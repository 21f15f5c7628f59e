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

// agent is what the bench's own requests call themselves, so that they are not counted as hcctl's.
const agent = "bench"

var (
	hostedClusters = schema.GroupVersionResource{Group: "hypershift.openshift.io", Version: "v1beta1",
		Resource: "hostedclusters"}
	nodePools = schema.GroupVersionResource{Group: "hypershift.openshift.io", Version: "v1beta1", Resource: "nodepools"}
)

// worlds keeps one sandbox running at a time, for the families that need the same.
type worlds struct {
	flags   string
	current *world
}

// world is a running sandbox.
type world struct {
	*sandbox.Process
	// env leads hcctl there.
	env    []string
	client dynamic.Interface
	config *rest.Config
	dir    string
	// frozen tells that nobody works on the hosted cluster that was made here any more.
	frozen bool
}

// working returns a sandbox with everything in place and one finished cluster, whose operators work on further ones;
// one of them has an API server of its own.
func (b *bench) working(ctx context.Context) (*world, error) {
	return b.world(ctx, "--profile", "ready", "--speed", "50", "--guests", "1", "--clusters", "1")
}

// finished returns a sandbox with everything in place and this many finished hosted clusters, of two node pools each,
// that nobody works on.
func (b *bench) finished(ctx context.Context, clusters int) (*world, error) {
	return b.world(ctx, "--profile", "ready", "--speed", "50", "--guests", "0", "--clusters", strconv.Itoa(clusters))
}

// world returns the running sandbox if it was started with the same flags, else another one.
func (b *bench) world(ctx context.Context, flags ...string) (*world, error) {
	key := strings.Join(flags, " ")
	if b.worlds.current != nil && b.worlds.flags == key {
		return b.worlds.current, nil
	}
	b.worlds.stop()
	w, err := launch(ctx, b.sandbox, append(flags, "--gc-percent", "200", "--audit"))
	if err != nil {
		return nil, err
	}
	b.worlds = worlds{flags: key, current: w}
	return w, nil
}

// launch starts a sandbox and makes a client of it.
func launch(ctx context.Context, program string, flags []string) (*world, error) {
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
	w := &world{Process: p, dir: dir, env: []string{"KUBECONFIG=" + p.Kubeconfig}}
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

func (w *world) end() error { return errors.Join(w.Stop(), os.RemoveAll(w.dir)) }

// stop ends the sandbox that is running, if one is.
func (w *worlds) stop() {
	if w.current != nil {
		_ = w.current.end()
	}
	*w = worlds{}
}
