package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

const (
	fleetSize = 100
	// fleetRuns is small, because each run needs its own sandbox.
	fleetRuns = 2
)

// fleetFile is a fleet of a hundred clusters, as in examples/hundred-clusters.yaml.
const fleetFile = `apiVersion: hcctl.dev/v1alpha1
kind: Fleet
defaults: {nodePool: {replicas: 1}}
clusters:
- metadata: {name: "kv-%03d"}
  count: 100
`

// fleet measures how fast hcctl apply creates a hundred clusters while the simulated operators work on them.
func (b *bench) fleet(ctx context.Context) error {
	for i := range min(b.runs, fleetRuns) {
		b.testbeds.stop()
		w, err := b.testbed(ctx, "--profile", "ready", "--fleet", "--speed", "50", "--guests", "0")
		if err != nil {
			return err
		}
		path := filepath.Join(w.dir, "fleet.yaml")
		if err := os.WriteFile(path, []byte(fleetFile), 0o600); err != nil {
			return err
		}
		e, requests, err := b.counted(ctx, w, "apply", "-f", path, "--wait", "none", "--yes", "--skip-preflight",
			"cluster/capacity")
		if err != nil {
			return err
		}
		if err := b.recordFleet(ctx, w, e); err != nil {
			return err
		}
		refused := 0
		for _, r := range requests {
			if r.Code == http.StatusTooManyRequests {
				refused++
			}
		}
		b.record("fleet.refused", float64(refused))
		b.record("fleet.requests", float64(len(requests))/fleetSize)
		b.record("fleet.pace", float64(len(requests))/e.Took.Seconds())
		if i == 0 {
			b.series = append(b.series, series{ID: "fleet.kinds", Group: "fleet",
				Title: "What is asked: hcctl apply of 100 clusters", Kind: "bars", Unit: "requests", Points: byKind(requests)})
		}
	}
	return nil
}

// recordFleet checks that a hundred clusters and pools exist.
func (b *bench) recordFleet(ctx context.Context, w *testbed, e measuring.Ended) error {
	clusters, err := w.names(ctx, hostedClusters)
	if err != nil {
		return err
	}
	pools, err := w.names(ctx, nodePools)
	if err != nil {
		return err
	}
	if len(clusters) != fleetSize || len(pools) != fleetSize {
		return fmt.Errorf("hcctl apply left %d HostedClusters and %d NodePools, not %d of each", len(clusters), len(pools),
			fleetSize)
	}
	b.record("fleet.rate", fleetSize/e.Took.Seconds())
	b.record("fleet.memory", e.Resident)
	return nil
}
