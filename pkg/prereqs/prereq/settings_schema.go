package prereq

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/kube"
)

// schema is what a CRD says of a field; nil where it says nothing.
type schema struct {
	fields map[string]any
	// in names the version, such as "HyperConverged of hco.kubevirt.io/v1beta1".
	in string
}

// readSchema is that of the spec of a kind; nil where the CRD is not there.
func readSchema(ctx context.Context, r kube.Reader, kind kube.Kind) (*schema, error) {
	crd := kube.CustomResourceDefinition.New()
	err := r.Get(ctx, types.NamespacedName{Name: kind.Plural + "." + kind.Group}, crd)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil //nolint:nilnil // its operator brings it
	case err != nil:
		return nil, err
	}
	for _, v := range kube.Maps(crd, "spec", "versions") {
		if Text(v, "name") != kind.Version {
			continue
		}
		if spec, ok, _ := unstructured.NestedMap(v, "schema", "openAPIV3Schema", "properties", "spec"); ok {
			return &schema{spec, kind.Kind + " of " + kind.GroupVersion().String()}, nil
		}
	}
	return nil, nil //nolint:nilnil // the API server decides
}

// fieldProblem is what is wrong with one setting.
type fieldProblem struct{ path, detail string }

// explained is the path for oc explain of what holds the field.
func (p *fieldProblem) explained() string {
	words := []string{"spec"}
	for _, word := range strings.Split(p.path, ".") {
		word, _, _ = strings.Cut(word, "[")
		words = append(words, word)
	}
	return strings.Join(words[:len(words)-1], ".")
}

// below is the schema of a field; nil where any is allowed. known is false where the field is not.
func (s *schema) below(key string) (field *schema, known bool) {
	properties, _ := s.fields["properties"].(map[string]any)
	if of, ok := properties[key].(map[string]any); ok {
		return &schema{of, s.in}, true
	}
	switch more := s.fields["additionalProperties"].(type) {
	case map[string]any:
		return &schema{more, s.in}, true
	case bool:
		return nil, more
	}
	open, _ := s.fields["x-kubernetes-preserve-unknown-fields"].(bool)
	return nil, open || len(properties) == 0
}

// at is the schema of a path; nil where the CRD does not say.
func (s *schema) at(path []string) *schema {
	for _, key := range path {
		if s == nil {
			return nil
		}
		s, _ = s.below(key)
	}
	return s
}

// joins reports whether a list is one of several managers.
func (s *schema) joins() bool {
	return s != nil && slices.Contains([]string{"map", "set"}, Text(s.fields, "x-kubernetes-list-type"))
}

// holds reports whether a value has what is wanted: all of it, of lists that several managers share the items.
func (s *schema) holds(now, wanted any) bool {
	want, isList := wanted.([]any)
	have, wasList := now.([]any)
	if !isList || !wasList || !s.joins() {
		return reflect.DeepEqual(now, wanted)
	}
	for _, item := range want {
		if !slices.ContainsFunc(have, func(other any) bool { return contains(other, item) }) {
			return false
		}
	}
	return true
}

// contains reports whether an item of a shared list has what is wanted of it.
func contains(now, wanted any) bool {
	want, isMap := wanted.(map[string]any)
	have, wasMap := now.(map[string]any)
	if !isMap || !wasMap {
		return reflect.DeepEqual(now, wanted)
	}
	for key, value := range want {
		if !contains(have[key], value) {
			return false
		}
	}
	return true
}

// problem is the first setting that the schema does not take; nil where there is none. Rules beyond types are the API
// server's.
func (s *schema) problem(value any, path string) *fieldProblem {
	if s == nil || len(s.fields) == 0 {
		return nil
	}
	if either, _ := s.fields["x-kubernetes-int-or-string"].(bool); either {
		return ofType(value, path, "a number or text", isText(value) || isInteger(value))
	}
	switch Text(s.fields, "type") {
	case "object":
		fields, ok := value.(map[string]any)
		if !ok {
			return ofType(value, path, "fields", false)
		}
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			below, known := s.below(key)
			at := strings.TrimPrefix(path+"."+key, ".")
			if !known {
				return &fieldProblem{at, s.unknown(key)}
			}
			if wrong := below.problem(fields[key], at); wrong != nil {
				return wrong
			}
		}
	case "array":
		list, ok := value.([]any)
		if !ok {
			return ofType(value, path, "a list", false)
		}
		items, _ := s.fields["items"].(map[string]any)
		for i, item := range list {
			if wrong := (&schema{items, s.in}).problem(item, fmt.Sprintf("%s[%d]", path, i)); wrong != nil {
				return wrong
			}
		}
	case "string":
		return cmp.Or(ofType(value, path, "text", isText(value)), s.oneOf(value, path))
	case "integer":
		return ofType(value, path, "a whole number", isInteger(value))
	case "number":
		_, fraction := value.(float64)
		return ofType(value, path, "a number", fraction || isInteger(value))
	case "boolean":
		_, ok := value.(bool)
		return ofType(value, path, "true or false", ok)
	}
	return nil
}

func isText(v any) bool { _, ok := v.(string); return ok }

func isInteger(v any) bool { _, ok := v.(int64); return ok }

func ofType(value any, path, wanted string, ok bool) *fieldProblem {
	if ok {
		return nil
	}
	return &fieldProblem{path, fmt.Sprintf("is %s, but has to be %s", shown(value), wanted)}
}

// unknown says that there is no such field, and which it may have meant.
func (s *schema) unknown(key string) string {
	properties, _ := s.fields["properties"].(map[string]any)
	text := "is not a field of " + s.in
	if words := suggest.Words(key, slices.Sorted(maps.Keys(properties))); len(words) > 0 {
		text += "; did you mean " + strings.Join(words, " or ") + "?"
	}
	return text
}

func (s *schema) oneOf(value any, path string) *fieldProblem {
	allowed, _ := s.fields["enum"].([]any)
	if len(allowed) == 0 || slices.Contains(allowed, value) {
		return nil
	}
	words := make([]string, len(allowed))
	for i, v := range allowed {
		words[i] = fmt.Sprint(v)
	}
	return &fieldProblem{path, fmt.Sprintf("%s: use one of %s", shown(value), strings.Join(words, ", "))}
}
