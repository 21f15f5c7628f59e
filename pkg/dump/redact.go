package dump

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// lastApplied is what kubectl apply keeps of an object: all of it, Secrets included.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// redaction takes secrets out of objects and text.
type redaction struct{ known known }

// object is a copy of an object without secrets and without managed fields, which only tell of its writers.
func (r *redaction) object(u *unstructured.Unstructured) map[string]any {
	out, _ := r.value("", u.Object, false).(map[string]any)
	if meta, ok := out["metadata"].(map[string]any); ok {
		delete(meta, "managedFields")
	}
	return out
}

// value is v without secrets. It is the value of the field name; secret is whether it is part of a Secret.
func (r *redaction) value(name string, v any, secret bool) any {
	switch v := v.(type) {
	case map[string]any:
		return r.fields(v, secret)
	case []any:
		return r.list(name, v, secret)
	case string:
		switch {
		case name == lastApplied:
			return r.applied(v)
		case v != "" && secretName(name) && !reference(v):
			return placeholder(len(v))
		}
		return r.text(v)
	}
	return v
}

func (r *redaction) fields(m map[string]any, secret bool) map[string]any {
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
		if value, is := m["value"].(string); is && value != "" && secretName(named) {
			out["value"] = placeholder(len(value))
		}
	}
	return out
}

// list looks at arguments too, where the value of a flag is the next element.
func (r *redaction) list(name string, items []any, secret bool) []any {
	out := make([]any, 0, len(items))
	flag := false
	for _, inner := range items {
		text, is := inner.(string)
		switch {
		case is && flag && !strings.HasPrefix(text, "-"):
			out = append(out, placeholder(len(text)))
		case is:
			out = append(out, r.text(text))
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
func (r *redaction) applied(v string) string {
	u := &unstructured.Unstructured{}
	if json.Unmarshal([]byte(v), &u.Object) != nil {
		return placeholder(len(v))
	}
	data, err := json.Marshal(r.object(u))
	if err != nil {
		return placeholder(len(v))
	}
	return string(data)
}

// reference tells what is an object's path rather than a secret: an image, a URL or a place in the file system under the name of one.
func reference(v string) bool { return strings.HasPrefix(v, "/") }
