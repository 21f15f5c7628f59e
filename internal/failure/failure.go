// Package failure has the kinds of errors that scripts tell apart. A library's error embeds its kind; pkg/cli turns a
// kind into an exit code. An error that no caller tells apart and whose fields nobody reads needs no type of its own:
// New and WithHint make it.
package failure

import (
	"errors"
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
)

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

// hinted is an error with what a user can do.
type hinted struct {
	error
	next hint.Text
}

func (e *hinted) Unwrap() error { return e.error }

func (e *hinted) Hint() hint.Text { return e.next }

// WithHint returns err with what a user can do.
func WithHint(err error, next hint.Text) error { return &hinted{err, next} }

// Hint returns what a user can do by the outermost error in err that says so; the zero Text if none does.
func Hint(err error) hint.Text {
	var with interface{ Hint() hint.Text }
	if errors.As(err, &with) {
		return with.Hint()
	}
	return hint.Text{}
}

// kinded is an error of a kind.
type kinded struct {
	error
	kind Kind
}

func (e *kinded) Unwrap() error { return e.error }

func (e *kinded) Failure() Kind { return e.kind }

// New returns an error of that kind with what a user can do, formatted as by fmt.Errorf.
func New(kind Kind, next hint.Text, format string, args ...any) error {
	err := WithHint(fmt.Errorf(format, args...), next)
	if kind == Other { // that of an error in args counts
		return err
	}
	return &kinded{err, kind}
}
