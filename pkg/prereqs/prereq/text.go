package prereq

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/step"
)

// Listed joins names for a message, "none" if there are none.
func Listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// AndMore returns the end of a list that was cut by n items.
func AndMore(n int) string { return fmt.Sprintf(" (and %d more)", n) }

// Text returns the string at a key of a decoded object, or "".
func Text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// OneOf returns an error if the value is not a known one. The empty value is accepted and stands for the default.
func OneOf[T ~string](field string, got T, known []T) error {
	if got == "" {
		return nil
	}
	var names []string
	for _, k := range known {
		if got == k {
			return nil
		}
		names = append(names, string(k))
	}
	return option.Errorf(field, string(got), "use one of %s", Listed(names))
}

// NothingYet returns a Skipped finding for a check whose object another step creates and reports.
func NothingYet(format string, args ...any) *step.Finding {
	return &step.Finding{State: step.StateSkipped, Message: fmt.Sprintf(format, args...)}
}
