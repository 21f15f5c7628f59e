package follow

import (
	"fmt"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/fakeapi"
)

func TestJudge(t *testing.T) {
	for name, tc := range map[string]struct {
		rows    []fakeapi.Row
		workers bool
		want    string
	}{
		"good, either way round": {[]fakeapi.Row{{"Available", "True", "", ""}, {"Degraded", "False", "", ""},
			{"Progressing", "False", "AsExpected", ""}}, true,
			"Available good, Degraded good, Progressing good"},
		"causes first": {[]fakeapi.Row{{"Available", "False", "X", ""}, {"EtcdAvailable", "False", "X", ""},
			{"ValidConfiguration", "False", "X", ""}}, true,
			"ValidConfiguration counts, EtcdAvailable counts, Available counts"},
		"not known, whatever they say": {[]fakeapi.Row{{"FromTheFuture", "False", "Bad", ""},
			{"AutoNodeEnabled", "False", "AutoNodeNotConfigured", ""}}, true, ""},
		"nothing known of it": {[]fakeapi.Row{{"ClusterVersionAvailable", "Unknown", "StatusUnknown",
			"Condition not found in the CVO."}, {"ExternalDNSReachable", "Unknown", "X", ""}}, true, ""},
		"unknown is not good": {[]fakeapi.Row{{"DataPlaneConnectionAvailable", "Unknown", "NoWorkerNodesAvailable",
			""}}, true, "DataPlaneConnectionAvailable counts"},
		"without workers": {[]fakeapi.Row{{"DataPlaneConnectionAvailable", "Unknown", "NoWorkerNodesAvailable",
			""}, {"ClusterVersionAvailable", "False", "", ""}, {"EtcdAvailable", "True", "", ""}}, false, "EtcdAvailable good"},
		"under way, and advice": {[]fakeapi.Row{{"ClusterVersionProgressing", "True", "", ""},
			{"KubeVirtNodesLiveMigratable", "False", "", ""}}, true,
			"ClusterVersionProgressing moves, KubeVirtNodesLiveMigratable advises"},
		"held up": {[]fakeapi.Row{{"Progressing", "False", "Blocked", "gate"}}, true,
			"Progressing counts"},
		"terminal": {[]fakeapi.Row{{"ValidReleaseImage", "False", "InvalidImage", ""}}, true,
			"ValidReleaseImage counts terminal"},
		"terminal where False is good": {[]fakeapi.Row{{"EtcdRecoveryActive", "False", "EtcdRecoveryJobFailed", ""}}, true,
			"EtcdRecoveryActive moves terminal"},
	} {
		if got := judgement(ClusterConditions(fakeapi.Cluster(tc.rows...)).Evaluate(tc.workers)); got != tc.want {
			t.Errorf("%s: %s\nwant %s", name, got, tc.want)
		}
	}
	hints := ClusterConditions(fakeapi.Cluster(fakeapi.Row{"ValidReleaseImage", "False", "InvalidImage", ""})).
		Evaluate(true)
	if !strings.Contains(hints[0].Hint, "hcctl delete cluster plain") {
		t.Errorf("the hint does not name the cluster: %q", hints[0].Hint)
	}
	conflict := fakeapi.Pool(2, 2)
	conflict.Status.Conditions = []hyperv1.NodePoolCondition{
		{Type: "ClusterNetworkCIDRConflict", Status: "True"},
		{Type: "Ready", Status: "False"},
		{Type: "AutoscalingEnabled", Status: "False"},
	}
	if got := judgement(PoolConditions(conflict).Evaluate(
		true)); got != "Ready moves, ClusterNetworkCIDRConflict advises" {
		t.Errorf("a pool: %s", got)
	}
}

func judgement(judged []EvaluatedCondition) string {
	var out []string
	for _, j := range judged {
		said := j.Type + " good"
		if !j.Good {
			said = fmt.Sprintf("%s %s", j.Type, []string{"counts", "moves", "advises"}[j.Weight])
		}
		if j.Terminal {
			said += " terminal"
		}
		out = append(out, said)
	}
	return strings.Join(out, ", ")
}
