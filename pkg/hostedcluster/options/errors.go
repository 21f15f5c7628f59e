package options

import (
	"slices"

	"github.com/hcctl/hcctl/internal/option"
)

// Error is an option whose value cannot work, whatever the cluster is. Its Field is a Name of Fields or NodePoolFields,
// or the flag of an option that has no row there, such as "wait".
type Error = option.Error

// Errorf is an *Error without a pool.
func Errorf(field, value, format string, args ...any) error {
	return option.Errorf(field, value, format, args...)
}

// FlagOf is the flag of create cluster that an error is about, without dashes.
func FlagOf(e *Error) string {
	if e.Pool != nil {
		return ClusterFlag(flagIn(NodePoolFields(), e.Field))
	}
	return flagIn(append(Fields(), NodePoolFields()...), e.Field)
}

// flagIn is the flag of the first field of that name; the name itself where there is none.
func flagIn(fields []Field, name string) string {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name && f.Flag != "" })
	if i < 0 {
		return name
	}
	return fields[i].Flag
}
