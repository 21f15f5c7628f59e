package exporter

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster/expiry"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// TestMetrics shows every metric family. hack/monitoring reads the file with Prometheus' own parser.
func TestMetrics(t *testing.T) {
	f := fleetOf(t, Options{Labels: []string{"env"}, Expiry: true, Causes: true}, troubled()...)
	f.up[secretKind], f.up[causesKind] = true, true
	f.causes = map[types.NamespacedName]detail{}
	for key, hc := range f.clusters {
		f.causes[key] = detailOf(status.Brief(hc, f.ownPools()[key], now))
	}
	f.ends = map[types.NamespacedName][]*expiry.Item{{Namespace: "clusters", Name: "kv-00"}: {
		{Class: expiry.Kubeconfig, Until: now.Add(300 * 24 * time.Hour)}, {Class: expiry.Dex, Until: now.Add(-time.Hour)}}}
	got := text(t, f)
	golden.File(t, "testdata/metrics.txt", got)
	for _, m := range Metrics() {
		if !strings.Contains(got, "# TYPE "+m.Name+" gauge\n") {
			t.Errorf("%s is in no example", m.Name)
		}
	}
	if strings.Contains(got, "do-not-export") {
		t.Error("a label that nobody asked for is exported")
	}
	for _, want := range []string{
		`hcctl_hosted_clusters{phase="ready",health="ok"} 1`,
		`hcctl_hosted_cluster_state{cluster_namespace="tenants",name="kv-03",phase="ready",health="broken"} 1`,
		`hcctl_hosted_cluster_milestone_seconds{cluster_namespace="clusters",name="kv-00",milestone="rollout"} 1200`,
		`name="kv-01",kind="HostedCluster",object="kv-01",condition="EtcdAvailable",` +
			`reason="EtcdWaitingForQuorum",health="progressing"}`,
		`hcctl_node_pool_desired_nodes{cluster_namespace="clusters",name="kv-02",cluster="kv-02"} 3`,
		`hcctl_hosted_cluster_expiry_timestamp_seconds{cluster_namespace="clusters",name="kv-00",what="dex"} 1795518000`,
		`hcctl_hosted_cluster_labels{cluster_namespace="clusters",name="kv-00",label_env="dev"} 1`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

// On platform None HyperShift counts no nodes: no series says that a pool lacks some.
func TestNodesOfOtherPlatforms(t *testing.T) {
	for platform, counted := range map[hyperv1.PlatformType]bool{hyperv1.NonePlatform: false, hyperv1.AgentPlatform: true} {
		hc := well("clusters", "kv-00")
		hc.Spec.Platform.Type = platform
		got := text(t, fleetOf(t, Options{}, hc, pool(hc, 0, 2)))
		if strings.Contains(got, "\n"+poolDesired+"{") != counted || strings.Contains(got, `milestone="machines"`) != counted {
			t.Errorf("%s:\n%s", platform, got)
		}
	}
}

// line is the form of a sample: what a label holds can end neither the label nor the line.
var line = regexp.MustCompile(`^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\[\\"n])*",?)+\})? [0-9.e+-]+$`)

// TestWordsOfTheClusterAreBounded: labels hold what a server says, so neither their form nor their number is its own.
func TestWordsOfTheClusterAreBounded(t *testing.T) {
	evil := well("clusters", "kv-00\"} 1\nhcctl_hosted_clusters{phase=\"ready\",health=\"ok\"} 99\n#\\\u202e\x1b[2J")
	evil.Status.Version.History[0].Version = "4.20.3\"} 5"
	evil.Labels["env"] = strings.Repeat("long", 500) + "\n"
	evil.Status.Conditions[3] = metav1.Condition{Type: "EtcdAvailable", Status: "False", Reason: "no\" reason\n"}
	objects := []client.Object{evil}
	for i := range maxReasons + 50 {
		hc := well("clusters", hostile(i))
		hc.Status.Conditions[3].Status, hc.Status.Conditions[3].Reason = "False", hostile(i)
		objects = append(objects, hc)
	}
	got := text(t, fleetOf(t, Options{Labels: []string{"env"}}, objects...))
	for l := range strings.SplitSeq(strings.TrimSpace(got), "\n") {
		if !strings.HasPrefix(l, "# ") && !line.MatchString(l) {
			t.Errorf("not a sample: %q", l)
		}
		if len(l) > 1500 {
			t.Errorf("a line of %d characters: %.80s…", len(l), l)
		}
		for _, raw := range []string{"\u202e", "\x1b"} {
			if strings.Contains(l, raw) {
				t.Errorf("%q has %q", l, raw)
			}
		}
	}
	if strings.Contains(got, "\nhcctl_hosted_clusters{phase=\"ready\",health=\"ok\"} 99\n") {
		t.Error("a name has become a sample")
	}
	reasons := map[string]bool{}
	for _, found := range regexp.MustCompile(`reason="([^"]*)"`).FindAllStringSubmatch(got, -1) {
		reasons[found[1]] = true
	}
	if !reasons[other] || len(reasons) > maxReasons+1 {
		t.Errorf("%d distinct reasons, want at most %d and %q", len(reasons), maxReasons, other)
	}
	if !strings.Contains(got, `version="other"`) {
		t.Error("a version that is none is shown")
	}
}

// TestClustersBeyondTheLimit are counted, and have no series.
func TestClustersBeyondTheLimit(t *testing.T) {
	got := text(t, fleetOf(t, Options{MaxClusters: 2}, troubled()...))
	if !strings.Contains(got, leftOut+" 3\n") {
		t.Errorf("%s is not 3 in\n%s", leftOut, got)
	}
	if strings.Contains(got, `name="kv-02"`) || !strings.Contains(got, `name="kv-01"`) {
		t.Error("the first two by namespace and name have series, and no others")
	}
	if n := strings.Count(got, `hcctl_hosted_clusters{phase="ready",health="broken"} 1`); n != 1 {
		t.Error("a cluster beyond the limit is not counted")
	}
}

// TestTheSameSeriesTwice: Prometheus refuses an answer that has one twice.
func TestTheSameSeriesTwice(t *testing.T) {
	s := newSeries()
	for range 2 {
		s.add(clusterState, 1, []string{"name"}, []string{"a"})
	}
	if n := len(s.samples[clusterState]); n != 1 {
		t.Errorf("%d series", n)
	}
}

func TestWrongOptions(t *testing.T) {
	for name, tc := range map[string]struct {
		options Options
		want    string
	}{
		"no clusters":     {Options{}, "--max-clusters 0"},
		"no label":        {Options{MaxClusters: 1, Labels: []string{"a b"}}, `--cluster-labels: "a b" is not`},
		"twice the same":  {Options{MaxClusters: 1, Labels: []string{"a-b", "a.b"}}, "both would be label_a_b"},
		"too many labels": {Options{MaxClusters: 1, Labels: make([]string, maxLabels+1)}, "at most 10"},
	} {
		if _, err := New(tc.options, now); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// TestNamesInDashboardAlertsAndPage: what they ask for exists, and every metric is told in the page.
func TestNamesInDashboardAlertsAndPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\bhcctl_[a-z_]+`)
	for file, data := range map[string][]byte{"dashboard.json": Dashboard, "rules.yaml": rules, "monitoring.md": page} {
		found := named.FindAllString(string(data), -1)
		if len(found) < 5 {
			t.Errorf("%s names %d metrics", file, len(found))
		}
		for _, name := range found {
			if !slices.ContainsFunc(Metrics(), func(m Metric) bool { return m.Name == name }) {
				t.Errorf("%s: there is no metric %s", file, name)
			}
		}
	}
	var rows strings.Builder
	for _, m := range Metrics() {
		rows.WriteString("| `" + m.Name + "` | " + strings.Join(m.Labels, ", ") + " | " + m.Help + " |\n")
	}
	golden.Section(t, "../../../docs/monitoring.md", "| --- | --- | --- |\n", "<!-- metrics:end -->", rows.String())
}

// BenchmarkWrite tells what an answer about a thousand clusters costs.
func BenchmarkWrite(b *testing.B) {
	f, err := New(Options{MaxClusters: DefaultMaxClusters}, started)
	if err != nil {
		b.Fatal(err)
	}
	for i := range 1000 {
		hc := well("clusters", hostile(i))
		np := pool(hc, 2, 3)
		f.clusters[client.ObjectKeyFromObject(hc)], f.pools[client.ObjectKeyFromObject(np)] = hc, np
	}
	for b.Loop() {
		var out strings.Builder
		if err := f.Write(&out, now); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(out.Len()))
	}
}
