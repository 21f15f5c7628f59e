package hub_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// room is what a site has reported it has room for, some time ago.
func room(site string, free, single int, ago time.Duration) string {
	value := func(name, text string) string {
		return fmt.Sprintf(`{name: %s, fieldValue: {type: String, string: %q}}`, name, text)
	}
	return fmt.Sprintf(`
apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: {name: hcctl-capacity, namespace: %s}
spec: {}
status:
  resourceStatus:
    manifests:
    - resourceMeta: {ordinal: 0, kind: ConfigMap, resource: configmaps, name: capacity, namespace: hcctl}
      conditions: []
      statusFeedback: {values: [%s, %s, %s]}
`, site, value("hostedClustersFree", fmt.Sprint(free)), value("hostedClustersFreeSingleReplica", fmt.Sprint(single)),
		value("countedAt", time.Now().Add(-ago).UTC().Format(time.RFC3339)))
}

// wherePut is the sites of the clusters.
func wherePut(t *testing.T, api *kubetest.API, clusters ...string) string {
	t.Helper()
	var all []string
	for _, name := range clusters {
		at := name + ":"
		for _, site := range []string{"east", "west", "north"} {
			if workOf(t, api, site, name) != nil {
				at += site
			}
		}
		all = append(all, at)
	}
	return strings.Join(all, " ")
}

func scoreOf(t *testing.T, api *kubetest.API, site string) string {
	t.Helper()
	one := api.Object(t, kube.AddOnPlacementScore, site, "hcctl")
	if one == nil {
		return ""
	}
	return fmt.Sprint(one.Object["status"])
}

// A site that has counted that it is full gets nothing. What was assigned since the count is taken off; what is left is
// the site's score. A site without a fresh count comes last, and that is said.
func TestSitesFillByTheirOwnCount(t *testing.T) {
	api := newHub(t, managed("east", true, 0), managed("west", true, 0), managed("north", true, 0),
		decision("east", "west", "north"), room("east", 0, 4, time.Minute), room("west", 2, 9, time.Minute),
		room("north", 50, 50, 3*time.Hour))
	apply, report := run(t, api, written(), desired(t, "a"))
	if report.Err() != nil {
		t.Fatal(report.Err())
	}
	if diff := cmp.Diff(map[string]string{"north": "its count is 3h0m0s old"}, apply.Uncounted); diff != "" {
		t.Error(diff)
	}
	if err := apply.WriteScores(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := scoreOf(t, api, "west"); !strings.Contains(got, "hostedClustersFree value:1") ||
		!strings.Contains(got, "hostedClustersFreeSingleReplica value:8") {
		t.Errorf("west: %s", got)
	}
	if got := scoreOf(t, api, "east"); !strings.Contains(got, "hostedClustersFree value:0") {
		t.Errorf("east: %s", got)
	}
	if got := scoreOf(t, api, "north"); got != "" {
		t.Errorf("an old count became a score: %s", got)
	}
	// The fake server gives no times of creation: this is a's.
	w := workOf(t, api, "west", "a")
	w.SetCreationTimestamp(metav1.Now())
	raw, _ := w.MarshalJSON()
	api.Put(t, string(raw))
	again, report := run(t, api, written(), desired(t, "a"), desired(t, "b"), desired(t, "c"))
	if report.Err() != nil {
		t.Fatal(report.Err())
	}
	if got := wherePut(t, api, "a", "b", "c"); got != "a:west b:west c:north" {
		t.Errorf("%s", got)
	}
	if err := again.WriteScores(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := scoreOf(t, api, "west"); !strings.Contains(got, "hostedClustersFree value:0") {
		t.Errorf("west after three: %s", got)
	}
}

// Scores are renewed without an apply: from new counts, less what was assigned since, for the sites that were asked.
func TestScoresAreRenewed(t *testing.T) {
	api := newHub(t, managed("east", true, 0), managed("west", true, 0), managed("north", true, 0), decision("east"),
		room("east", 5, 9, time.Minute), room("west", 2, 2, 3*time.Hour))
	if _, report := run(t, api, written(), desired(t, "a")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	w := workOf(t, api, "east", "a")
	w.SetCreationTimestamp(metav1.Now())
	raw, _ := w.MarshalJSON()
	api.Put(t, string(raw))
	before := len(api.Writes())
	scores, err := hub.ReadScores(t.Context(), api.Client)
	if err != nil || len(api.Writes()) != before {
		t.Fatalf("%v, %v", err, api.Writes()[before:])
	}
	if diff := cmp.Diff(map[string]int64{"east": 4}, scores.Free); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"west": "its count is 3h0m0s old"}, scores.Unknown); diff != "" {
		t.Error(diff)
	}
	if err := scores.Write(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := scoreOf(t, api, "east"); !strings.Contains(got, "hostedClustersFree value:4") {
		t.Errorf("east: %s", got)
	}
	if got := scoreOf(t, api, "west") + scoreOf(t, api, "north"); got != "" {
		t.Errorf("a score without a count: %s", got)
	}
}

// Where all sites are full, a cluster gets none; one with a single replica goes where there is room for such.
func TestFullSitesAreNotChosen(t *testing.T) {
	api := newHub(t, managed("east", true, 0), decision("east"), room("east", 0, 1, 0))
	_, report := run(t, api, written(), desired(t, "a"))
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "has room") || workOf(t, api, "east", "a") != nil {
		t.Errorf("%v", err)
	}
	single := desired(t, "s", func(o *options.Cluster) { o.ControlPlaneAvailabilityPolicy = "SingleReplica" })
	if _, report := run(t, api, written(), single); report.Err() != nil || wherePut(t, api, "s") != "s:east" {
		t.Errorf("%v", report.Err())
	}
}

// A site that was never asked is asked, and the user may have no right to scores: clusters go out all the same.
func TestScoresAreNoCondition(t *testing.T) {
	api := newHub(t, managed("east", true, 0), decision("east"))
	api.Refuse("create addonplacementscores.cluster.open-cluster-management.io", 403)
	apply, report := run(t, api, written(), desired(t, "a"))
	if report.Err() != nil {
		t.Fatal(report.Err())
	}
	if err := apply.WriteScores(t.Context()); err != nil {
		t.Fatal(err)
	}
	if api.Object(t, kube.ManifestWork, "east", "hcctl-capacity") == nil || apply.Uncounted["east"] == "" {
		t.Errorf("it is not asked: %v", apply.Uncounted)
	}
	api.Put(t, room("east", 9, 9, 0))
	apply, report = run(t, api, written(), desired(t, "b"))
	if report.Err() != nil || wherePut(t, api, "b") != "b:east" {
		t.Fatal(report.Err())
	}
	if err := apply.WriteScores(t.Context()); err == nil || !strings.Contains(err.Error(), "AddOnPlacementScore east/hcctl") {
		t.Errorf("%v", err)
	}
	if f, err := hub.Read(t.Context(), api.Client); err != nil || len(f.Clusters) != 2 {
		t.Errorf("the ManifestWork of the count is taken for a cluster: %v", err)
	}
}
