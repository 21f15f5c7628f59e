// Package inject brings about those faults of a sandbox that are objects in its cluster: what a person, or an earlier
// attempt, left there. It also has the simulated operators look again once a fault of theirs is in effect.
package inject

import (
	"context"
	"fmt"
	"time"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// Keep runs something in the background until the sandbox ends; should it fail, so does the sandbox.
type Keep func(name string, run func(ctx context.Context) error)

// injector makes faults in one sandbox.
type injector struct {
	operator.Env
	// undo has what ends a fault. It runs once all faults show, each after its fault's time.
	undo map[string]func(context.Context) error
}

// undoAfter has a fault undone when its time is over.
func (s *injector) undoAfter(name string, undo func(context.Context) error) { s.undo[name] = undo }

// makers bring about the faults that are objects. Each returns once the fault shows.
var makers = map[string]func(*injector, context.Context) error{
	fault.CatalogUnhealthy:     (*injector).catalogUnhealthy,
	fault.TwoOperatorGroups:    only(fault.TwoOperatorGroups),
	fault.WrongInstallMode:     only(fault.WrongInstallMode),
	fault.NamespaceTerminating: (*injector).namespaceTerminating,
	fault.TwoDefaultClasses:    (*injector).twoDefaultClasses,
	fault.NoDisks:              (*injector).noDisks,
	fault.LVMSOnly:             (*injector).lvmsOnly,
	fault.PoolEmpty:            (*injector).poolEmpty,
	fault.PoolOverlap:          only(fault.PoolOverlap),
	fault.NoAdvertisement:      only(fault.NoAdvertisement),
	fault.LocalNamespaceExists: only(fault.LocalNamespaceExists),
	fault.RenamedLocalCluster:  (*injector).renamedLocalCluster,
	fault.RBACRestricted:       only(fault.RBACRestricted),
	fault.VMNoCapacity:         (*injector).vmNoCapacity,

	fault.StorageClusterError: (*injector).storageClusterError,
	fault.HCODegraded:         (*injector).hcoDegraded,
	fault.NoKVM:               (*injector).noKVM,
	fault.ComponentStuck:      (*injector).componentStuck,
	fault.AddonDegraded:       (*injector).addonDegraded,
}

// Faults puts the faults of env into effect and returns once those that can show in this world do. Faults that heal do
// so in the background, by keep. ctx bounds the bringing about.
func Faults(ctx context.Context, env operator.Env, keep Keep) error {
	env.Faults.Begin()
	s := &injector{Env: env, undo: map[string]func(context.Context) error{}}
	for _, name := range env.Faults.Chosen() {
		if bring, ok := makers[name]; ok {
			if err := bring(s, ctx); err != nil {
				return fmt.Errorf("fault %s: %w", name, err)
			}
		}
	}
	for name, end := range s.undo {
		lasts := env.Pace.Scale(env.Faults.Lasting(name, 0))
		keep("undoing "+name, func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(lasts):
				return end(ctx)
			}
		})
	}
	return nil
}

// only is a fault that its objects make.
func only(name string) func(*injector, context.Context) error {
	return func(s *injector, ctx context.Context) error { return s.apply(ctx, name) }
}
