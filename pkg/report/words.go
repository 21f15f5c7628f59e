package report

import (
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// safe is a finding without secrets: operators and servers write its words. Its control characters stay: documents for
// programs have their own way with them, and what is for a terminal goes through printable.
func safe(f step.Finding) step.Finding {
	f.Message, f.Object, f.Hint = redact.Secrets(f.Message), redact.Secrets(f.Object), redact.Secrets(f.Hint)
	return f
}

// title is what a step is about, on one line: names of objects are in it.
func title(s *step.Step) string { return sanitize.Value(s.Title) }

// failure is an error's text without secrets.
func failure(err error) string { return redact.Secrets(err.Error()) }
