package hub_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

const image = "quay.io/openshift-release-dev/ocp-release:4.20.3-multi"

// managed is a ManagedCluster that is available, or not, whose agent was heard of some time ago.
func managed(name string, available bool, ago time.Duration) string {
	condition := `{type: ManagedClusterConditionAvailable, status: "True", reason: ManagedClusterAvailable}`
	if !available {
		condition = `{type: ManagedClusterConditionAvailable, status: Unknown, reason: ManagedClusterLeaseUpdateStopped}`
	}
	return fmt.Sprintf(`
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: %s}
status: {conditions: [%s]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: managed-cluster-lease, namespace: %s}
spec: {renewTime: %q}
`, name, condition, name, time.Now().Add(-ago).UTC().Format("2006-01-02T15:04:05.000000Z07:00"))
}

// decision is what a Placement has chosen.
func decision(sites ...string) string {
	var all []string
	for _, s := range sites {
		all = append(all, fmt.Sprintf("{clusterName: %s, reason: ''}", s))
	}
	return fmt.Sprintf(`
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: PlacementDecision
metadata: {name: hosting-decision-1, namespace: fleets, labels: {cluster.open-cluster-management.io/placement: hosting}}
status: {decisions: [%s]}
`, strings.Join(all, ", "))
}

func score(site string, free int) string {
	return fmt.Sprintf(`
apiVersion: cluster.open-cluster-management.io/v1alpha1
kind: AddOnPlacementScore
metadata: {name: hcctl, namespace: %s}
status: {scores: [{name: hostedClustersFree, value: %d}]}
`, site, free)
}

// newHub is a hub with what it needs to have ManifestWorks.
func newHub(t testing.TB, objects ...string) *kubetest.API {
	t.Helper()
	api := kubetest.Serve(t)
	api.Register(t, kube.ManagedCluster, kube.ManifestWork, kube.Lease, kube.PlacementDecision, kube.Placement,
		kube.AddOnPlacementScore)
	api.Put(t, objects...)
	return api
}

func placed() types.NamespacedName { return types.NamespacedName{Namespace: "fleets", Name: "hosting"} }

// desired is a cluster of the fleet.
func desired(t testing.TB, name string, change ...func(*options.Cluster)) fleet.DesiredCluster {
	t.Helper()
	return fleet.DesiredCluster{Adjust: map[int]creation.Adjust{0: {Size: true}},
		Options: optionstest.Valid(t, optionstest.Named(func(o *options.Cluster) {
			o.Name, o.ReleaseImage, o.InfraID = name, image, creation.FixedInfraID("clusters", name)
			o.PullSecret = options.File{Content: []byte(`{"auths":{"quay.io":{"auth":"YTpi"}}}`)}
			for _, one := range change {
				one(o)
			}
		}))}
}

// run runs the steps of an apply, and returns its report.
func run(t testing.TB, api *kubetest.API, opt hub.ApplyOptions, wanted ...fleet.DesiredCluster) (*hub.Apply, step.Report) {
	t.Helper()
	apply, err := hub.PrepareApply(t.Context(), api.Client, wanted, opt)
	if err != nil {
		t.Fatal(err)
	}
	return apply, runOf(t, apply)
}

// runOf runs the steps of a prepared apply.
func runOf(t testing.TB, apply *hub.Apply) step.Report {
	t.Helper()
	graph, err := step.New(apply.Steps()...)
	if err != nil {
		t.Fatal(err)
	}
	return graph.Run(t.Context(), step.Options{Timeout: 20 * time.Second, PollInterval: 10 * time.Millisecond,
		Transient: kube.IsTransient, Explain: kube.Explain})
}

func written() hub.ApplyOptions { return hub.ApplyOptions{Placement: placed(), Wait: options.WaitNone} }

func workOf(t testing.TB, api *kubetest.API, site, cluster string) *unstructured.Unstructured {
	t.Helper()
	return api.Object(t, kube.ManifestWork, site, "hcctl.clusters."+cluster)
}

