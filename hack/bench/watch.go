package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

const (
	changes = 10_000
	// writers is the number of parallel writers.
	writers = 4
	// sampleEvery is the interval between samples of hcctl's memory.
	sampleEvery = 200 * time.Millisecond
	// quietLimit is the time after the last change after which a change counts as missed.
	quietLimit = 15 * time.Second
	changeMark = "bench.hcctl.dev/change"
	// maxMemory is the memory in MB at which hcctl is killed to protect the machine.
	maxMemory = 1500
)

// watchThousand runs one hcctl get --watch on a thousand clusters during ten thousand changes.
func (b *bench) watchThousand(ctx context.Context) error {
	w, err := b.finished(ctx, thousand)
	if err != nil {
		return err
	}
	clusters, err := w.names(ctx, hostedClusters)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	seen := newSightings(len(clusters), changes)
	cmd, err := b.stream(ctx, w, seen.read, "get", "clusters", "-A", "--watch", "-o", "json")
	if err != nil {
		return err
	}
	if err := cmd.await(seen.begun, time.Minute, func() string {
		return fmt.Sprintf("listed %d of %d clusters", seen.listed(), len(clusters))
	}); err != nil {
		return err
	}
	sampling, sampled := context.WithCancel(ctx)
	samples := make(chan []point, 1)
	go func() { samples <- memory(sampling, cmd.Process.Pid, seen.count, cancel) }()
	sent, failed := w.change(ctx, clusters, changes)
	select {
	case <-seen.all:
	case <-time.After(quietLimit):
	case <-ctx.Done():
	}
	sampled()
	line := <-samples
	if last := len(line) - 1; last >= 0 && line[last].Y > maxMemory {
		return fmt.Errorf("hcctl get --watch had %s MB resident after %s changes, and was ended",
			measuring.Number(line[last].Y),
			measuring.Number(line[last].X))
	}
	if failed != nil {
		return failed
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		return fmt.Errorf("hcctl get --watch has ended by itself: %w", err)
	}
	if err := <-cmd.heard; !errors.Is(err, io.EOF) {
		return fmt.Errorf("what hcctl get --watch writes: %w", err)
	}
	_ = cmd.Wait() // 130: it was interrupted
	return b.recordWatch(seen, sent, line, measuring.ResidentOf(cmd.ProcessState))
}

func (b *bench) recordWatch(seen *sightings, sent []time.Time, line []point, peak float64) error {
	var lags []float64
	for i, at := range seen.times {
		if !at.IsZero() {
			lags = append(lags, measuring.Ms(at.Sub(sent[i])))
		}
	}
	b.record("watch.missed", float64(len(sent)-len(lags)))
	b.record("watch.lag", measuring.Median(lags))
	b.record("watch.memory", peak)
	grown, err := growth(line, changes)
	if err != nil {
		return err
	}
	b.record("watch.growth", grown)
	b.series = append(b.series, series{ID: "watch.memory.line", Group: "watch",
		Title: "hcctl get clusters --watch of 1,000 clusters: memory over the changes", Kind: "columns",
		Across: "changes told", Unit: "MB", Points: line})
	return nil
}

// growth returns the memory in the last fifth of the changes as a multiple of that in the second fifth. During the
// first fifth, heap and buffers grow to their normal size.
func growth(line []point, whole float64) (float64, error) {
	var early, late []float64
	for _, p := range line {
		switch fifth := 5 * p.X / whole; {
		case fifth >= 1 && fifth < 2:
			early = append(early, p.Y)
		case fifth >= 4:
			late = append(late, p.Y)
		}
	}
	if len(early) == 0 || len(late) == 0 {
		return 0, fmt.Errorf("the memory was seen too seldom to tell whether it is steady: %d times", len(line))
	}
	return measuring.Median(late) / measuring.Median(early), nil
}

// names returns namespace and name of all objects of a kind.
func (w *testbed) names(ctx context.Context, gvr schema.GroupVersionResource) ([]types.NamespacedName, error) {
	var out []types.NamespacedName
	opts := metav1.ListOptions{Limit: 200}
	for {
		l, err := w.client.Resource(gvr).List(ctx, opts)
		if err != nil {
			return nil, err
		}
		for i := range l.Items {
			out = append(out, types.NamespacedName{Namespace: l.Items[i].GetNamespace(), Name: l.Items[i].GetName()})
		}
		if opts.Continue = l.GetContinue(); opts.Continue == "" {
			return out, nil
		}
	}
}

// change writes n numbered changes, each to the next cluster, and returns when each was sent.
func (w *testbed) change(ctx context.Context, clusters []types.NamespacedName, n int) ([]time.Time, error) {
	sent := make([]time.Time, n)
	return sent, writeAll(n, func(i int) error {
		// A change is often printed before the response of its write, so the measurement starts with the request.
		sent[i] = time.Now()
		return w.mark(ctx, clusters[i%len(clusters)], i)
	})
}

// mark writes the i-th change to a cluster.
func (w *testbed) mark(ctx context.Context, at types.NamespacedName, i int) error {
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, changeMark, i)
	_, err := w.client.Resource(hostedClusters).Namespace(at.Namespace).
		Patch(ctx, at.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// writeAll makes n numbered writes in parallel. Each writer stops at its first error.
func writeAll(n int, write func(i int) error) error {
	errs := make(chan error, writers)
	var wg sync.WaitGroup
	for first := range writers {
		wg.Go(func() {
			for i := first; i < n; i += writers {
				if err := write(i); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	return <-errs
}

// memory samples the resident memory of a process in MB until ctx ends; X is the number of printed changes. It works
// only on Linux, and kills the process at maxMemory.
func memory(ctx context.Context, pid int, printed func() int, end func()) []point {
	var out []point
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return out
		case <-tick.C:
		}
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		kib, _ := strconv.ParseFloat(strings.TrimSuffix(measuring.FieldOf(string(content), "VmRSS"), " kB"), 64)
		out = append(out, point{X: float64(printed()), Y: kib * 1024 / 1e6})
		if kib*1024/1e6 > maxMemory {
			end()
			return out
		}
	}
}
