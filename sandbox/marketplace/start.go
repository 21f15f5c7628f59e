package marketplace

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/catalog"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// pollInterval is the time between two checks of a condition during the start.
const pollInterval = 50 * time.Millisecond

// Start starts OLM with the catalogs of env.Profile, and returns once every CatalogSource is READY and its
// PackageManifests are served; ctx bounds the start, life the children. OLM's own CRDs must be in the cluster; crds
// returns those of the bundles.
func Start(ctx, life context.Context, env operator.Env, crds catalog.CRDs) error {
	catalogs, err := catalog.For(env.Profile, crds)
	if err != nil {
		return err
	}
	catalog.InjectFaults(catalogs, env.Faults)
	var olm *child
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return createOLMObjects(groupCtx, env.Client) })
	group.Go(func() (err error) {
		olm, err = startOLM(groupCtx, life, env, catalogs)
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	manifests := newManifests(env.Client, catalogs, olm.addresses)
	if err := env.APIs.Register(ctx, manifestGroup, manifestVersion,
		types.NamespacedName{Namespace: olmNamespace, Name: "packageserver-service"}, manifests, manifestResource,
	); err != nil {
		return err
	}
	for _, c := range catalogs {
		if err := pointCatalogSource(ctx, env.Client, c, olm.addresses[c.Name]); err != nil {
			return err
		}
	}
	return waitReady(ctx, env, catalogs, olm.ended)
}

// waitReady returns once OLM has connected to every catalog and the aggregation layer serves every package.
func waitReady(ctx context.Context, env operator.Env, catalogs []catalog.Catalog, ended <-chan struct{}) error {
	want, got := 0, 0
	for _, c := range catalogs {
		want += len(c.Packages)
	}
	err := poll(ctx, ended, func() (bool, error) {
		list := manifestList()
		if err := env.Client.List(ctx, list, client.InNamespace(marketNamespace)); err != nil {
			return false, nil //nolint:nilerr // not served yet: the aggregation layer needs a moment
		}
		got = len(list.Items)
		return got >= want, nil
	})
	if err != nil {
		return fmt.Errorf("marketplace: %d of %d packages served: %w", got, want, err)
	}
	return nil
}

// poll polls until the condition is true or fails, ctx ends, or OLM has ended.
func poll(ctx context.Context, ended <-chan struct{}, condition func() (bool, error)) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		if ok, err := condition(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
			return errors.New("OLM ended before it was ready; see its log")
		case <-tick.C:
		}
	}
}
