package hub_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// assignmentOf is the site that a cluster is assigned to.
func assignmentOf(t testing.TB, api *kubetest.API, cluster string) string {
	t.Helper()
	u := api.Object(t, kube.ConfigMap, "hcctl-assignments", "hcctl.clusters."+cluster)
	if u == nil {
		return ""
	}
	return kube.Text(u, "data", "site")
}

// assignment is the ConfigMap that assigns a cluster to a site.
func assignment(cluster, site string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: hcctl.clusters.%s, namespace: hcctl-assignments}, "+
		"data: {site: %s}}", cluster, site)
}

// byWest chooses site west alone.
const byWest = `
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: PlacementDecision
metadata: {name: other-decision-1, namespace: fleets, labels: {cluster.open-cluster-management.io/placement: other}}
status: {decisions: [{clusterName: west, reason: ''}]}
`

// Two commands that have both seen clusters without a site never bring one of them to two sites.
func TestConcurrentApply(t *testing.T) {
	api := newHub(t, managed("east", true, 0), managed("west", true, 0), decision("east"), byWest)
	var wanted []fleet.DesiredCluster
	for i := range 12 {
		wanted = append(wanted, desired(t, fmt.Sprintf("kv-%02d", i)))
	}
	var graphs []*step.Graph
	for _, placement := range []string{"hosting", "other"} {
		opt := written()
		opt.Placement = types.NamespacedName{Namespace: "fleets", Name: placement}
		apply, err := hub.PrepareApply(t.Context(), api.Client, wanted, opt)
		if err != nil {
			t.Fatal(err)
		}
		graph, err := step.New(apply.Steps()...)
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, graph)
	}
	var both sync.WaitGroup
	reports := make([]step.Report, len(graphs))
	for i, graph := range graphs {
		both.Go(func() {
			reports[i] = graph.Run(t.Context(), step.Options{Timeout: 20 * time.Second, PollInterval: 5 * time.Millisecond,
				Transient: kube.IsTransient, Explain: kube.Explain, Subjects: 4})
		})
	}
	both.Wait()
	lost := 0
	for _, r := range reports {
		if failed, ok := step.AsRunError(r.Err()); ok {
			for _, result := range failed.Results {
				if strings.HasSuffix(string(result.Step.ID), "hub/assignment") {
					lost++
				}
			}
			if text := fmt.Sprintf("%+v", failed.Results); !strings.Contains(text, "another command has assigned it to site") ||
				!strings.Contains(text, "run the same command again") {
				t.Errorf("%s", text)
			}
		}
	}
	if lost != len(wanted) {
		t.Errorf("%d of %d clusters were told that another command was first", lost, len(wanted))
	}
	once(t, api, wanted)
	// Whoever lost goes on with the other's sites.
	opt := written()
	opt.Placement.Name = "other"
	if _, report := run(t, api, opt, wanted...); report.Err() != nil {
		t.Error(report.Err())
	}
	once(t, api, wanted)
}

// once fails unless each cluster is on the site that it is assigned to, and on no other.
func once(t *testing.T, api *kubetest.API, wanted []fleet.DesiredCluster) {
	t.Helper()
	for _, one := range wanted {
		name := one.Options.Name
		var at []string
		for _, site := range []string{"east", "west"} {
			if workOf(t, api, site, name) != nil {
				at = append(at, site)
			}
		}
		if diff := cmp.Diff([]string{assignmentOf(t, api, name)}, at); diff != "" {
			t.Errorf("%s (-assigned +delivered):\n%s", name, diff)
		}
	}
}

