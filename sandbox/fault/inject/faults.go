// Package inject injects the faults that are objects in the cluster, as a user or an earlier attempt could have left
// them. It also makes the simulated operators reconcile again after a fault of theirs becomes active.
package inject

import (
	"context"
	"fmt"
	"time"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// RunInBackground runs a function until the sandbox ends. If the function fails, the sandbox fails.
type RunInBackground func(name string, run func(ctx context.Context) error)

// injector injects faults into one sandbox.
type injector struct {
	operator.Env
	// undo has the functions that end a fault. They run after all faults show, each after its fault's duration.
	undo map[string]func(context.Context) error
}

// undoAfter registers a function that ends the fault after its duration.
func (s *injector) undoAfter(name string, undo func(context.Context) error) { s.undo[name] = undo }

// injectors inject the faults that are objects. Each returns once the fault shows.
var injectors = map[string]func(*injector, context.Context) error{
	fault.CatalogUnhealthy:     (*injector).catalogUnhealthy,
	fault.TwoOperatorGroups:    fromManifests(fault.TwoOperatorGroups),
	fault.WrongInstallMode:     fromManifests(fault.WrongInstallMode),
	fault.NamespaceTerminating: (*injector).namespaceTerminating,
	fault.TwoDefaultClasses:    (*injector).twoDefaultClasses,
	fault.NoDisks:              (*injector).noDisks,
	fault.MixedDisks:           (*injector).mixedDisks,
	fault.LVMSOnly:             (*injector).lvmsOnly,
	fault.PoolEmpty:            (*injector).poolEmpty,
	fault.PoolOverlap:          fromManifests(fault.PoolOverlap),
	fault.NoAdvertisement:      fromManifests(fault.NoAdvertisement),
	fault.LocalNamespaceExists: fromManifests(fault.LocalNamespaceExists),
	fault.RenamedLocalCluster:  (*injector).renamedLocalCluster,
	fault.RBACRestricted:       fromManifests(fault.RBACRestricted),
	fault.VMNoCapacity:         (*injector).vmNoCapacity,

	fault.StorageClusterError: (*injector).storageClusterError,
	fault.HCODegraded:         (*injector).hcoDegraded,
	fault.NoKVM:               (*injector).noKVM,
	fault.ComponentStuck:      (*injector).componentStuck,
	fault.AddonDegraded:       (*injector).addonDegraded,
}

// Faults activates the faults of env and returns once those that can show in this cluster do; ctx bounds the wait.
// Faults that heal do so in the background.
func Faults(ctx context.Context, env operator.Env, run RunInBackground) error {
	env.Faults.Activate()
	s := &injector{Env: env, undo: map[string]func(context.Context) error{}}
	for _, name := range env.Faults.Chosen() {
		if inject, ok := injectors[name]; ok {
			if err := inject(s, ctx); err != nil {
				return fmt.Errorf("fault %s: %w", name, err)
			}
		}
	}
	for name, end := range s.undo {
		duration := env.Pace.Scale(env.Faults.DurationOf(name, 0))
		run("undoing "+name, func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(duration):
				return end(ctx)
			}
		})
	}
	return nil
}

// fromManifests injects a fault that consists of its objects only.
func fromManifests(name string) func(*injector, context.Context) error {
	return func(s *injector, ctx context.Context) error { return s.apply(ctx, name) }
}
