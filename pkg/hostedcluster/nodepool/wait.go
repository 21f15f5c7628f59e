package nodepool

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Wait says how far a change is followed.
type Wait string

// How far a change can be followed.
const (
	// WaitNone ends once the objects are written.
	WaitNone Wait = "none"
	// WaitNodes ends once VMs and nodes are what the NodePool asks for.
	WaitNodes Wait = "nodes"
	// WaitGone ends once what is deleted is gone.
	WaitGone Wait = "gone"
)

// Validate fails with *options.Error unless w is one of those allowed.
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