func TestApplyDeliversWhereThereIsRoom(t *testing.T) {
	api := newHub(t, managed("east", true, 0), managed("west", true, 0), managed("north", true, 0),
		decision("east", "west"), score("east", 1), score("west", 3), score("north", 100))
	_, report := run(t, api, written(), desired(t, "a"), desired(t, "b"), desired(t, "c"))
	if err := report.Err(); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		for _, site := range []string{"east", "west", "north"} {
			if workOf(t, api, site, name) != nil {
				got[name] += site
			}
		}
	}
	// west has room for three: it gets two until it is even with east. north is not chosen by the Placement.
	if diff := cmp.Diff(map[string]string{"a": "west", "b": "west", "c": "east"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w := workOf(t, api, "west", "a")
	raw, _ := json.Marshal(w.Object)
	// HyperShift writes a base domain: the manifest must not have an empty one (found with real agents).
	for _, secret := range []string{"YTpi", `"kind":"Secret"`, `"dns"`} {
		if strings.Contains(string(raw), secret) {
			t.Errorf("the ManifestWork has %s", secret)
		}
	}
}

// A run that was killed anywhere ends in the same state when it is run again, whatever the scores are now.
func TestAssignmentsStay(t *testing.T) {
	api := newHub(t, managed("east", true, 0), managed("west", true, 0), decision("east", "west"), score("east", 5),
		score("west", 1))
	if _, report := run(t, api, written(), desired(t, "a")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	before := workOf(t, api, "east", "a").GetResourceVersion()
	api.Put(t, score("east", 0), score("west", 90), decision("west"))
	_, report := run(t, api, written(), desired(t, "a"), desired(t, "b"))
	if report.Err() != nil {
		t.Fatal(report.Err())
	}
	if workOf(t, api, "west", "a") != nil || workOf(t, api, "east", "a").GetResourceVersion() != before {
		t.Error("a cluster that is assigned was written again or moved")
	}
	if workOf(t, api, "west", "b") == nil {
		t.Error("the new one is not where there is room")
	}
}

func TestNoRoomIsAnErrorOfThatClusterAlone(t *testing.T) {
	api := newHub(t, managed("east", true, 0), decision("east"), score("east", 1))
	_, report := run(t, api, written(), desired(t, "a"), desired(t, "b"))
	failed, ok := step.AsRunError(report.Err())
	if !ok || len(failed.Results) != 1 || failed.Results[0].Step.Subject != "clusters/b" {
		t.Errorf("got %v", report.Err())
	}
	if workOf(t, api, "east", "a") == nil {
		t.Error("the first one is not there")
	}
}

// What exists stays but for the sizes of pools that the file names.
func TestApplyAdjustsPoolsOnly(t *testing.T) {
	api := newHub(t, managed("east", true, 0), decision("east"))
	if _, report := run(t, api, written(), desired(t, "a")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	apply, report := run(t, api, written(), desired(t, "a", func(o *options.Cluster) {
		o.NodePools[0].Replicas = 5
		o.ReleaseImage = "quay.io/openshift-release-dev/ocp-release:4.20.9-multi"
	}))
	if report.Err() != nil {
		t.Fatal(report.Err())
	}
	raw, _ := json.Marshal(workOf(t, api, "east", "a").Object)
	if !strings.Contains(string(raw), `"replicas":5`) || strings.Contains(string(raw), "4.20.9") {
		t.Errorf("%s", raw)
	}
	left := strings.Join(apply.Plans["clusters/a"].Left, "; ")
	if !strings.Contains(left, "HostedCluster clusters/a: spec.release.image") {
		t.Errorf("what is left alone is not said: %q", left)
	}
}

// Secrets are copied only when asked for, in a ManifestWork of their own that reports nothing; a second run makes no
// other key.
func TestSecretsAreCopiedOnce(t *testing.T) {
	api := newHub(t, managed("east", true, 0), decision("east"))
	opt := written()
	opt.CopySecrets = true
	for range 2 {
		if _, report := run(t, api, opt, desired(t, "a")); report.Err() != nil {
			t.Fatal(report.Err())
		}
	}
	secrets := api.Object(t, kube.ManifestWork, "east", "hcctl-secrets.clusters.a")
	raw, _ := json.Marshal(secrets.Object)
	if secrets == nil || strings.Contains(string(raw), "feedbackRules") || !strings.Contains(string(raw), "CreateOnly") {
		t.Fatalf("%s", raw)
	}
	for _, w := range api.Writes() {
		if strings.Contains(w.Body, `"kind":"Secret"`) && w.Verb != "create" {
			t.Errorf("Secrets are written again: %s", w)
		}
	}
	cluster, _ := json.Marshal(workOf(t, api, "east", "a").Object)
	if strings.Contains(string(cluster), `"kind":"Secret"`) {
		t.Error("a Secret is in the ManifestWork with feedback")
	}
}

func TestMoveFromALostSite(t *testing.T) {
	api := newHub(t, managed("east", true, 0), managed("west", true, 0), decision("east"))
	if _, report := run(t, api, written(), desired(t, "a")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	opt := written()
	opt.MoveFrom = "east"
	if _, err := hub.PrepareApply(t.Context(), api.Client, []fleet.DesiredCluster{desired(t, "a")}, opt); err == nil {
		t.Error("it moves from a site that is available")
	}
	// The agent of a lost site cannot take its finalizer away.
	w := workOf(t, api, "east", "a")
	w.SetFinalizers([]string{"cluster.open-cluster-management.io/manifest-work-cleanup"})
	raw, _ := json.Marshal(w.Object)
	api.Put(t, managed("east", false, time.Hour), decision("west"), string(raw))
	if _, report := run(t, api, written(), desired(t, "a")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	if workOf(t, api, "west", "a") != nil {
		t.Fatal("a lost site's cluster moves unasked")
	}
	for range 2 {
		apply, report := run(t, api, opt, desired(t, "a"))
		if report.Err() != nil {
			t.Fatal(report.Err())
		}
		if !apply.Plans["clusters/a"].Moved {
			t.Error("it is not said that it moves")
		}
	}
	if workOf(t, api, "west", "a") == nil || workOf(t, api, "east", "a").GetDeletionTimestamp() == nil {
		t.Error("it is not recreated on the other site, with the old one deleted")
	}
}

// A site that is back after hcctl has read its state keeps its clusters.
func TestMoveFromASiteThatIsBack(t *testing.T) {
	api := newHub(t, managed("east", true, 0), managed("west", true, 0), decision("east"))
	if _, report := run(t, api, written(), desired(t, "a")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	api.Put(t, managed("east", false, time.Hour), decision("west"))
	opt := written()
	opt.MoveFrom = "east"
	apply, err := hub.PrepareApply(t.Context(), api.Client, []fleet.DesiredCluster{desired(t, "a")}, opt)
	if err != nil {
		t.Fatal(err)
	}
	api.Put(t, managed("east", true, 0))
	if err := runOf(t, apply).Err(); err == nil || !strings.Contains(err.Error(), "available again") {
		t.Errorf("%v", err)
	}
	if workOf(t, api, "east", "a") == nil || workOf(t, api, "west", "a") != nil {
		t.Error("it is moved")
	}
}

func TestUnsupportedIsSaid(t *testing.T) {
	api := newHub(t, managed("east", true, 0), decision("east"))
	_, report := run(t, api, written(), desired(t, "a", func(o *options.Cluster) {
		o.NodeTopology = []string{"zone"}
	}))
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "hub") {
		t.Errorf("%v", err)
	}
	if workOf(t, api, "east", "a") != nil {
		t.Error("it is delivered all the same")
	}
}

func TestNoHub(t *testing.T) {
	api := kubetest.Serve(t)
	if _, err := hub.Read(t.Context(), api.Client); err == nil || !strings.Contains(err.Error(), "no hub") {
		t.Errorf("%v", err)
	}
}
