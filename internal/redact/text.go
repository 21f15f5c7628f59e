package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// certain has patterns that are always secrets. A group named keep is not replaced.
var certain = []*lazyregexp.Regexp{
	// Private keys, also with line breaks as \n, and the rest of a truncated one.
	lazyregexp.New(
		`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:[A-Za-z0-9+/=\s:,-]|\\[nr"])*?-----END [A-Z0-9 ]*PRIVATE KEY-----`),
	lazyregexp.New(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:[A-Za-z0-9+/=\s]|\\[nr"])*`),
	lazyregexp.New(`\A[A-Za-z0-9+/=\s]*-----END [A-Z0-9 ]*PRIVATE KEY-----`),
	// JSON web tokens, OpenShift's tokens, password hashes, keys of clouds and Git hosting.
	lazyregexp.New(`\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4}`),
	lazyregexp.New(`\bsha256~[A-Za-z0-9_-]{10,}`),
	lazyregexp.New(`\$(?:2[abxy]|apr1|[156y])\$[A-Za-z0-9./$,=]{8,}`),
	lazyregexp.New(`\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b`),
	lazyregexp.New(`\b(?:gh[pousr]_|github_pat_|glpat-|xox[abpors]-)[A-Za-z0-9_-]{10,}`),
	// A user in a URL, and the Authorization header.
	lazyregexp.New(`(?P<keep>\b[a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/@"'\\]+:[^\s/@"'\\]+@`),
	lazyregexp.New(
		`(?i)(?P<keep>\bauthorization\\*["']?\s*[:=]\s*\[?(?:\\*")?` +
			`(?:(?:bearer|basic|negotiate|digest)\s+)?)[A-Za-z0-9._~+/=-]{6,}`),
}

// likely has patterns of secrets in logs, files and arguments, which may mean something else in a sentence.
var likely = []*lazyregexp.Regexp{
	lazyregexp.New(`(?i)(?P<keep>\b(?:bearer|basic|negotiate|digest)\s+)[A-Za-z0-9._~+/=-]{6,}`),
	// Bootstrap tokens.
	lazyregexp.New(`\b[a-z0-9]{6}\.[a-z0-9]{16}\b`),
}

// nameLike matches names that may be those of secrets. secretName decides.
const nameLike = `[A-Za-z0-9_.-]*` +
	`(?i:pass|pwd|psk|token|secret|key|config|cfg|auth|credential|bearer|data)[A-Za-z0-9_.-]*`

// valueLike matches a value: quoted, also within a string, where quotes are \", or one word.
const valueLike = `(?P<value>\\*"(?:[^"\\\n]|\\[^"\n])*\\*"|'[^'\n]*'|[^\s"',;&}{\]\[)(\\]+)`

// named matches a name and its value: name=value, name: value, "name": "value". flagged matches a flag and its value
// after a space.
var (
	named   = lazyregexp.New(`(?P<name>` + nameLike + `)(?P<sep>\\*["']?[ \t]*[:=][ \t]*)` + valueLike)
	flagged = lazyregexp.New(`(?m)(?P<name>(?:^|[\s"'\[,])--?` + nameLike + `)(?P<sep>[ \t]+)` + valueLike)
)

// encoded matches text that may be base64, such as a key in a kubeconfig.
var encoded = lazyregexp.New(`[A-Za-z0-9+/_-]{32,}={0,2}`)

// maxDepth limits nested base64.
const maxDepth = 3

// Text redacts secrets in text.
func (r *Redactor) Text(s string) string { return r.nested(s, 0) }

func (r *Redactor) nested(s string, depth int) string {
	if s == "" {
		return s
	}
	s = blocks(r.manifests(r.known.replace(remembered.replace(s))))
	for _, form := range slices.Concat(certain, likely) {
		s = replace(form, s)
	}
	s = withoutValues(flagged, withoutValues(named, s))
	if depth == maxDepth {
		return s
	}
	return encoded.ReplaceAllStringFunc(s, func(blob string) string {
		plain, ok := decode(blob)
		if ok && r.nested(plain, depth+1) != plain {
			return placeholder(len(blob))
		}
		return blob
	})
}

// replace replaces each match by a placeholder, except for its group keep.
func replace(form *lazyregexp.Regexp, s string) string {
	keep := form.Get().SubexpIndex("keep")
	return form.ReplaceAllStringFunc(s, func(match string) string {
		kept := ""
		if keep > 0 {
			kept = form.FindStringSubmatch(match)[keep]
		}
		secret := strings.TrimPrefix(match, kept)
		if kept != "" && strings.HasSuffix(secret, "@") {
			return kept + placeholder(len(secret)-1) + "@"
		}
		return kept + placeholder(len(secret))
	})
}

// withoutValues redacts the values of secret names.
func withoutValues(form *lazyregexp.Regexp, s string) string {
	return form.ReplaceAllStringFunc(s, func(match string) string {
		parts := form.FindStringSubmatch(match)
		name, sep, value := parts[1], parts[2], parts[3]
		bare := strings.Trim(value, `"'\`)
		if !secretName(name) || bare == "" || harmless[bare] || strings.HasPrefix(bare, "<redacted") ||
			strings.HasPrefix(bare, "/") {
			return match
		}
		if strings.TrimSpace(sep) == "" && strings.HasPrefix(bare, "-") {
			return match // a flag without a value
		}
		before, after, _ := strings.Cut(value, bare)
		return name + sep + before + placeholder(len(bare)) + after
	})
}

// harmless has values that are never secret.
var harmless = map[string]bool{
	"true": true, "false": true, "null": true, "nil": true, "none": true, "<nil>": true, "|": true, ">": true, "|-": true,
	"&": true, "0": true, "1": true,
}

// decode decodes base64; false if the text is not base64 or the result is not text.
func decode(blob string) (string, bool) {
	trimmed := strings.TrimRight(blob, "=")
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		plain, err := encoding.DecodeString(trimmed)
		if err == nil && utf8.Valid(plain) {
			return string(plain), true
		}
	}
	return "", false
}
