package follow

import (
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestConditionsOfGoals(t *testing.T) {
	hc, np := &hyperv1.HostedCluster{}, &hyperv1.NodePool{}
	hc.Status.Conditions = []metav1.Condition{{Type: "SomethingNew"}}
	np.Status.Conditions = []hyperv1.NodePoolCondition{{Type: "SomethingNew"}}
	for _, tc := range []struct{ condition, cluster, pool string }{
		{"Degraded", "", "unknown"},
		{"Availabel", "did you mean Available?", "unknown"},
		{"AllMachineReady", "unknown", "did you mean AllMachinesReady?"},
		{"SomethingNew", "", ""},
		{"Quorum", "unknown", "unknown"},
	} {
		goals := []Goal{{Name: "api"}, {Name: "condition", Condition: tc.condition, Status: "True"}}
		says := func(unknown []string, err error) string {
			if err != nil {
				return err.Error()
			}
			if len(unknown) == 1 && unknown[0] == tc.condition {
				return "unknown"
			}
			return strings.Join(unknown, ",")
		}
		got := says(CheckClusterConditions(hc, goals))
		if got != tc.cluster && (tc.cluster == "" || !strings.HasSuffix(got, tc.cluster)) {
			t.Errorf("%s of a hosted cluster: %q, want %q", tc.condition, got, tc.cluster)
		}
		got = says(CheckPoolConditions(np, goals))
		if got != tc.pool && (tc.pool == "" || !strings.HasSuffix(got, tc.pool)) {
			t.Errorf("%s of a node pool: %q, want %q", tc.condition, got, tc.pool)
		}
	}
}
