// Package failure has the kinds of errors that scripts tell apart. A library's error embeds its kind; pkg/cli turns a
// kind into an exit code.
package failure

import "errors"

// Kind is what an error means for whoever called.
type Kind int

// The kinds. The zero value is every other error.
const (
	Other Kind = iota
	// Misused means that another flag, argument or file is needed.
	Misused
	// Missing means that a prerequisite, or what was asked for, does not exist (yet).
	Missing
	// Final means that waiting does not help.
	Final
	// Declined means that the request is well formed, and that the cluster's present state rules it out.
	Declined
)

// An error that embeds one of these has its kind.
type (
	// Usage makes an error Misused.
	Usage struct{}
	// Absence makes an error Missing.
	Absence struct{}
	// Refusal makes an error Final.
	Refusal struct{}
)

// Failure is Misused.
func (Usage) Failure() Kind { return Misused }

// Failure is Missing.
func (Absence) Failure() Kind { return Missing }

// Failure is Final.
func (Refusal) Failure() Kind { return Final }

// Of returns the kind of the outermost error in err that has one.
func Of(err error) Kind {
	var of interface{ Failure() Kind }
	if errors.As(err, &of) {
		return of.Failure()
	}
	return Other
}
