package hint_test

import (
	"encoding/json"
	"testing"

	"github.com/hcctl/hcctl/internal/hint"
)

func TestText(t *testing.T) {
	wait := hint.Run("wait cluster", hint.Args{"kv-00", hint.Flag("namespace"), "team"})
	for want, text := range map[string]hint.Text{
		"":         {},
		"100 % %s": hint.Plain("100 % %s"),
		"hcctl wait cluster kv-00 --namespace team --for nodes, or give --file": hint.New("%s, or give %s",
			wait.Flag("for", "nodes"), hint.Flag("file")),
		"hcctl get clusters -l 'a in (b)'; hcctl check": hint.Join([]hint.Text{
			hint.Run("get clusters").Flag("l", "a in (b)").Text(), hint.Run("check").Text()}, "; "),
		"oc edit team; hcctl stop team": hint.New("%s", hint.New("oc edit NAME; %s",
			hint.Run("stop", "NAME"))).Replace("NAME", "team"),
		"oc edit 100%d; hcctl check": hint.New("oc edit NAME; %s", hint.Run("check")).Replace("NAME", "100%d"),
		"oc edit 100%d":              hint.Plain("oc edit NAME").Replace("NAME", "100%d"),
	} {
		if got := text.String(); got != want || text.IsZero() != (want == "") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	// With returns a command of its own.
	if one, two := wait.With("a"), wait.With("b"); one.String() == two.String() {
		t.Errorf("%s became %s", one, two)
	}
	called := hint.New("%s", hint.New("then %s", wait)).Render(func(c hint.Command) string {
		return c.As("oc hcctl", hint.Args{hint.Flag("context"), "my cluster"})
	})
	if want := "then oc hcctl --context 'my cluster' wait cluster kv-00 --namespace team"; called != want {
		t.Errorf("got %q, want %q", called, want)
	}
}

func TestDocuments(t *testing.T) {
	type finding struct {
		Hint hint.Text `json:"hint,omitzero"`
	}
	for want, f := range map[string]finding{`{}`: {}, `{"hint":"hcctl check"}`: {hint.Run("check").Text()}} {
		got, err := json.Marshal(f)
		var read finding
		if err != nil || string(got) != want || json.Unmarshal(got, &read) != nil || !read.Hint.Equal(f.Hint) {
			t.Errorf("got %s, want %s: %v", got, want, err)
		}
	}
}

// A call of oc is one wherever the text was put into another, advice with one in it is none.
func TestIsOC(t *testing.T) {
	call := hint.New("oc get nodes; %s", hint.Run("check"))
	for _, text := range []hint.Text{call, hint.New("%s", call), hint.Plain("oc get nodes")} {
		if !text.IsOC() {
			t.Errorf("%s: not a call of oc", text)
		}
	}
	for _, text := range []hint.Text{{}, hint.New("wait, then %s", call), hint.Run("check").Text(), hint.Plain("ocean")} {
		if text.IsOC() {
			t.Errorf("%s: a call of oc", text)
		}
	}
}
