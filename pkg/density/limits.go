package density

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The signs by which a run stops.
const (
	// SignPending is of pods that stay Pending.
	SignPending = "pending"
	// SignNodes is of a node that is no longer ready, or is under pressure.
	SignNodes = "nodes"
	// SignAPI is of an API server that refuses or fails again and again.
	SignAPI = "api"
	// SignOperators is of a cluster operator that has become degraded or unavailable.
	SignOperators = "operators"
	// SignCapacity is of nodes that have no room for the next cluster.
	SignCapacity = "capacity"
	// SignAddresses is of a load balancer without an address for the next cluster.
	SignAddresses = "addresses"
	// SignAddon is of the hypershift addon, which counts the management cluster full.
	SignAddon = "addon"
)

// SignNames are all of them. The first four are harm that is there: the run ends at once. The others are harm that the
// next cluster would do: it is not begun, and those that are under way are followed to their end.
func SignNames() []string {
	return []string{SignPending, SignNodes, SignAPI, SignOperators, SignCapacity, SignAddresses, SignAddon}
}

// Limits say from when on something is a sign of harm.
type Limits struct {
	// MaxPending is how many pods may be Pending for longer than PendingGrace; one more is a sign. Those that were Pending
	// when the run began do not count.
	MaxPending   int           `json:"maxPending"`
	PendingGrace time.Duration `json:"-"`
	// MaxErrors is how many requests of hcctl's own the API server may refuse with 429 or fail with 5xx within a minute;
	// one more is a sign.
	MaxErrors int `json:"maxErrors"`
	// Ignore are signs that are not looked for.
	Ignore []string `json:"ignore,omitempty"`
	// Interval is the time between two looks.
	Interval time.Duration `json:"-"`
}

// DefaultLimits are those of a careful run: no pod has to wait for five minutes, which a control plane that comes up
// well does not make it.
func DefaultLimits() Limits {
	return Limits{MaxPending: 0, PendingGrace: 5 * time.Minute, MaxErrors: 10, Interval: 15 * time.Second}
}

// errorWindow is the time in which MaxErrors are counted.
const errorWindow = time.Minute

func (l Limits) validate() error {
	switch {
	case l.MaxPending < 0:
		return fmt.Errorf("--max-pending %d: it cannot be negative", l.MaxPending)
	case l.PendingGrace <= 0:
		return fmt.Errorf("--pending-grace %s: give a time above zero, such as 5m", l.PendingGrace)
	case l.MaxErrors < 0:
		return fmt.Errorf("--max-errors %d: it cannot be negative", l.MaxErrors)
	case l.Interval <= 0:
		return fmt.Errorf("--interval %s: give a time above zero, such as 15s", l.Interval)
	}
	for _, name := range l.Ignore {
		if !slices.Contains(SignNames(), name) {
			return fmt.Errorf("--ignore %q: there is no such sign; there are %s", name, strings.Join(SignNames(), ", "))
		}
	}
	return nil
}

func (l Limits) ignores(sign string) bool { return slices.Contains(l.Ignore, sign) }
