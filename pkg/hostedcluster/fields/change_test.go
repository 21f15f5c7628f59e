package fields

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

func TestMergeValueReplacesMaps(t *testing.T) {
	for have, want := range map[string][2]string{
		`{"a":"1","b":"2"}`: {`{"b":"3","c":"4"}`, `{"a":null,"b":"3","c":"4"}`},
		`null`:              {`{"b":"3"}`, `{"b":"3"}`},
		`["a"]`:             {`["b"]`, `["b"]`},
		`"x"`:               {`null`, `null`},
	} {
		var h, w any
		if err := json.Unmarshal([]byte(have), &h); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(want[0]), &w); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(mergeValue(h, w))
		if err != nil || string(got) != want[1] {
			t.Errorf("%s to %s: %s, want %s", have, want[0], got, want[1])
		}
	}
}

// TestPatch: a change is written over what was read and over what is wanted already, and over nothing else.
func TestPatch(t *testing.T) {
	object := func(value string) map[string]any { return map[string]any{"spec": map[string]any{"x": value}} }
	c := Compare(object("a"), object("b"), []string{"spec", "x"})
	if !c.Differs() || c.String() != "spec.x: a -> b" || c.IsIn(object("a")) || !c.IsIn(object("b")) {
		t.Errorf("got %+v", c)
	}
	for now, fails := range map[string]bool{"a": false, "b": false, "c": true} {
		patch, err := Patch("NodePool n", object(now), []Change{c})
		var changed *hostedcluster.ChangedError
		if errors.As(err, &changed) != fails || !fails && !c.IsIn(patch) {
			t.Errorf("over %s: %v, %v", now, patch, err)
		}
	}
}

// TestSettled: where a removed value has a default, that is what was wanted.
func TestSettled(t *testing.T) {
	object := map[string]any{"spec": map[string]any{"x": "default"}}
	removed := Compare(object, map[string]any{}, []string{"spec", "x"})
	if removed.IsIn(object) || !removed.Settled(object).IsIn(object) {
		t.Errorf("a removed value: %+v", removed.Settled(object))
	}
	set := Compare(map[string]any{}, map[string]any{"spec": map[string]any{"x": "mine"}}, []string{"spec", "x"})
	if set.Settled(object).IsIn(object) {
		t.Error("a value that was set is not what somebody else made of it")
	}
}
