// Package failure has the kinds of errors that scripts distinguish. A library's error embeds its kind; pkg/cli maps a
// kind to an exit code. An error whose type and fields no caller uses needs no type: New and WithHint create it.
package failure

import (
	"errors"
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
)

// Kind is the kind of an error, for the exit code.
type Kind int

// The kinds of errors. The zero value is any other error.
const (
	Other Kind = iota
	// Misused means that another flag, argument or file is needed.
	Misused
	// Missing means that a prerequisite or the requested object does not exist (yet).
	Missing
	// Final means that waiting does not help.
	Final
	// Declined means that the request is valid, but the present state of the cluster does not allow it.
	Declined
)

// An error gets its kind by embedding one of these types.
type (
	// Usage makes an error Misused.
	Usage struct{}
	// Absence makes an error Missing.
	Absence struct{}
	// Refusal makes an error Final.
	Refusal struct{}
)

// Failure returns Misused.
func (Usage) Failure() Kind { return Misused }

// Failure returns Missing.
func (Absence) Failure() Kind { return Missing }

// Failure returns Final.
func (Refusal) Failure() Kind { return Final }

// Of returns the kind of the outermost error in err that has one.
func Of(err error) Kind {
	var of interface{ Failure() Kind }
	if errors.As(err, &of) {
		return of.Failure()
	}
	return Other
}

// hinted is an error with a hint.
type hinted struct {
	error
	next hint.Text
}

func (e *hinted) Unwrap() error { return e.error }

func (e *hinted) Hint() hint.Text { return e.next }

// WithHint returns err with a hint for the user.
func WithHint(err error, next hint.Text) error { return &hinted{err, next} }

// Hint returns the hint of the outermost error in err that has one; else the zero Text.
func Hint(err error) hint.Text {
	var with interface{ Hint() hint.Text }
	if errors.As(err, &with) {
		return with.Hint()
	}
	return hint.Text{}
}

// kinded is an error with a kind.
type kinded struct {
	error
	kind Kind
}

func (e *kinded) Unwrap() error { return e.error }

func (e *kinded) Failure() Kind { return e.kind }

// New returns an error with a kind and a hint, formatted as by fmt.Errorf.
func New(kind Kind, next hint.Text, format string, args ...any) error {
	err := WithHint(fmt.Errorf(format, args...), next)
	if kind == Other { // an error in args may have a kind
		return err
	}
	return &kinded{err, kind}
}
