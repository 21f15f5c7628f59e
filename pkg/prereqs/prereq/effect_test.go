package prereq

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestEffect(t *testing.T) {
	made := Effect{By: "An operator", Kind: kube.PriorityClass, Name: "high", Does: "its pods go first"}
	if got, want := made.String(), "for the whole cluster: An operator makes PriorityClass high: its pods go first; "+
		"hcctl uninstall leaves it"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	set := Effect{Kind: kube.OperatorNetwork, Name: "cluster", Field: []string{"spec", "x"}}
	labelled := Effect{Kind: kube.Node, Labels: "node.example.com"}
	for name, c := range map[string]struct {
		effect Effect
		name   string
		field  bool
		label  string
		want   bool
	}{
		"made":                {effect: made, name: "high", want: true},
		"another":             {effect: made, name: "low"},
		"set":                 {effect: set, name: "cluster", field: true, want: true},
		"not set":             {effect: set, name: "cluster"},
		"labelled":            {effect: labelled, name: "w", label: "cpu.node.example.com/a", want: true},
		"labelled by another": {effect: labelled, name: "w", label: "cpu.example.com/a"},
	} {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetName(c.name)
		if c.field {
			u.Object["spec"] = map[string]any{"x": true}
		}
		if c.label != "" {
			u.SetLabels(map[string]string{c.label: "true"})
		}
		if got := c.effect.on(u); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	missing := func(context.Context, kube.Reader) step.Finding { return step.Missing("none") }
	if f := addEffects(missing, []Effect{made})(t.Context(), nil); f.Detail != made.String() {
		t.Errorf("detail %q", f.Detail)
	}
	well := func(context.Context, kube.Reader) step.Finding { return step.OK("there") }
	if f := addEffects(well, []Effect{made})(t.Context(), nil); f.Detail != "" {
		t.Errorf("detail %q of what is there", f.Detail)
	}
}
