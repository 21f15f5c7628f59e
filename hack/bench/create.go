package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

const (
	namespace = "clusters"
	goneLimit = time.Minute
	pollPause = 50 * time.Millisecond
	// warmUps is the number of runs that do not count: a new API server prepares the schema of a CRD at the first write.
	warmUps = 3
)

// create measures the time until a cluster's objects are written, with and without preflight.
func (b *bench) create(ctx context.Context) error {
	w, err := b.working(ctx)
	if err != nil {
		return err
	}
	for i := range warmUps + b.few() {
		for _, c := range []struct {
			id, name string
			skip     []string
		}{
			{"create.bare", "bare", []string{"--skip-preflight", "all"}},
			{"create.checked", "checked", nil},
		} {
			// Each run needs its own name, because a cluster of the same name would take over Secrets that were left.
			name := fmt.Sprintf("%s-%d", c.name, i)
			e, requests, err := b.counted(ctx, w, append([]string{"create", "cluster", "--name", name, "--wait", "none",
				"--yes"}, c.skip...)...)
			if err != nil {
				return err
			}
			if i >= warmUps {
				b.record(c.id+".time", measuring.Ms(e.Took))
				b.record(c.id+".requests", float64(len(requests)))
			}
			if i == warmUps {
				b.series = append(b.series, series{ID: c.id + ".kinds", Group: "create", Title: "What is asked: " +
					measureOf(c.id+".requests").Command, Kind: "bars", Unit: "requests", Points: byKind(requests)})
			}
			if err := w.remove(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// few returns the number of runs of slow measurements, and of those that leave objects behind.
func (b *bench) few() int { return min(b.runs, 10) }

// remove deletes a hosted cluster and waits for its operator, so that the next run starts on an idle machine.
func (w *testbed) remove(ctx context.Context, name string) error {
	for _, kind := range []string{nodePools.Resource, hostedClusters.Resource} {
		objects := w.client.Resource(hostedClusters.GroupVersion().WithResource(kind)).Namespace(namespace)
		if err := objects.Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	err := wait.PollUntilContextTimeout(ctx, pollPause, goneLimit, true, func(ctx context.Context) (bool, error) {
		_, err := w.client.Resource(hostedClusters).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
	if err != nil {
		return fmt.Errorf("HostedCluster %s/%s is not gone: %w", namespace, name, err)
	}
	return nil
}
