// Package mishap brings about those faults of a sandbox that are objects in its cluster: what a person, or an earlier
// attempt, left there. It also has the simulated operators look again once a fault of theirs is in effect.
package mishap

import (
	"context"
	"fmt"
	"time"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// Keep runs something in the background until the sandbox ends; should it fail, so does the sandbox.
type Keep func(name string, run func(ctx context.Context) error)

// scene is what a mishap works on.
type scene struct {
	operator.Env
	// healers are run once all faults show, each after its fault's time.
	healers map[string]func(context.Context) error
}

// heals has a fault undone when its time is over.
func (s *scene) heals(name string, undo func(context.Context) error) { s.healers[name] = undo }

// makers bring about the faults that are objects. Each returns once the fault shows.
var makers = map[string]func(*scene, context.Context) error{
	fault.CatalogUnhealthy:     (*scene).catalogUnhealthy,
	fault.TwoOperatorGroups:    only(fault.TwoOperatorGroups),
	fault.WrongInstallMode:     only(fault.WrongInstallMode),
	fault.NamespaceTerminating: (*scene).namespaceTerminating,
	fault.TwoDefaultClasses:    (*scene).twoDefaultClasses,
	fault.NoDisks:              (*scene).noDisks,
	fault.LVMSOnly:             (*scene).lvmsOnly,
	fault.PoolEmpty:            (*scene).poolEmpty,
	fault.PoolOverlap:          only(fault.PoolOverlap),
	fault.NoAdvertisement:      only(fault.NoAdvertisement),
	fault.LocalNamespaceExists: only(fault.LocalNamespaceExists),
	fault.RenamedLocalCluster:  (*scene).renamedLocalCluster,
	fault.RBACRestricted:       only(fault.RBACRestricted),
	fault.VMNoCapacity:         (*scene).vmNoCapacity,

	fault.StorageClusterError: (*scene).storageClusterError,
	fault.HCODegraded:         (*scene).hcoDegraded,
	fault.NoKVM:               (*scene).noKVM,
	fault.ComponentStuck:      (*scene).componentStuck,
	fault.AddonDegraded:       (*scene).addonDegraded,
}

// Bring puts the faults of env into effect and returns once those that can show in this world do. Faults that heal do so
// in the background, by keep. ctx bounds the bringing about.
func Bring(ctx context.Context, env operator.Env, keep Keep) error {
	env.Faults.Begin()
	s := &scene{Env: env, healers: map[string]func(context.Context) error{}}
	for _, name := range env.Faults.Chosen() {
		if bring, ok := makers[name]; ok {
			if err := bring(s, ctx); err != nil {
				return fmt.Errorf("fault %s: %w", name, err)
			}
		}
	}
	for name, undo := range s.healers {
		lasts := env.Pace.Scale(env.Faults.Lasting(name, 0))
		keep("healing of "+name, func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(lasts):
				return undo(ctx)
			}
		})
	}
	return nil
}

// only is a fault that its objects make.
func only(name string) func(*scene, context.Context) error {
	return func(s *scene, ctx context.Context) error { return s.apply(ctx, name) }
}
