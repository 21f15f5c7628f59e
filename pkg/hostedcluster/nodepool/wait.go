package nodepool

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Wait is the milestone up to which a change is waited for.
type Wait string

// The milestones.
const (
	// WaitNone ends once the objects are written.
	WaitNone Wait = "none"
	// WaitNodes ends once VMs and nodes are as the NodePool requests.
	WaitNodes Wait = "nodes"
	// WaitGone ends once the deleted objects are gone.
	WaitGone Wait = "gone"
)

// Validate returns an *options.Error unless w is one of allowed.
func (w Wait) Validate(allowed ...Wait) error {
	if slices.Contains(allowed, w) {
		return nil
	}
	words := make([]string, 0, len(allowed))
	for _, a := range allowed {
		words = append(words, string(a))
	}
	return options.Errorf("wait", string(w), "must be one of %s", strings.Join(words, ", "))
}
