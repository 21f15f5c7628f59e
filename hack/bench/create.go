package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	namespace = "clusters"
	goneLimit = time.Minute
	pollPause = 50 * time.Millisecond
	// warmUps are not counted: an API server that has just been started makes the schemas and rules of a CRD when the
	// first object of it is written.
	warmUps = 3
)

// create measures what it takes until a cluster's objects are written, with and without the checks before.
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
			// A name of its own: the Secrets of a cluster that was removed from under them are looked at, and taken over, by the
			// next of its name.
			name := fmt.Sprintf("%s-%d", c.name, i)
			e, requests, err := b.counted(ctx, w, append([]string{"create", "cluster", "--name", name, "--wait", "none",
				"--yes"}, c.skip...)...)
			if err != nil {
				return err
			}
			if i >= warmUps {
				b.record(c.id+".time", ms(e.took))
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

// few is how often what leaves something behind, or takes seconds, is repeated.
func (b *bench) few() int { return min(b.runs, 10) }

// remove deletes a hosted cluster and returns when its operator is done with it, so that the next run finds the machine
// as quiet as the first.
func (w *world) remove(ctx context.Context, name string) error {
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
