package redact

import (
	"regexp"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// inJSON finds a name and its value in an object of JSON, also within a string.
var inJSON = regexp.MustCompile(`(?P<name>` + nameLike +
	`)(?P<sep>\\*"\s*:\s*)(?P<value>\\*"(?:[^"\\\n]|\\[^"\n])*(?:\\*"|$))`)

// Secrets is a sentence without secrets, as an error that repeats a server's answer may have them: what Remember was
// told, the content of Secrets, what stands for a user in a URL, keys, tokens. Unlike Text it leaves "name: word" as it
// is, which sentences are full of.
func Secrets(s string) string {
	if s == "" {
		return s
	}
	s = (&Redactor{}).manifests(own.replace(s))
	for _, form := range certain {
		s = replace(form, s)
	}
	return withoutValues(inJSON, s)
}

// Message is a sentence for a person: as Secrets, and control characters, by which an answer could write over what is
// on the screen, are shown as escapes; line breaks stay.
func Message(s string) string { return sanitize.Text(Secrets(s)) }
