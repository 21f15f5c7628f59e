package cluster

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/marketplace"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/world"
)

// fillEtcd fills the empty etcd before the API server starts. It uses the recording if there is a usable one and
// returns it; else it writes the objects at birth and returns nil.
func (s *Sandbox) fillEtcd(ctx context.Context) (*recording, error) {
	if s.opts.Clusters > 0 {
		if err := s.timed("finished clusters", func() error { return seedFinished(ctx, s.db, s.opts) }); err != nil {
			return nil, err
		}
	}
	if s.opts.World != "" {
		r, why, err := readRecording(s.opts.World, s.opts.Profile.World())
		switch {
		case err != nil:
			s.log.Warn("recording is not usable, provisioning instead", "error", err)
		case r == nil:
			s.log.Warn("recording is not usable, provisioning instead", "why", why)
		default:
			rewriteAddresses(r.Keys, s.net)
			return r, s.db.Put(ctx, r.Keys)
		}
	}
	return nil, seed(ctx, s.db, s.opts.Profile)
}

// populateStill writes the objects that the API creates, unless the recording has them.
func (s *Sandbox) populateStill(ctx context.Context, env operator.Env, origin *recording) error {
	switch {
	case origin != nil:
		return nil
	case env.Profile.Provisioned():
		return fmt.Errorf("no usable recording of profile %s, which --still needs: make sandbox makes it", env.Profile.Name)
	}
	return world.Create(ctx, client.WithFieldValidation(env.Client, "Strict"), env.Profile)
}

// populate turns the bare Kubernetes into the OpenShift of the profile.
func (s *Sandbox) populate(ctx context.Context, env operator.Env, origin *recording) error {
	var steps []func(context.Context) error
	if !env.Profile.NoOLM {
		steps = append(steps, func(ctx context.Context) error {
			return s.timed("marketplace", func() error { return marketplace.Start(ctx, s.life, env, crds.Set) })
		})
	}
	if origin == nil {
		steps = append(steps, func(ctx context.Context) error {
			return s.timed("world", func() error {
				return world.Create(ctx, client.WithFieldValidation(env.Client, "Strict"), env.Profile)
			})
		})
	} else {
		steps = append(steps, func(ctx context.Context) error {
			return s.timed("operators back", func() error { return awaitAll(ctx, env.Client, origin.Await) })
		})
	}
	if err := runParallel(ctx, steps...); err != nil {
		return err
	}
	switch {
	case env.Profile.Birth == "":
		return s.timed("routers", func() error { return world.RoutersRun(ctx, env.Client) })
	case origin != nil:
		return s.timed("health", func() error { return world.Healthy(ctx, env.Client, env.Profile) })
	default:
		return s.timed("provision", func() error { return world.Provision(ctx, env.Client, env.Profile) })
	}
}

// timed logs the duration of a step of the start.
func (s *Sandbox) timed(name string, step func() error) error {
	began := time.Now()
	err := step()
	s.log.Info("step of the start done", "step", name, "took", time.Since(began).Round(time.Millisecond))
	return err
}
