package main

import (
	"context"
	"fmt"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/audit"
)

// Numbers of clusters for lists. Each has two node pools.
const (
	one      = 1
	hundred  = 100
	thousand = 1000
	// many is the maximum that a sandbox creates.
	many = 10000
)

func (b *bench) getOne(ctx context.Context) error      { return b.get(ctx, one) }
func (b *bench) getHundred(ctx context.Context) error  { return b.get(ctx, hundred) }
func (b *bench) getThousand(ctx context.Context) error { return b.get(ctx, thousand) }

// getMany only compares with kubectl.
func (b *bench) getMany(ctx context.Context) error {
	if b.kubectl == "" {
		return nil
	}
	w, err := b.finished(ctx, many)
	if err != nil {
		return err
	}
	return b.compare(ctx, w, fmt.Sprintf("get.%d", many))
}

// get measures hcctl get clusters with this number of clusters.
func (b *bench) get(ctx context.Context, clusters int) error {
	w, err := b.finished(ctx, clusters)
	if err != nil {
		return err
	}
	id := fmt.Sprintf("get.%d", clusters)
	requests, err := b.repeat(ctx, w, id, b.few(), "get", "clusters", "-A")
	if err != nil {
		return err
	}
	b.record(id+".requests", float64(len(requests)))
	b.record("get.unpaged", float64(unpaged(requests)))
	if clusters != one {
		if err := b.compare(ctx, w, id); err != nil {
			return err
		}
	}
	if clusters != thousand {
		return nil
	}
	line := series{ID: "get.growth", Group: "get", Title: "hcctl get clusters: time by number of clusters", Kind: "bars",
		Unit: "ms"}
	for _, n := range []int{one, hundred, thousand} {
		if runs := b.samples[fmt.Sprintf("get.%d.time", n)]; len(runs) > 0 {
			line.Points = append(line.Points, point{Label: fmt.Sprint(n), Y: measuring.Median(runs)})
		}
	}
	b.series = append(b.series, line)
	b.record("get.growth", measuring.Median(b.samples["get.1000.time"])/max(measuring.Median(b.samples["get.100.time"]),
		1))
	return nil
}

// compare runs kubectl, if it exists, and records the ratio of hcctl to it. The programs alternate, because the speed
// of a machine drifts.
func (b *bench) compare(ctx context.Context, w *testbed, id string) error {
	if b.kubectl == "" {
		return nil
	}
	for range b.few() {
		own, err := measuring.Run(ctx, w.env, b.hcctl, "get", "clusters", "-A")
		if err != nil {
			return err
		}
		peer, err := measuring.Run(ctx, w.env, b.kubectl, "get", "hostedclusters.hypershift.openshift.io", "-A")
		if err != nil {
			return err
		}
		b.record(id+".kubectl.time", measuring.Ms(own.Took)/max(measuring.Ms(peer.Took), 1))
		b.record(id+".kubectl.memory", own.Resident/max(peer.Resident, 1))
	}
	return nil
}

// repeat runs hcctl several times, records time and memory, and returns the requests of the last run.
func (b *bench) repeat(ctx context.Context, w *testbed, id string, runs int, args ...string) ([]audit.Request, error) {
	var last []audit.Request
	for range runs {
		e, requests, err := b.counted(ctx, w, args...)
		if err != nil {
			return nil, err
		}
		b.record(id+".time", measuring.Ms(e.Took))
		b.record(id+".memory", e.Resident)
		last = requests
	}
	return last, nil
}

// checkReady measures hcctl check with everything in place and one hosted cluster.
func (b *bench) checkReady(ctx context.Context) error {
	w, err := b.finished(ctx, one)
	if err != nil {
		return err
	}
	requests, err := b.repeat(ctx, w, "check.ready", b.few(), "check")
	if err != nil {
		return err
	}
	b.record("check.ready.requests", float64(len(requests)))
	b.series = append(b.series, series{ID: "check.kinds", Group: "check", Title: "What is asked: hcctl check",
		Kind: "bars", Unit: "requests", Points: byKind(requests)})
	return nil
}

// checkThousand measures hcctl check with a thousand clusters, and the additional requests.
func (b *bench) checkThousand(ctx context.Context) error {
	w, err := b.finished(ctx, thousand)
	if err != nil {
		return err
	}
	requests, err := b.repeat(ctx, w, "check.1000", b.few(), "check")
	if err != nil {
		return err
	}
	b.record("check.1000.requests", float64(len(requests)))
	b.record("check.1000.more",
		float64(len(requests)-later(requests))-measuring.Median(b.samples["check.ready.requests"]))
	return nil
}
