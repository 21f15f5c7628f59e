package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

func TestJudge(t *testing.T) {
	runs := []float64{10, 30, 20}
	for name, tc := range map[string]struct {
		target *target
		judged float64
		met    bool
	}{
		"the median is under":     {least(under, 21), 20, true},
		"under is not at":         {least(under, 20), 20, false},
		"at most is":              {least(atMost, 20), 20, true},
		"the worst is the most":   {always(under, 30), 30, false},
		"the worst meets":         {always(atMost, 30), 30, true},
		"over":                    {least(over, 19), 20, true},
		"over is not at":          {least(over, 20), 20, false},
		"the worst is the fewest": {always(over, 10), 10, false},
	} {
		f := judge(measure{Target: tc.target}, runs)
		if f.Judged() != tc.judged || f.Met == nil || *f.Met != tc.met {
			t.Errorf("%s: judged %g, met %v", name, f.Judged(), *f.Met)
		}
	}
	if f := judge(measure{}, runs); f.Met != nil || f.Judged() != 20 || f.Min != 10 || f.Max != 30 {
		t.Errorf("without a target: %+v", f)
	}
}

// Each measure has an ID of its own and belongs to a family.
func TestMeasures(t *testing.T) {
	known := map[string]bool{}
	for _, g := range groups() {
		known[g] = true
		if titles[g] == "" {
			t.Errorf("group %s has no title on the page", g)
		}
	}
	seen := map[string]bool{}
	for _, m := range measures() {
		if seen[m.ID] {
			t.Errorf("two measures %s", m.ID)
		}
		seen[m.ID] = true
		if !known[m.Group] || m.What == "" || m.Command == "" {
			t.Errorf("measure %+v", m)
		}
	}
}

func TestChoose(t *testing.T) {
	got, err := measuring.Choose("check,get", groups())
	if diff := cmp.Diff([]string{"check", "get"}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if _, err := measuring.Choose("starts", groups()); err == nil {
		t.Error("an unknown group is taken")
	}
}
