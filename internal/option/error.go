package option

import (
	"errors"
	"fmt"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
)

// Error is an option whose value cannot work, whatever the cluster is.
type Error struct {
	failure.Usage
	// Field is the option's Name in its table, such as "rootVolumeSize" or "storage.mode". An option that only a command
	// line has is called as its flag.
	Field string
	// Pool is the place of the node pool in the list of pools; nil where the option is none of a pool.
	Pool *int
	// Value as given; nil or empty where it is secret or was not given. Only text is quoted in the message.
	Value any
	// Detail says what is wrong and what would be right.
	Detail string
	// Next is the next step for a user; may be empty.
	Next hint.Text
	// where is how the caller that knows where the value came from calls it.
	where string
}

// Errorf is an *Error without a next step.
func Errorf(field string, value any, format string, args ...any) error {
	return &Error{Field: field, Value: value, Detail: fmt.Sprintf(format, args...)}
}

// Error is one sentence: the option, its value, what is wrong.
func (e *Error) Error() string {
	if e.where != "" {
		return e.At(e.where)
	}
	return e.At(e.Path())
}

// Path is the field in a document, such as "nodePools[1].memory".
func (e *Error) Path() string {
	if e.Pool != nil {
		return fmt.Sprintf("nodePools[%d].%s", *e.Pool, e.Field)
	}
	return e.Field
}

// Text is the value as a user writes it.
func (e *Error) Text() string {
	if e.Value == nil {
		return ""
	}
	return fmt.Sprint(e.Value)
}

// At is the sentence with another name for the option, such as a flag or an environment variable.
func (e *Error) At(where string) string { return where + e.Sentence() }

// Sentence is what follows the option's name: value and detail.
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

// Hint is the next step.
func (e *Error) Hint() hint.Text { return e.Next }

// Located names the options of all errors in err as where says, such as by their flags. It changes those errors; one
// that is named already keeps its name, and so does one for which where returns nothing.
func Located(err error, where func(*Error) string) error {
	visit(err, func(e *Error) {
		if e.where == "" {
			e.where = where(e)
		}
	})
	return err
}

// InPool says of all errors in err that they are about a node pool's option, by the pool's place in the list.
func InPool(err error, pool int) error {
	visit(err, func(e *Error) { e.Pool = &pool })
	return err
}

// visit calls each for every *Error in err.
func visit(err error, each func(*Error)) {
	if e, ok := err.(*Error); ok { //nolint:errorlint // every error of the tree is visited, not the first one
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
