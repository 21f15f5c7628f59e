package hostedcluster

import (
	"fmt"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Pause is the parsed spec.pausedUntil of a HostedCluster or NodePool.
type Pause struct {
	// Active reports whether the operator ignores the object now.
	Active bool
	// Until is the end of the pause, zero if it has none.
	Until time.Time
}

// PauseOf parses spec.pausedUntil as HyperShift's operator does (August 2026): "true" in any case pauses without end,
// and an RFC 3339 time pauses until then. Any other value does not pause.
func PauseOf(pausedUntil *string, now time.Time) Pause {
	if pausedUntil == nil {
		return Pause{}
	}
	if strings.EqualFold(*pausedUntil, "true") {
		return Pause{Active: true}
	}
	until, err := time.Parse(time.RFC3339, *pausedUntil)
	if err != nil || !until.After(now) {
		return Pause{}
	}
	return Pause{Active: true, Until: until}
}

// String returns the pause for a user: "until it is resumed" or "until 2026-03-01T10:00:00Z".
func (p Pause) String() string {
	if p.Until.IsZero() {
		return "until it is resumed"
	}
	return "until " + p.Until.UTC().Format(time.RFC3339)
}

// PausedError means that a change would have no effect because the operator ignores the object.
type PausedError struct {
	// Object names the object, such as "HostedCluster clusters/kv-00".
	Object string
	Pause  Pause
	// Resume is the command that ends the pause.
	Resume hint.Text
}

// Error returns the paused object and the end of the pause.
func (e *PausedError) Error() string {
	return fmt.Sprintf("%s is paused %s: its operator would do nothing about a change", e.Object, e.Pause)
}

// Hint returns the command that ends the pause.
func (e *PausedError) Hint() hint.Text { return e.Resume }

// CheckNotPaused returns a *PausedError if the hosted cluster or the pool is paused. Either may be nil.
func CheckNotPaused(hc *hyperv1.HostedCluster, np *hyperv1.NodePool, now time.Time) error {
	if hc != nil {
		if p := PauseOf(hc.Spec.PausedUntil, now); p.Active {
			return &PausedError{
				HostedClusterKind + " " + kube.Name(hc),
				p,
				hint.Run("resume", Argument(hc.Namespace, hc.Name)).Text(),
			}
		}
	}
	if np != nil {
		if p := PauseOf(np.Spec.PausedUntil, now); p.Active {
			return &PausedError{
				NodePoolKind + " " + kube.Name(np),
				p,
				hint.New("oc patch nodepool %s -n %s --type=merge -p '{\"spec\":{\"pausedUntil\":null}}'", np.Name, np.Namespace),
			}
		}
	}
	return nil
}
