package release

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Hosted clusters and the management cluster read the update service's answer alike.
func TestUpdates(t *testing.T) {
	conditional := func(version, recommended string, risks int) configv1.ConditionalUpdate {
		u := configv1.ConditionalUpdate{Release: configv1.Release{Version: version, Image: "i"}}
		if recommended != "" {
			u.Conditions = []metav1.Condition{{Type: "Recommended", Status: metav1.ConditionStatus(recommended)}}
		}
		for range risks {
			u.Risks = append(u.Risks, configv1.ConditionalUpdateRisk{Name: "Slow", Message: "may be\n slow", URL: "https://x"})
		}
		return u
	}
	got := Updates([]configv1.Release{{Version: "4.20.3"}, {Version: "4.21.0-rc.1"}, {Version: "4.20.3"}, {Version: "4.x"}},
		[]configv1.ConditionalUpdate{conditional("4.20.3", "False", 1), conditional("4.21.0", "True", 0),
			conditional("4.20.5", "False", maxRisks+1), conditional("4.20.4", "", 1)})
	var lines []string
	for _, u := range got {
		lines = append(lines, fmt.Sprint(u.Version, " ", u.Source, " ", u.Conditional, " ", len(u.Risks)))
	}
	if diff := cmp.Diff([]string{"4.21.0 recommended true 0", "4.21.0-rc.1 recommended false 0",
		"4.20.5 not-recommended true 20", "4.20.4 undecided true 1", "4.20.3 recommended false 0"}, lines); diff != "" {
		t.Error(diff)
	}
	if text := RisksText(got[3].Risks); text != "Slow: may be slow (https://x)" {
		t.Error(text)
	}
	many := make([]configv1.Release, maxUpdates+1)
	for i := range many {
		many[i].Version = fmt.Sprintf("4.20.%d", i)
	}
	if got := Updates(many, nil); len(got) != maxUpdates {
		t.Errorf("%d updates are kept", len(got))
	}
}
