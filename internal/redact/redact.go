// Package redact removes secrets from objects, text and messages: by the names of fields, by the forms of secrets, and
// by known values.
package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// lastApplied is the annotation in which kubectl apply keeps a copy of the whole object, Secrets included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Redactor removes secrets from objects and text. The zero value is ready to use and safe for concurrent use.
type Redactor struct{ known known }

// Object returns a copy of an object without secrets and managed fields.
func (r *Redactor) Object(u *unstructured.Unstructured) map[string]any {
	out, _ := r.value("", u.Object, false).(map[string]any)
	if meta, ok := out["metadata"].(map[string]any); ok {
		delete(meta, "managedFields")
	}
	return out
}

// value redacts v, the value of the field name. secret is set within a Secret.
func (r *Redactor) value(name string, v any, secret bool) any {
	switch v := v.(type) {
	case map[string]any:
		return r.fields(v, secret)
	case []any:
		return r.list(name, v, secret)
	case float64, int64, json.Number:
		if secretName(name) {
			return placeholder(len(fmt.Sprint(v)))
		}
	case string:
		switch {
		case name == lastApplied:
			return r.redactApplied(v)
		case v != "" && secretName(name) && !reference(v):
			return placeholder(len(v))
		}
		return r.Text(v)
	}
	return v
}

func (r *Redactor) fields(m map[string]any, secret bool) map[string]any {
	secret = secret || m["kind"] == "Secret" || m["kind"] == "SecretList"
	out := make(map[string]any, len(m))
	for key, inner := range m {
		switch {
		case secret && (key == "data" || key == "stringData"), key == "binaryData":
			out[key] = sizes(inner, key != "stringData")
		default:
			out[key] = r.value(key, inner, secret)
		}
	}
	// In an environment variable, a header or a parameter, the name is in another field.
	for _, label := range []string{"name", "key"} {
		named, _ := m[label].(string)
		if value, is := m["value"]; is && secretName(named) {
			out["value"] = r.value(named, value, secret)
		}
	}
	return out
}

// list redacts a list. It also handles arguments, where a flag's value is the next element. Every element of a secret
// field is secret.
func (r *Redactor) list(name string, items []any, secret bool) []any {
	out := make([]any, 0, len(items))
	flag := false
	for _, inner := range items {
		text, is := inner.(string)
		switch {
		case is && flag && !strings.HasPrefix(text, "-"), is && text != "" && secretName(name) && !reference(text):
			out = append(out, placeholder(len(text)))
		case is:
			out = append(out, r.Text(text))
		default:
			out = append(out, r.value(name, inner, secret))
		}
		flag = is && strings.HasPrefix(text, "-") && !strings.Contains(text, "=") && secretName(text)
	}
	return out
}

// sizes replaces the values of a Secret by their sizes.
func sizes(v any, inBase64 bool) any {
	content, ok := v.(map[string]any)
	if !ok {
		return placeholder(0)
	}
	out := make(map[string]any, len(content))
	for key, inner := range content {
		text, _ := inner.(string)
		size := len(text)
		if plain, err := base64.StdEncoding.DecodeString(text); err == nil && inBase64 {
			size = len(plain)
		}
		out[key] = placeholder(size)
	}
	return out
}

// redactApplied redacts the object in the last-applied annotation.
func (r *Redactor) redactApplied(v string) string {
	u := &unstructured.Unstructured{}
	if json.Unmarshal([]byte(v), &u.Object) != nil {
		return placeholder(len(v))
	}
	data, err := json.Marshal(r.Object(u))
	if err != nil {
		return placeholder(len(v))
	}
	return string(data)
}

// Learn adds the content of a Secret. Its values are removed from all later output.
func (r *Redactor) Learn(data map[string][]byte) { r.known.learn(data) }

// Knows reports whether content has a learnt value, in any encoding and with any line breaks.
func (r *Redactor) Knows(content []byte) bool {
	for _, text := range []string{string(content), Unbroken(string(content))} {
		if r.known.replace(text) != text {
			return true
		}
	}
	return false
}

// breaks removes the characters that are added to a value when it is indented, folded or quoted.
var breaks = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", `\r`, "", `\n`, "", `"`, "", "'", "", `\`, "")

// Unbroken returns a text without white space, quotes and escaped line breaks. For Knows to find a value of several
// lines, Learn it in this form, too.
func Unbroken(text string) string { return breaks.Replace(text) }

// reference reports whether a value only points to a secret, like a path.
func reference(v string) bool { return strings.HasPrefix(v, "/") }
