package convert

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// scalars sets the options whose value is the value of their field.
func scalars(rows []options.Field, kind string, fields map[string]any, into reflect.Value) {
	for _, f := range rows {
		path := f.Path(kind)
		if path == nil || f.Beside || strings.Join(path, ".") == "spec.services" || path[0] == "metadata" &&
			f.Name != "controlPlaneOperatorImage" && f.Name != "vmJSONPatch" {
			continue
		}
		value, found, err := unstructured.NestedFieldNoCopy(fields, path...)
		if err != nil || !found || value == nil {
			continue
		}
		set(option.At(into, f.Name), value, isWholeFile(f))
	}
}

// set assigns a value to an option if the types match. Other options are read by their own code.
func set(at reflect.Value, value any, file bool) {
	switch to := at.Addr().Interface().(type) {
	case *options.File:
		if text, is := value.(string); is && file {
			to.Content = []byte(text)
		} else if data, err := json.Marshal(value); err == nil && file {
			to.Content = data
		}
		return
	case *time.Duration:
		if n, is := value.(int64); is {
			*to = time.Duration(n) * time.Second
		} else if d, err := time.ParseDuration(fmt.Sprint(value)); err == nil {
			*to = d
		}
		return
	}
	switch v := value.(type) {
	case string:
		switch {
		case at.Kind() == reflect.String:
			at.SetString(v)
		case at.Kind() == reflect.Bool:
			at.SetBool(v == "Enabled")
		case at.Kind() == reflect.Int32: // a quantity in Gi
			if q, err := resource.ParseQuantity(v); err == nil && q.Value()%(1<<30) == 0 {
				at.SetInt(q.Value() >> 30)
			}
		}
	case int64:
		if at.CanInt() && !at.OverflowInt(v) {
			at.SetInt(v)
		} else if at.Kind() == reflect.String {
			at.SetString(fmt.Sprint(v))
		}
	case bool:
		if at.Kind() == reflect.Bool {
			at.SetBool(v)
		}
	case map[string]any:
		if at.Kind() == reflect.Map {
			words := map[string]string{}
			for key, word := range v {
				words[key] = fmt.Sprint(word)
			}
			at.Set(reflect.ValueOf(words))
		}
	case []any:
		setWords(at, v)
	}
}

func setWords(at reflect.Value, list []any) {
	if at.Kind() != reflect.Slice || at.Type().Elem().Kind() != reflect.String {
		return
	}
	words := reflect.MakeSlice(at.Type(), 0, len(list))
	for _, item := range list {
		word, is := item.(string)
		if !is {
			return
		}
		words = reflect.Append(words, reflect.ValueOf(word))
	}
	at.Set(words)
}

func typed[T any](value any) T {
	var out T
	if data, err := json.Marshal(value); err == nil {
		_ = json.Unmarshal(data, &out) // validate reports values of the wrong type
	}
	return out
}

func grouped(s, group string) string {
	if group == "" {
		return s
	}
	return s + ",group=" + group
}

func tolerationText(t corev1.Toleration) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+"="+value)
		}
	}
	add("key", t.Key)
	add("value", t.Value)
	add("operator", string(t.Operator))
	add("effect", string(t.Effect))
	if t.TolerationSeconds != nil {
		add("tolerationSeconds", fmt.Sprint(*t.TolerationSeconds))
	}
	return strings.Join(parts, ",")
}

func servingText(c configv1.APIServerNamedServingCert) string {
	return strings.Join(append([]string{c.ServingCertificate.Name}, c.Names...), ",")
}
