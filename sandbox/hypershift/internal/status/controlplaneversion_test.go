package status

import (
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
)

func TestAControlPlanesVersion(t *testing.T) {
	now := time.Now()
	first, second := configv1.Release{Version: "4.19.4", Image: "a"}, configv1.Release{Version: "4.20.3", Image: "b"}
	var v ControlPlaneVersion
	for _, step := range []struct {
		to       configv1.Release
		complete bool
		want     string
	}{
		{first, true, "Partial 4.19.4"}, // the first look never completes
		{first, false, "Partial 4.19.4"},
		{first, true, "Completed 4.19.4"},
		{first, false, "Completed 4.19.4"}, // a component that restarts does not undo it
		{second, true, "Partial 4.20.3, Completed 4.19.4"},
		{first, false, "Partial 4.19.4, Partial 4.20.3, Completed 4.19.4"},
	} {
		v = v.Advance(step.to, 2, step.complete, now)
		got := ""
		for _, u := range v.History {
			if got != "" {
				got += ", "
			}
			got += string(u.State) + " " + u.Version
		}
		if got != step.want || v.Desired.Version != step.to.Version || v.ObservedGeneration != 2 {
			t.Errorf("towards %s, complete %t: %s, want %s", step.to.Version, step.complete, got, step.want)
		}
	}
	if v.History[0].CompletionTime != nil || v.History[1].CompletionTime == nil || v.History[2].CompletionTime == nil {
		t.Errorf("completion times of %+v: only the release that is rolled out has none", v.History)
	}
}
