package report

import (
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// redacted returns a finding without secrets, because operators and servers write its text. Control characters remain;
// package sanitize handles them at the output.
func redacted(f step.Finding) step.Finding {
	f.Message, f.Object, f.Detail = redact.Secrets(f.Message), redact.Secrets(f.Object), redact.Secrets(f.Detail)
	f.Hint = hint.Plain(redact.Secrets(f.Hint.String()))
	return f
}

// title returns the title of a step on one line, because it contains names of objects.
func title(s *step.Step) string { return sanitize.Value(s.Title) }

// errorText returns an error's text without secrets.
func errorText(err error) string { return redact.Secrets(err.Error()) }
