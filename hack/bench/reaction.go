package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

const (
	// reactionRuns is large enough for a meaningful worst value. It is reduced in proportion to -runs.
	reactionRuns  = 50
	reactionLimit = 30 * time.Second
	reactionName  = "reaction"
	rolloutStep   = "cluster/rollout"
)

// frozenCluster returns a sandbox with a complete hosted cluster, created by hcctl, that the operators ignore.
func (b *bench) frozenCluster(ctx context.Context) (*testbed, error) {
	w, err := b.working(ctx)
	if err != nil || w.frozen {
		return w, err
	}
	if _, err := measuring.Run(ctx, w.env, b.hcctl, createReaction()...); err != nil {
		return nil, err
	}
	return w, w.freeze(ctx, reactionName)
}

func createReaction() []string {
	return []string{"create", "cluster", "--name", reactionName, "--wait", "complete", "--skip-preflight", "all", "--yes",
		"-o", "json"}
}

func waitReaction() []string {
	return []string{"wait", "cluster", reactionName, "--for", "complete", "-o", "json"}
}

// reaction measures the time from the write of the last awaited condition to hcctl's end.
func (b *bench) reaction(ctx context.Context) error {
	w, err := b.frozenCluster(ctx)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		id   string
		args []string
	}{
		{"reaction.wait", waitReaction()},
		{"reaction.create", createReaction()},
	} {
		line := series{ID: c.id + ".runs", Group: "reaction", Title: "hcctl " + strings.Join(c.args[:2], " ") +
			": from the last condition to the exit, each run", Kind: "columns", Across: "run", Unit: "ms"}
		for i := range max(1, reactionRuns*b.runs/usualRuns) {
			took, err := b.react(ctx, w, c.args)
			if err != nil {
				return err
			}
			b.record(c.id+".median", measuring.Ms(took))
			b.record(c.id+".worst", measuring.Ms(took))
			line.Points = append(line.Points, point{X: float64(i + 1), Y: measuring.Ms(took)})
		}
		b.series = append(b.series, line)
	}
	return nil
}

// react runs hcctl until it waits only for the rollout, completes the rollout, and returns the time from that write to
// hcctl's end.
func (b *bench) react(ctx context.Context, w *testbed, args []string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, reactionLimit)
	defer cancel()
	if err := w.rollout(ctx, "Partial"); err != nil {
		return 0, err
	}
	p, err := b.begin(ctx, w, args)
	if err != nil {
		return 0, err
	}
	if err := p.waits(ctx); err != nil {
		return 0, err
	}
	if err := w.rollout(ctx, "Completed"); err != nil {
		return 0, err
	}
	written := time.Now()
	err = <-p.ended
	if err != nil {
		return 0, fmt.Errorf("hcctl %s: %w", strings.Join(args, " "), err)
	}
	return p.at.Sub(written), nil
}

// rollout writes the state of the cluster's latest version.
func (w *testbed) rollout(ctx context.Context, state string) error {
	clusters := w.client.Resource(hostedClusters).Namespace(namespace)
	hc, err := clusters.Get(ctx, reactionName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	history, _, err := unstructured.NestedSlice(hc.Object, "status", "version", "history")
	if err != nil || len(history) == 0 {
		return fmt.Errorf("HostedCluster %s/%s has no version: %w", namespace, reactionName, err)
	}
	latest, ok := history[0].(map[string]any)
	if !ok {
		return fmt.Errorf("HostedCluster %s/%s: its version is no object", namespace, reactionName)
	}
	latest["state"] = state
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"version": map[string]any{"history": history}}})
	if err != nil {
		return err
	}
	_, err = clusters.Patch(ctx, reactionName, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

// process is a running hcctl with -o json, read line by line.
type process struct {
	cmd     *exec.Cmd
	counter *measuring.Counter
	pending chan struct{}
	ended   chan error
	// at is when it ended. It is valid once ended is closed.
	at time.Time
}

// begin starts hcctl and the count of its requests.
func (b *bench) begin(ctx context.Context, w *testbed, args []string) (*process, error) {
	c, err := w.counter()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, b.hcctl, args...), counter: c, pending: make(chan struct{}),
		ended: make(chan error, 1)}
	p.cmd.Env = append(os.Environ(), w.env...)
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		waiting := false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var l line
			if json.Unmarshal(lines.Bytes(), &l) == nil && l.Step == rolloutStep && l.Finding.State == "pending" && !waiting {
				waiting = true
				close(p.pending)
			}
		}
		err := p.cmd.Wait()
		p.at = time.Now()
		p.ended <- err
	}()
	return p, nil
}

// waits returns once hcctl waits for the rollout and the API server serves its watch of the HostedCluster.
func (p *process) waits(ctx context.Context) error {
	select {
	case <-p.pending:
	case err := <-p.ended:
		return fmt.Errorf("hcctl ended before it waited: %w", err)
	case <-ctx.Done():
		return fmt.Errorf("hcctl did not come to wait: %w", ctx.Err())
	}
	for {
		requests, err := p.counter.Requests(ctx, own)
		if err != nil {
			return err
		}
		for _, r := range requests {
			if r.Verb == "watch" && r.Resource == hostedClusters.Resource {
				return nil
			}
		}
	}
}
