package options

import "fmt"

// Error is an option whose value cannot work whatever the cluster is.
type Error struct {
	// Flag is the flag without dashes, such as "memory".
	Flag string
	// Pool is the place in Options.NodePools of the pool it is about; nil where it is about the cluster itself.
	Pool *int
	// Value as given; empty where it is secret or was not given.
	Value string
	// Message says what is wrong and what would be right.
	Message string
}

// Error is one sentence: the flag, the value, what is wrong.
func (e *Error) Error() string {
	where := "--" + e.Flag
	if e.Pool != nil {
		where = "--" + ClusterFlag(e.Flag)
	}
	return e.At(where)
}

// At is the sentence with another name for the flag, such as the field and line of a file.
func (e *Error) At(where string) string {
	if e.Value == "" {
		return fmt.Sprintf("%s: %s", where, e.Message)
	}
	return fmt.Sprintf("%s %q: %s", where, e.Value, e.Message)
}

// ExitCode is 2: wrong usage.
func (*Error) ExitCode() int { return 2 }

// Errorf is a *Error.
func Errorf(flag, value, format string, args ...any) error {
	return &Error{Flag: flag, Value: value, Message: fmt.Sprintf(format, args...)}
}
