package redact

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// inJSON finds a name and its value in an object of JSON, also within a string.
var inJSON = regexp.MustCompile(`(?P<name>` + nameLike + `)(?P<sep>\\*"\s*:\s*)(?P<value>\\*"(?:[^"\\\n]|\\[^"\n])*(?:\\*"|$))`)

// Message is a sentence for a person without secrets, as an error that repeats a server's answer may have them: the content of Secrets, what stands for
// a user in a URL, keys, tokens. Unlike Text it leaves "name: word" as it is, which sentences are full of. Control characters, by which an answer
// could write over what is on the screen, are shown as escapes; line breaks stay.
func Message(s string) string {
	s = (&Redactor{}).manifests(s)
	for _, form := range certain {
		s = replace(form, s)
	}
	return shown(withoutValues(inJSON, s))
}

// shown is s without control characters.
func shown(s string) string {
	hidden := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
