package plan

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func objectOf(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestOverrides(t *testing.T) {
	const head = "{apiVersion: x/v1, kind: X, metadata: {name: x, annotations: {example.com/mark: \"%s\"}}, spec: %s}"
	for name, tc := range map[string]struct{ before, after, want string }{
		"nothing":             {"{a: 1}", "{a: 1}", ""},
		"added":               {"{a: 1}", "{a: 1, b: 2}", ""},
		"replaced":            {"{a: {b: north}}", "{a: {b: south}}", `spec.a.b: "north" -> "south"`},
		"removed":             {"{a: {b: 3}}", "{}", `spec.a.b: 3 -> `},
		"an empty value":      {`{a: "", b: {}, c: [], d: null}`, "{a: x, b: {c: 1}, c: [1], d: 2}", ""},
		"false is a value":    {"{a: false}", "{a: true}", "spec.a: false -> true"},
		"an item added":       {"{plugins: [a, b]}", "{plugins: [a, b, c]}", ""},
		"an item gone":        {"{plugins: [a, b]}", "{plugins: [b]}", `spec.plugins: ["a","b"] -> ["b"]`},
		"an item by its name": {"{l: [{name: x, enabled: false}, {name: y, enabled: false}]}", "{l: [{name: y, enabled: false}, {name: x, enabled: true}, {name: z, enabled: true}]}", "spec.l[name=x].enabled: false -> true"},
		"a named item gone":   {"{l: [{name: x, enabled: false}]}", "{l: []}", "spec.l[name=x].enabled: false -> \n" + `spec.l[name=x].name: "x" -> `},
		"a secret":            {"{password: old}", "{password: new}", `spec.password: "*** (before)" -> "*** (after)"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := Write{Verb: VerbChange, Before: objectOf(t, fmt.Sprintf(head, "a", tc.before)),
				After: objectOf(t, fmt.Sprintf(head, "a", tc.after))}
			var got []string
			for _, o := range w.Overrides() {
				got = append(got, fmt.Sprintf("%s: %s -> %s", o.Field(), o.Before, o.After))
			}
			if text := strings.Join(got, "\n"); text != tc.want {
				t.Errorf("got %s\nwant %s", text, tc.want)
			}
		})
	}
	w := Write{Verb: VerbChange, Before: objectOf(t, fmt.Sprintf(head, "a", "{}")), After: objectOf(t, fmt.Sprintf(head, "b", "{}"))}
	if got := w.Overrides(); len(got) != 1 || got[0].Field() != "metadata.annotations[example.com/mark]" || !got[0].Others() {
		t.Errorf("got %+v", got)
	}
	if w.ChangesSpec() {
		t.Error("an annotation is taken for a change of the spec")
	}
	if w.Verb = VerbDelete; w.Overrides() != nil {
		t.Error("a deletion has overrides")
	}
}
