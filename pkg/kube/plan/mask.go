package plan

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// The masks of secrets. maskBefore and maskAfter show that a secret changes.
const (
	mask       = "***"
	maskBefore = "*** (before)"
	maskAfter  = "*** (after)"
)

// masked returns copies of an object before and after a change, with masked secrets. Either may be nil.
func masked(before, after map[string]any) (maskedBefore, maskedAfter map[string]any) {
	if before != nil {
		maskedBefore, _ = masking{before["kind"] == "Secret", maskBefore}.value("", before, after).(map[string]any)
	}
	if after != nil {
		maskedAfter, _ = masking{after["kind"] == "Secret", maskAfter}.value("", after, before).(map[string]any)
	}
	return maskedBefore, maskedAfter
}

// masking masks the secrets of one object.
type masking struct {
	// secret is set for an object of kind Secret.
	secret bool
	// changed is the mask of a secret whose value differs in the other object.
	changed string
}

// value masks v, the value of the field name. other is the same field of the other object.
func (m masking) value(name string, v, other any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		others, _ := other.(map[string]any)
		for key, inner := range v {
			if m.secret && (key == "data" || key == "stringData") {
				out[key] = m.all(inner, others[key])
				continue
			}
			out[key] = m.value(key, inner, others[key])
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		others, _ := other.([]any)
		for i, inner := range v {
			var otherInner any
			if i < len(others) {
				otherInner = others[i]
			}
			out = append(out, m.value(name, inner, otherInner))
		}
		return out
	case string:
		if secretField(name) && v != "" || secretText(v) {
			return m.maskFor(v, other)
		}
	}
	return v
}

// all masks every value of a Secret's data.
func (m masking) all(v, other any) any {
	content, ok := v.(map[string]any)
	if !ok {
		return m.maskFor(v, other)
	}
	out := make(map[string]any, len(content))
	others, _ := other.(map[string]any)
	for key, inner := range content {
		out[key] = m.maskFor(inner, others[key])
	}
	return out
}

func (m masking) maskFor(v, other any) string {
	if other == nil {
		return mask
	}
	if text, ok := v.(string); ok && other == any(text) {
		return mask
	}
	return m.changed
}

// secretField reports whether a field has the name of a secret.
func secretField(name string) bool {
	name = strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
	return slices.ContainsFunc([]string{"password", "passphrase", "token", "dockerconfigjson", "dockercfg", "privatekey",
		"secretkey"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// userInURL matches a URL with user and password, such as that of a proxy.
var userInURL = lazyregexp.New(`://[^\s/@:]*:[^\s/@]+@`)

// secretText reports whether a text looks like a secret: registry credentials, private keys, JSON web tokens, URLs with
// a password.
func secretText(s string) bool {
	return userInURL.MatchString(s) || strings.Contains(s, `"auths"`) || strings.Contains(s, "PRIVATE KEY-----") ||
		strings.HasPrefix(s, "eyJhbGciOi")
}