// What was assigned and not delivered is listed, stays where it is assigned, and can be deleted.
func TestAssignedAndNotDelivered(t *testing.T) {
	api := newHub(t, managed("east", true, 0), managed("west", true, 0), decision("west"), assignment("a", "east"),
		assignment("b", "east"))
	f, err := hub.Read(t.Context(), api.Client)
	if err != nil || len(f.Clusters) != 2 || f.Clusters[0].Health != status.Warning || f.Clusters[0].Site != "east" ||
		!strings.Contains(f.Clusters[0].Message, "not delivered") {
		t.Fatalf("%+v, %v", f, err)
	}
	if _, report := run(t, api, written(), desired(t, "a"), desired(t, "c")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	if workOf(t, api, "east", "a") == nil || workOf(t, api, "west", "a") != nil || workOf(t, api, "west", "c") == nil {
		t.Error("a is not where it was assigned, or c not where the Placement says")
	}
	if r := carry(t, hub.Delete(api.Client, "east", fleet.ClusterName{Namespace: "clusters", Name: "b"})); r.Err() != nil {
		t.Fatal(r.Err())
	}
	if assignmentOf(t, api, "b") != "" {
		t.Error("the assignment of a deleted cluster is left")
	}
	// A deletion at one site does not unassign what is on another by now.
	if r := carry(t, hub.Delete(api.Client, "west", fleet.ClusterName{Namespace: "clusters", Name: "a"})); r.Err() != nil {
		t.Fatal(r.Err())
	}
	if assignmentOf(t, api, "a") != "east" {
		t.Error("a deletion at another site unassigns it")
	}
}

// A cluster that an earlier hcctl delivered has no assignment: it gets one, and nothing else is written.
func TestClustersWithoutAssignment(t *testing.T) {
	api := delivered(t)
	u := api.Object(t, kube.ConfigMap, "hcctl-assignments", "hcctl.clusters.a")
	if err := api.Client.Delete(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	api.Put(t, decision("west"))
	before := len(api.Writes())
	for range 2 {
		if _, report := run(t, api, written(), desired(t, "a")); report.Err() != nil {
			t.Fatal(report.Err())
		}
	}
	if writes := api.Writes()[before:]; len(writes) != 1 || assignmentOf(t, api, "a") != "east" {
		t.Errorf("%v", writes)
	}
}

func TestAssignmentsThatDisagree(t *testing.T) {
	lost := managed("east", false, time.Hour)
	for name, tc := range map[string]struct {
		objects  []string
		moveFrom string
		want     string
	}{
		"delivered elsewhere":  {[]string{assignment("a", "west")}, "", "several sites: east, west"},
		"no site":              {[]string{assignment("a", "'../x'")}, "", "key site is not the name of a ManagedCluster"},
		"another's is no news": {[]string{assignment("b", "west")}, "", ""},
		// Killed after the assignment moved.
		"moved and not left":      {[]string{assignment("a", "west"), lost}, "east", ""},
		"moved, and said nothing": {[]string{assignment("a", "west"), lost}, "", "several sites: east, west"},
	} {
		t.Run(name, func(t *testing.T) {
			api := delivered(t)
			api.Put(t, append(tc.objects, decision("west"))...)
			opt := written()
			opt.MoveFrom = tc.moveFrom
			apply, err := hub.PrepareApply(t.Context(), api.Client, []fleet.DesiredCluster{desired(t, "a")}, opt)
			if err == nil {
				err = apply.Members[0].Err
			}
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// After a move the lost site's ManifestWork stays, as being deleted, until the site is back. Every command is about the
// new one meanwhile.
func TestAfterAMove(t *testing.T) {
	api := delivered(t)
	w := workOf(t, api, "east", "a").DeepCopy()
	w.SetFinalizers([]string{"cluster.open-cluster-management.io/manifest-work-cleanup"})
	put(t, api, w)
	api.Put(t, managed("east", false, time.Hour), decision("west"))
	opt := written()
	opt.MoveFrom = "east"
	if _, report := run(t, api, opt, desired(t, "a")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	if assignmentOf(t, api, "a") != "west" {
		t.Errorf("it is assigned to %q", assignmentOf(t, api, "a"))
	}
	before := len(api.Writes())
	if _, report := run(t, api, written(), desired(t, "a")); report.Err() != nil || len(api.Writes()) > before {
		t.Errorf("%v: %v", report.Err(), api.Writes()[before:])
	}
	f, err := hub.Read(t.Context(), api.Client)
	if err != nil {
		t.Fatal(err)
	}
	one, err := hub.Current(f.Clusters)
	if err != nil || len(f.Clusters) != 2 || one.Site != "west" || one.Health == status.Broken {
		t.Errorf("%+v, %v", one, err)
	}
}

// Of two commands that move a cluster away from a lost site at the same moment, one moves it.
func TestConcurrentMove(t *testing.T) {
	api := delivered(t)
	api.Put(t, managed("east", false, time.Hour), managed("north", true, 0), decision("north"), byWest)
	var graphs []*step.Graph
	for _, placement := range []string{"hosting", "other"} {
		opt := written()
		opt.MoveFrom, opt.Placement.Name = "east", placement
		apply, err := hub.PrepareApply(t.Context(), api.Client, []fleet.DesiredCluster{desired(t, "a")}, opt)
		if err != nil {
			t.Fatal(err)
		}
		graph, err := step.New(apply.Steps()...)
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, graph)
	}
	var errs []error
	for _, graph := range graphs {
		r := graph.Run(t.Context(), step.Options{Timeout: 20 * time.Second, PollInterval: 5 * time.Millisecond})
		errs = append(errs, r.Err())
	}
	if errs[0] != nil || errs[1] == nil || workOf(t, api, "north", "a") == nil || workOf(t, api, "west", "a") != nil {
		t.Errorf("%v; assigned to %s", errs, assignmentOf(t, api, "a"))
	}
}

// A cluster whose assignment is removed in the middle of an apply, by a deletion, is not delivered.
func TestUnassignedMeanwhile(t *testing.T) {
	api := newHub(t, managed("east", true, 0), decision("east"))
	apply, err := hub.PrepareApply(t.Context(), api.Client, []fleet.DesiredCluster{desired(t, "a")}, written())
	if err != nil {
		t.Fatal(err)
	}
	graph, err := step.New(apply.Steps()...)
	if err != nil {
		t.Fatal(err)
	}
	r := graph.Run(t.Context(), step.Options{Timeout: 10 * time.Second, PollInterval: 5 * time.Millisecond,
		Observe: func(e step.Event) {
			if e.Phase == step.Checked && strings.HasSuffix(string(e.Step.ID), "hub/work") {
				u := api.Object(t, kube.ConfigMap, "hcctl-assignments", "hcctl.clusters.a")
				if u != nil {
					_ = api.Client.Delete(t.Context(), u)
				}
			}
		}})
	if r.Err() == nil || !strings.Contains(fmt.Sprintf("%+v", r.Results), "does not assign it to site east any more") ||
		workOf(t, api, "east", "a") != nil {
		t.Errorf("%v: %+v", r.Err(), r.Results)
	}
}
