package prereqs

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/pkg/step"
)

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// andMore ends a list that was cut.
func andMore(n int) string { return fmt.Sprintf(" (and %d more)", n) }

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// oneOf accepts the empty value, which stands for the default.
func oneOf[T ~string](flag string, got T, known []T) error {
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
	return fmt.Errorf("%s %q: use one of %s", flag, got, listed(names))
}

// nothingYet is the finding of a check whose subject another step is to bring, and says so itself.
func nothingYet(format string, args ...any) *step.Finding {
	return &step.Finding{State: step.Skipped, Message: fmt.Sprintf(format, args...)}
}
