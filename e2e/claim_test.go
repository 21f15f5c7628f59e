package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"
)

// claim is PATH OP VALUE: what a JSONPath (without its braces) finds, against a text. OP is ==, != or =~ (a regular
// expression). Several finds are joined by a space; strings stand as they are, all else as JSON; nothing found is "".
type claim struct{ path, op, value string }

type claims []claim

func parseClaims(args []string) (claims, error) {
	if len(args)%3 != 0 {
		return nil, fmt.Errorf("%q: want PATH OP VALUE, any number of times", args)
	}
	var cs claims
	for a := range slices.Chunk(args, 3) {
		if !slices.Contains([]string{"==", "!=", "=~"}, a[1]) {
			return nil, fmt.Errorf("%q is no operator: there are ==, != and =~", a[1])
		}
		cs = append(cs, claim{a[0], a[1], a[2]})
	}
	return cs, nil
}

// hold returns nil if every claim holds of the object, else what the first that does not found.
func (cs claims) hold(object map[string]any) error {
	for _, c := range cs {
		got, err := find(object, c.path)
		if err != nil {
			return err
		}
		ok := got == c.value
		switch c.op {
		case "!=":
			ok = !ok
		case "=~":
			if ok, err = regexp.MatchString(c.value, got); err != nil {
				return err
			}
		}
		if !ok {
			return fmt.Errorf("%s is %q, want %s %q", c.path, got, c.op, c.value)
		}
	}
	return nil
}

func find(object map[string]any, path string) (string, error) {
	p := jsonpath.New(path).AllowMissingKeys(true)
	if err := p.Parse("{" + path + "}"); err != nil {
		return "", fmt.Errorf("path %s: %w", path, err)
	}
	sets, err := p.FindResults(object)
	if err != nil {
		return "", fmt.Errorf("path %s: %w", path, err)
	}
	var found []string
	for _, set := range sets {
		for _, v := range set {
			if !v.IsValid() || !v.CanInterface() || v.Interface() == nil {
				continue
			}
			text, err := plain(v.Interface())
			if err != nil {
				return "", err
			}
			found = append(found, text)
		}
	}
	return strings.Join(found, " "), nil
}

func plain(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	data, err := json.Marshal(v)
	return string(data), err
}

// like asks that every field of a YAML document is in the object with the same value. Lists must have the same
// length; a string of the form /…/ is a regular expression; fields the document does not name may be anything.
func like(object map[string]any, document string) error {
	var want map[string]any
	if err := yaml.UnmarshalStrict([]byte(document), &want); err != nil {
		return err
	}
	return errors.Join(unlike("", want, object)...)
}

func unlike(path string, want, got any) []error {
	switch want := want.(type) {
	case map[string]any:
		have, ok := got.(map[string]any)
		if !ok {
			return []error{fmt.Errorf("%s is %v, want an object", path, got)}
		}
		var errs []error
		for _, k := range slices.Sorted(maps.Keys(want)) {
			if _, ok := have[k]; !ok {
				errs = append(errs, fmt.Errorf("%s.%s is not there, want %v", path, k, want[k]))
				continue
			}
			errs = append(errs, unlike(path+"."+k, want[k], have[k])...)
		}
		return errs
	case []any:
		have, ok := got.([]any)
		if !ok || len(have) != len(want) {
			return []error{fmt.Errorf("%s is %v, want %d items: %v", path, got, len(want), want)}
		}
		var errs []error
		for i := range want {
			errs = append(errs, unlike(fmt.Sprintf("%s[%d]", path, i), want[i], have[i])...)
		}
		return errs
	case string:
		if pattern, ok := cutBoth(want, "/"); ok {
			text, isText := got.(string)
			if re, err := regexp.Compile(pattern); err != nil || !isText || !re.MatchString(text) {
				return []error{fmt.Errorf("%s is %v, want a match of %s (%w)", path, got, want, err)}
			}
			return nil
		}
	}
	a, errA := json.Marshal(want)
	b, errB := json.Marshal(got)
	if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
		return []error{fmt.Errorf("%s is %s, want %s", path, b, a)}
	}
	return nil
}

func cutBoth(s, sep string) (string, bool) {
	if inner, ok := strings.CutPrefix(s, sep); ok {
		return strings.CutSuffix(inner, sep)
	}
	return s, false
}

func TestClaims(t *testing.T) {
	object := map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{"a.b/c": "yes"}},
		"status": map[string]any{"n": int64(2), "conditions": []any{
			map[string]any{"type": "Ready", "status": "True"}, map[string]any{"type": "Bad", "status": "False"},
		}},
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{".status.n", "==", "2"}, ""},
		{[]string{".status.n", "==", "3"}, `.status.n is "2", want == "3"`},
		{[]string{".status.gone", "==", ""}, ""},
		{[]string{`.metadata.annotations.a\.b/c`, "==", "yes"}, ""},
		{[]string{`.status.conditions[?(@.type=="Ready")].status`, "==", "True"}, ""},
		{[]string{`.status.conditions[*].type`, "==", "Ready Bad"}, ""},
		{[]string{".status.n", "!=", "2"}, `.status.n is "2", want != "2"`},
		{[]string{".status.n", "=~", "^[0-9]$"}, ""},
		{[]string{".status.n", "=", "2"}, `"=" is no operator`},
		{[]string{".status.n", "=="}, "want PATH OP VALUE"},
	} {
		cs, err := parseClaims(tc.args)
		if err == nil {
			err = cs.hold(object)
		}
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q: got %v, want %q", tc.args, err, tc.want)
		}
	}
}

func TestLike(t *testing.T) {
	object := map[string]any{
		"spec": map[string]any{"num": int64(2), "id": "kv-x7", "list": []any{map[string]any{"a": "b", "c": "d"}}},
	}
	for document, want := range map[string]string{
		"spec: {num: 2, list: [{a: b}]}":   "",
		"spec: {id: /^kv-/}":               "",
		"spec: {id: /^x/}":                 ".spec.id is kv-x7, want a match of /^x/",
		"spec: {num: 3}":                   ".spec.num is 2, want 3",
		"spec: {gone: x}":                  ".spec.gone is not there, want x",
		"spec: {list: []}":                 "want 0 items",
		"spec: {list: [{a: b, c: other}]}": `.spec.list[0].c is "d", want "other"`,
	} {
		err := like(object, document)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", document, err, want)
		}
	}
}
