package hostedcluster

import (
	"fmt"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Pause is what spec.pausedUntil of a HostedCluster or NodePool amounts to.
type Pause struct {
	// Active is whether the operator leaves the object alone now.
	Active bool
	// Until is when that ends; zero where it does not end by itself.
	Until time.Time
}

// PauseOf reads spec.pausedUntil as HyperShift's operator does (August 2026): "true" in any case pauses for good, a
// time (RFC 3339) in the future until then; anything else, such as a time that has passed, does not pause.
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

// String is the pause for a person: "until it is resumed" or "until 2026-03-01T10:00:00Z".
func (p Pause) String() string {
	if p.Until.IsZero() {
		return "until it is resumed"
	}
	return "until " + p.Until.UTC().Format(time.RFC3339)
}

// PausedError means that nothing would come of a change now: the operator leaves the object alone.
type PausedError struct {
	// Object is such as "HostedCluster clusters/kv-00".
	Object string
	Pause  Pause
	// Resume is the command that ends the pause.
	Resume string
}

// Error says what is paused and until when.
func (e *PausedError) Error() string {
	return fmt.Sprintf("%s is paused %s: its operator would do nothing about a change", e.Object, e.Pause)
}

// Hint is how to end the pause.
func (e *PausedError) Hint() string { return e.Resume }

// Working returns nil if the operator works on the hosted cluster and the pool now, else a *PausedError. Either may be
// nil.
func Working(hc *hyperv1.HostedCluster, np *hyperv1.NodePool, now time.Time) error {
	if hc != nil {
		if p := PauseOf(hc.Spec.PausedUntil, now); p.Active {
			return &PausedError{
				HostedClusterKind + " " + kube.Name(hc),
				p,
				"hcctl resume cluster " + Argument(hc.Namespace, hc.Name),
			}
		}
	}
	if np != nil {
		if p := PauseOf(np.Spec.PausedUntil, now); p.Active {
			return &PausedError{
				NodePoolKind + " " + kube.Name(np),
				p,
				fmt.Sprintf(
					"oc patch nodepool %s -n %s --type=merge -p '{\"spec\":{\"pausedUntil\":null}}'",
					np.Name,
					np.Namespace,
				),
			}
		}
	}
	return nil
}
