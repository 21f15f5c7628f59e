package nodepool

import (
	"fmt"
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

// Validate fails with *hostedcluster.FlagError unless w is one of those allowed.
func (w Wait) Validate(allowed ...Wait) error {
	if slices.Contains(allowed, w) {
		return nil
	}
	words := make([]string, 0, len(allowed))
	for _, a := range allowed {
		words = append(words, string(a))
	}
	return &options.Error{Flag: "wait", Value: string(w), Message: "must be one of " + strings.Join(words, ", ")}
}

// flagError is a *hostedcluster.FlagError.
func flagError(flag, value, format string, args ...any) error {
	return &options.Error{Flag: flag, Value: value, Message: fmt.Sprintf(format, args...)}
}
