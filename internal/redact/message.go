package redact

import (
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/sanitize"
)

// inJSON matches a name and its value in a JSON object, also within a string.
var inJSON = lazyregexp.New(`(?P<name>` + nameLike +
	`)(?P<sep>\\*"\s*:\s*)(?P<value>\\*"(?:[^"\\\n]|\\[^"\n])*(?:\\*"|$))`)

// Secrets redacts secrets in a sentence, such as an error that repeats a server's answer: remembered values, contents
// of Secrets, users in URLs, keys, tokens. Unlike Text it keeps "name: word", which is frequent in sentences.
func Secrets(s string) string {
	if s == "" {
		return s
	}
	s = (&Redactor{}).manifests(remembered.replace(s))
	for _, form := range certain {
		s = replace(form, s)
	}
	return withoutValues(inJSON, s)
}

// Message is Secrets with control characters escaped, except line breaks. Such characters could overwrite the screen.
func Message(s string) string { return sanitize.Text(Secrets(s)) }
