package workload

import (
	"testing"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

// The roll-out looks at the components once, in this order.
func TestComponentsFollowTheirNeeds(t *testing.T) {
	for minor := 12; minor <= 23; minor++ {
		before := map[string]bool{}
		for _, c := range Components(reconciler.Features{HyperShift: minor}) {
			if unmet := c.Unmet(before); len(unmet) > 0 {
				t.Errorf("4.%d: %s comes before %v", minor, c.Name, unmet)
			}
			before[c.Name] = true
		}
		if !before[IgnitionServer] {
			t.Errorf("4.%d has no ignition server", minor)
		}
	}
}

func TestIgnitionWaitsForTheAPIServer(t *testing.T) {
	for minor, late := range map[int]bool{18: false, 19: true, 20: true, 21: false} {
		for _, c := range Components(reconciler.Features{HyperShift: minor}) {
			if c.Name == IgnitionServer && (len(c.Unmet(nil)) > 0) != late {
				t.Errorf("4.%d: the ignition server waits for %v", minor, c.Unmet(nil))
			}
		}
	}
}
