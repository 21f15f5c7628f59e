package hub_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/step"
)

// What a site reports is waited for: all goals have to hold.
func TestWaitFor(t *testing.T) {
	api := delivered(t)
	reports(t, api, "east", "a", append(good("4.20.3", image)[1:], about("HostedCluster", "clusters", "a",
		value("available", "True"), value("degraded", "False"), value("version", "4.20.3"),
		value("versionState", "Completed"), value("versionImage", image), value("endpoint", "192.0.2.7")))...)
	for _, tc := range []struct {
		goals []string
		want  string
	}{
		{[]string{"api"}, ""},
		{[]string{"api", "complete", "nodes"}, ""},
		{[]string{"version=4.20.3", "condition=Degraded=False"}, ""},
		{[]string{"condition=Available"}, ""},
		{[]string{"version=4.20.4"}, "it runs 4.20.3"},
		{[]string{"api", "condition=Degraded"}, "Degraded is False"},
		{[]string{"condition=ValidConfiguration"}, "the site has not reported it yet"},
		{[]string{"condition=EtcdAvailable"}, "with --hub it takes api"},
	} {
		goals, err := follow.ParseClusterGoals(tc.goals...)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := hub.WaitFor(api.Client, one(t, api), goals)
		got := fmt.Sprint(err)
		if err == nil {
			graph, err := step.New(steps...)
			if err != nil {
				t.Fatal(err)
			}
			limit := 10 * time.Second
			if tc.want != "" {
				limit = 100 * time.Millisecond
			}
			report := graph.Run(t.Context(), step.Options{Timeout: limit, PollInterval: 5 * time.Millisecond})
			got = fmt.Sprint(report.Err())
		}
		if tc.want == "" && got != "<nil>" || !strings.Contains(got, tc.want) {
			t.Errorf("%v: %s, want %q", tc.goals, got, tc.want)
		}
	}
}
