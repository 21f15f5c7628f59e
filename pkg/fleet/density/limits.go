package density

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
)

// Rules that stop a run.
const (
	// StopPending stops if pods stay Pending.
	StopPending = "pending"
	// StopNodes stops if a node becomes not ready or comes under pressure.
	StopNodes = "nodes"
	// StopAPI stops if the API server throttles or fails again and again.
	StopAPI = "api"
	// StopOperators stops if a cluster operator becomes degraded or unavailable.
	StopOperators = "operators"
	// StopCapacity stops if the nodes have no room for the next cluster.
	StopCapacity = "capacity"
	// StopAddresses stops if the load balancer has no address for the next cluster.
	StopAddresses = "addresses"
	// StopAddon stops if the hypershift addon counts the management cluster as full.
	StopAddon = "addon"
)

// StopRules returns all rules. The first four find harm and end the run at once; the others only keep the next cluster
// from beginning, and clusters in progress are completed.
func StopRules() []string {
	return []string{StopPending, StopNodes, StopAPI, StopOperators, StopCapacity, StopAddresses, StopAddon}
}

// Limits are the thresholds of the stop rules.
type Limits struct {
	// MaxPending is the maximum number of pods that may be Pending for longer than PendingGrace. Pods that were
	// Pending before the run do not count.
	MaxPending   int           `json:"maxPending"`
	PendingGrace time.Duration `json:"-"`
	// MaxErrors is the maximum number of hcctl's requests that may get 429 or 5xx within a minute.
	MaxErrors int `json:"maxErrors"`
	// Ignore lists rules that are switched off.
	Ignore []string `json:"ignore,omitempty"`
	// Interval is the time between two samples.
	Interval time.Duration `json:"-"`
}

// DefaultLimits returns strict limits: no pod may be Pending for more than five minutes, which a healthy control
// plane never needs.
func DefaultLimits() Limits {
	return Limits{MaxPending: 0, PendingGrace: 5 * time.Minute, MaxErrors: 10, Interval: 15 * time.Second}
}

// errorWindow is the period in which MaxErrors are counted.
const errorWindow = time.Minute

func (l Limits) validate() error {
	switch {
	case l.MaxPending < 0:
		return fmt.Errorf("%s %d: it cannot be negative", hint.Flag("max-pending"), l.MaxPending)
	case l.PendingGrace <= 0:
		return fmt.Errorf("%s %s: give a time above zero, such as 5m", hint.Flag("pending-grace"), l.PendingGrace)
	case l.MaxErrors < 0:
		return fmt.Errorf("%s %d: it cannot be negative", hint.Flag("max-errors"), l.MaxErrors)
	case l.Interval <= 0:
		return fmt.Errorf("%s %s: give a time above zero, such as 15s", hint.Flag("interval"), l.Interval)
	}
	for _, name := range l.Ignore {
		if !slices.Contains(StopRules(), name) {
			return fmt.Errorf("%s %q: there is no such sign; there are %s", hint.Flag("ignore"), name,
				strings.Join(StopRules(), ", "))
		}
	}
	return nil
}

func (l Limits) ignores(sign string) bool { return slices.Contains(l.Ignore, sign) }
