package release

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestUpdateGraph(t *testing.T) {
	var known []Payload
	for _, v := range []string{"4.19.9", "4.20.3", "4.20.6", "4.20.9", "4.21.0-rc.1", "4.21.3", "4.22.3"} {
		known = append(known, Payload{Version: v, Image: v})
	}
	versions := func(u Updates) (list []string) {
		for _, r := range u.Available {
			list = append(list, r.Version)
		}
		return list
	}
	for _, tc := range []struct {
		channel     string
		available   []string
		conditional int
		problem     string
	}{
		{"", nil, 0, "NoChannel"},
		{"stable-4.20", []string{"4.20.9"}, 1, ""},
		{"stable-4.21", []string{"4.21.3", "4.20.9"}, 1, ""},
		{"candidate-4.21", []string{"4.21.3", "4.21.0-rc.1", "4.20.9"}, 1, ""},
		{"stable-4.19", nil, 0, "VersionNotFound"},
		{"stable-4.22", nil, 0, "VersionNotFound"},
		{"nightly", nil, 0, "VersionNotFound"},
	} {
		u := UpdatesFrom(known, "4.20.3", tc.channel)
		if !slices.Equal(versions(u), tc.available) || len(u.Conditional) != tc.conditional || u.ProblemReason != tc.problem {
			t.Errorf("channel %q: available %v, %d conditional, problem %s", tc.channel, versions(u), len(u.Conditional),
				u.ProblemReason)
		}
	}
	known = nil
	for _, v := range []string{"4.22.9", "4.23.1", "4.23.2", "5.0.1", "5.0.2", "5.1.0"} {
		known = append(known, Payload{Version: v, Image: v})
	}
	for _, tc := range []struct {
		from, channel string
		available     []string
	}{
		{"4.22.3", "stable-4.22", []string{"4.22.9"}},
		{"4.22.3", "stable-4.23", []string{"4.23.2", "4.23.1", "4.22.9"}},
		{"4.22.3", "stable-5.0", []string{"5.0.2", "5.0.1", "4.22.9"}},
		{"4.22.3", "stable-5.1", nil},
		{"4.23.1", "fast-5.1", []string{"5.1.0", "5.0.2", "4.23.2"}},
		{"5.0.1", "fast-5.1", []string{"5.1.0", "5.0.2", "4.23.2"}},
	} {
		if got := versions(UpdatesFrom(known, tc.from, tc.channel)); !slices.Equal(got, tc.available) {
			t.Errorf("from %s in %s: %v, want %v", tc.from, tc.channel, got, tc.available)
		}
	}
	if got := UpdatesFrom(known, "4.22.3", "stable-4.22").Channels; !slices.Contains(got, "stable-4.23") ||
		!slices.Contains(got, "stable-5.0") || slices.Contains(got, "stable-5.1") {
		t.Errorf("channels %v", got)
	}
	known = []Payload{{Version: "4.20.6", Image: "4.20.6"}}
	c := UpdatesFrom(known, "4.20.3", "stable-4.20").Conditional[0]
	if c.Release.Version != "4.20.6" || len(c.Risks) != 1 || len(c.Conditions) != 1 ||
		c.Conditions[0].Status != metav1.ConditionFalse {
		t.Errorf("the risk is %+v", c)
	}
}
