// Package redact takes secrets out of objects, text and messages: by the names of fields, by the forms that secrets
// have, and by what is known to be one.
package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// lastApplied is what kubectl apply keeps of an object: all of it, Secrets included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Redactor takes secrets out of objects and text. The zero value is ready; it may be used by several at once.
type Redactor struct{ known known }

// Object is a copy of an object without secrets and without managed fields, which only tell of its writers.
func (r *Redactor) Object(u *unstructured.Unstructured) map[string]any {
	out, _ := r.value("", u.Object, false).(map[string]any)
	if meta, ok := out["metadata"].(map[string]any); ok {
		delete(meta, "managedFields")
	}
	return out
}

// value is v without secrets. It is the value of the field name; secret is whether it is part of a Secret.
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
			return r.applied(v)
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
	// A variable of a container, a header, a parameter: the name is in another field.
	for _, label := range []string{"name", "key"} {
		named, _ := m[label].(string)
		if value, is := m["value"]; is && secretName(named) {
			out["value"] = r.value(named, value, secret)
		}
	}
	return out
}

// list looks at arguments too, where the value of a flag is the next element. What is listed under the name of a secret
// are secrets.
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

// sizes are the values of a Secret as their sizes.
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

// applied is the object in the annotation of kubectl apply, without secrets.
func (r *Redactor) applied(v string) string {
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

// Learn takes the content of a Secret, whose values are found from then on wherever they turn up.
func (r *Redactor) Learn(data map[string][]byte) { r.known.learn(data) }

// reference tells what is an object's path rather than a secret: an image, a URL or a place in the file system under
// the name of one.
func reference(v string) bool { return strings.HasPrefix(v, "/") }
