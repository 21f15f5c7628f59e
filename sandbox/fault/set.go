package fault

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Set is the faults a sandbox was asked for. A nil Set has none.
type Set struct {
	chosen map[string]Fault
	on     atomic.Bool
}

// NewSet makes the set of the named faults. The error of an unknown name lists all there are; provisioned tells whether
// everything is installed at birth, where not every fault makes sense.
func NewSet(names []string, provisioned bool) (*Set, error) {
	s := &Set{chosen: map[string]Fault{}}
	all := All()
	for _, name := range names {
		i := slices.IndexFunc(all, func(f Fault) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no fault %q: there are %s", name, strings.Join(Names(), ", "))
		}
		switch f := all[i]; {
		case f.World == Bare && provisioned:
			return nil, fmt.Errorf("fault %s concerns the installation, and in this profile all is installed already", name)
		case f.World == Provisioned && !provisioned:
			return nil, fmt.Errorf(
				"fault %s concerns what is installed, and in this profile nothing is yet: try --profile ready", name)
		default:
			s.chosen[name] = f
		}
	}
	return s, nil
}

// Names lists the faults there are, sorted.
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

// Has tells whether a fault is in the set, be it in effect already or not.
func (s *Set) Has(name string) bool {
	if s == nil {
		return false
	}
	_, ok := s.chosen[name]
	return ok
}

// Begin puts the faults of simulated operators into effect: before, a world that is provisioned at birth could not come
// up.
func (s *Set) Begin() { s.on.Store(true) }

// On tells whether a fault is in effect.
func (s *Set) On(name string) bool { return s.Has(name) && s.on.Load() }

// Lasting is how long something takes at speed 1: the fault's duration if it is in effect, usual otherwise.
func (s *Set) Lasting(name string, usual time.Duration) time.Duration {
	if s.On(name) {
		return s.chosen[name].Lasts
	}
	return usual
}
