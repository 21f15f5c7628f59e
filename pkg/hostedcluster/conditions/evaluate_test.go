package conditions

import (
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudge(t *testing.T) {
	for name, tc := range map[string]struct {
		rows    []hostedtest.Row
		workers bool
		want    string
	}{
		"good, either way round": {[]hostedtest.Row{{"Available", "True", "", ""}, {"Degraded", "False", "", ""},
			{"Progressing", "False", "AsExpected", ""}}, true,
			"Available good, Degraded good, Progressing good"},
		"causes first": {[]hostedtest.Row{{"Available", "False", "X", ""}, {"EtcdAvailable", "False", "X", ""},
			{"ValidConfiguration", "False", "X", ""}}, true,
			"ValidConfiguration counts, EtcdAvailable counts, Available counts"},
		"not known, whatever they say": {[]hostedtest.Row{{"FromTheFuture", "False", "Bad", ""},
			{"AutoNodeEnabled", "False", "AutoNodeNotConfigured", ""}}, true, ""},
		"nothing known of it": {[]hostedtest.Row{{"ClusterVersionAvailable", "Unknown", "StatusUnknown",
			"Condition not found in the CVO."}, {"ExternalDNSReachable", "Unknown", "X", ""}}, true, ""},
		"unknown is not good": {[]hostedtest.Row{{"DataPlaneConnectionAvailable", "Unknown", "NoWorkerNodesAvailable",
			""}}, true, "DataPlaneConnectionAvailable counts"},
		"without workers": {[]hostedtest.Row{{"DataPlaneConnectionAvailable", "Unknown", "NoWorkerNodesAvailable",
			""}, {"ClusterVersionAvailable", "False", "", ""}, {"EtcdAvailable", "True", "", ""}}, false, "EtcdAvailable good"},
		"under way, and advice": {[]hostedtest.Row{{"ClusterVersionProgressing", "True", "", ""},
			{"KubeVirtNodesLiveMigratable", "False", "", ""}}, true,
			"ClusterVersionProgressing moves, KubeVirtNodesLiveMigratable advises"},
		"the key of etcd was changed": {[]hostedtest.Row{{"EtcdDataEncryptionUpToDate", "False", "ReEncryptionInProgress",
			"secrets"}, {"EtcdAvailable", "True", "", ""}}, true,
			"EtcdAvailable good, EtcdDataEncryptionUpToDate advises"},
		"HyperShift makes a backup": {[]hostedtest.Row{{"EtcdBackupSucceeded", "False", "BackupInProgress", ""}}, true,
			"EtcdBackupSucceeded good"},
		"HyperShift's backup failed": {[]hostedtest.Row{{"EtcdBackupSucceeded", "False", "BackupFailed", ""}}, true,
			"EtcdBackupSucceeded advises"},
		"held up": {[]hostedtest.Row{{"Progressing", "False", "Blocked", "gate"}}, true,
			"Progressing counts"},
		"terminal": {[]hostedtest.Row{{"ValidReleaseImage", "False", "InvalidImage", ""}}, true,
			"ValidReleaseImage terminal"},
		"terminal where False is good": {[]hostedtest.Row{{"EtcdRecoveryActive", "False", "EtcdRecoveryJobFailed", ""}}, true,
			"EtcdRecoveryActive terminal"},
	} {
		if got := judgement(OfCluster(hostedtest.Cluster(tc.rows...)).Evaluate(tc.workers)); got != tc.want {
			t.Errorf("%s: %s\nwant %s", name, got, tc.want)
		}
	}
	hints := OfCluster(hostedtest.Cluster(hostedtest.Row{"ValidReleaseImage", "False", "InvalidImage", ""})).
		Evaluate(true)
	if !strings.Contains(hints[0].Hint.String(), "hcctl delete cluster plain") {
		t.Errorf("the hint does not name the cluster: %q", hints[0].Hint)
	}
	conflict := hostedtest.Pool(2, 2)
	conflict.Status.Conditions = []hyperv1.NodePoolCondition{
		{Type: "ClusterNetworkCIDRConflict", Status: "True"},
		{Type: "Ready", Status: "False"},
		{Type: "AutoscalingEnabled", Status: "False"},
	}
	if got := judgement(OfPool(conflict).Evaluate(
		true)); got != "Ready moves, ClusterNetworkCIDRConflict advises" {
		t.Errorf("a pool: %s", got)
	}
}

func judgement(judged []Evaluated) string {
	words := map[step.State]string{step.StateOK: "good", step.StateFailing: "counts", step.StatePending: "moves",
		step.StateWarning: "advises", step.StateBroken: "terminal"}
	var out []string
	for _, j := range judged {
		out = append(out, j.Type+" "+words[j.State])
	}
	return strings.Join(out, ", ")
}

func TestSortLists(t *testing.T) {
	for message, want := range map[string]string{
		WaitingForComponents + "b, a": WaitingForComponents + "a, b",
		"[b deployment has 2 unavailable replicas, a deployment has 1 unavailable replicas]": "[a deployment has 1 " +
			"unavailable replicas, b deployment has 2 unavailable replicas]",
		"[b, a]":            "[b, a]",
		"no list, b, a":     "no list, b, a",
		"":                  "",
		"[unavailable":      "[unavailable",
		"b, a unavailable ": "b, a unavailable ",
	} {
		if got := sortLists(message); got != want {
			t.Errorf("%q becomes %q, want %q", message, got, want)
		}
	}
	if got := sortLists(strings.Repeat("x", 9)); got != "xxxxxxxxx" {
		t.Errorf("got %q", got)
	}
}
