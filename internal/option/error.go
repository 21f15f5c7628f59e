package option

import (
	"errors"
	"fmt"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
)

// Error is an error about the value of an option that does not depend on the cluster.
type Error struct {
	failure.Usage
	// Field is the option's Name in its table, such as "rootVolumeSize" or "storage.mode". For an option that only the
	// command line has, it is the name of the flag.
	Field string
	// Pool is the index of the node pool in the list of pools; nil if the option does not belong to a pool.
	Pool *int
	// Value is the given value; nil or empty if it is secret or not given. Only text is quoted in the message.
	Value any
	// Detail is the problem and the correct form.
	Detail string
	// Next is the hint for the user; it may be empty.
	Next hint.Text
	// where is the name of the option at the source of the value, such as a flag; "" if unknown.
	where string
}

// Errorf returns an *Error without a hint.
func Errorf(field string, value any, format string, args ...any) error {
	return &Error{Field: field, Value: value, Detail: fmt.Sprintf(format, args...)}
}

// Error returns one sentence: the option, its value, the problem.
func (e *Error) Error() string {
	if e.where != "" {
		return e.At(e.where)
	}
	return e.At(e.Path())
}

// Path returns the field in a document, such as "nodePools[1].memory".
func (e *Error) Path() string {
	if e.Pool != nil {
		return fmt.Sprintf("nodePools[%d].%s", *e.Pool, e.Field)
	}
	return e.Field
}

// Text returns the value as a user writes it.
func (e *Error) Text() string {
	if e.Value == nil {
		return ""
	}
	return fmt.Sprint(e.Value)
}

// At returns the sentence with another name for the option, such as a flag or an environment variable.
func (e *Error) At(where string) string { return where + e.Sentence() }

// Sentence returns the part after the option's name: value and detail.
func (e *Error) Sentence() string {
	switch value := e.Value.(type) {
	case nil:
		return ": " + e.Detail
	case string:
		if value == "" {
			return ": " + e.Detail
		}
		return fmt.Sprintf(" %q: %s", value, e.Detail)
	}
	return fmt.Sprintf(" %v: %s", e.Value, e.Detail)
}

// Hint returns Next.
func (e *Error) Hint() hint.Text { return e.Next }

// Located sets the names of the options in all errors in err by where, for example their flags. It changes those
// errors, except those that have a name already, or for which where returns "".
func Located(err error, where func(*Error) string) error {
	visit(err, func(e *Error) {
		if e.where == "" {
			e.where = where(e)
		}
	})
	return err
}

// InPool sets the index of the node pool in all errors in err.
func InPool(err error, pool int) error {
	visit(err, func(e *Error) { e.Pool = &pool })
	return err
}

// visit calls each for every *Error in err.
func visit(err error, each func(*Error)) {
	if e, ok := err.(*Error); ok { //nolint:errorlint // visits every error of the tree, not only the first
		each(e)
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			visit(one, each)
		}
		return
	}
	if inner := errors.Unwrap(err); inner != nil {
		visit(inner, each)
	}
}
