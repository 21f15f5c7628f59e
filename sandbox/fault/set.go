package fault

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Set is the set of faults that the user chose. A nil Set is empty.
type Set struct {
	chosen map[string]Fault
	on     atomic.Bool
}

// NewSet makes the set of the named faults. It fails for an unknown name, and for a fault that does not fit:
// provisioned reports whether the cluster has everything installed at birth.
func NewSet(names []string, provisioned bool) (*Set, error) {
	s := &Set{chosen: map[string]Fault{}}
	all := All()
	for _, name := range names {
		i := slices.IndexFunc(all, func(f Fault) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no fault %q: there are %s", name, strings.Join(Names(), ", "))
		}
		switch f := all[i]; {
		case f.Scope == Bare && provisioned:
			return nil, fmt.Errorf("fault %s concerns the installation, but this profile has everything installed", name)
		case f.Scope == Provisioned && !provisioned:
			return nil, fmt.Errorf(
				"fault %s concerns installed operators, but this profile has none: try --profile ready", name)
		default:
			s.chosen[name] = f
		}
	}
	return s, nil
}

// Names lists all faults, sorted.
func Names() []string {
	var out []string
	for _, f := range All() {
		out = append(out, f.Name)
	}
	slices.Sort(out)
	return out
}

// Chosen lists the names in the set, in the order of the table.
func (s *Set) Chosen() []string {
	var out []string
	for _, f := range All() {
		if s.Has(f.Name) {
			out = append(out, f.Name)
		}
	}
	return out
}

// Has reports whether a fault is in the set, active or not.
func (s *Set) Has(name string) bool {
	if s == nil {
		return false
	}
	_, ok := s.chosen[name]
	return ok
}

// Activate activates the faults of simulated operators. An active fault could keep a cluster from being provisioned, so
// this happens afterwards.
func (s *Set) Activate() { s.on.Store(true) }

// Active reports whether a fault is in the set and active.
func (s *Set) Active(name string) bool { return s.Has(name) && s.on.Load() }

// DurationOf returns the fault's duration at speed 1 if it is active, else usual.
func (s *Set) DurationOf(name string, usual time.Duration) time.Duration {
	if s.Active(name) {
		return s.chosen[name].Duration
	}
	return usual
}
