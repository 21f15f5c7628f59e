package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// value is a reported text.
func value(name, text string) map[string]any {
	return map[string]any{"name": name, "fieldValue": map[string]any{"type": "String", "string": text}}
}

func number(name string, n int64) map[string]any {
	return map[string]any{"name": name, "fieldValue": map[string]any{"type": "Integer", "integer": n}}
}

// about is what a site reports of an object.
func about(kind, namespace, name string, values ...any) map[string]any {
	return map[string]any{"resourceMeta": map[string]any{"group": "hypershift.openshift.io", "kind": kind, "namespace": namespace,
		"name": name}, "statusFeedback": map[string]any{"values": values}, "conditions": []any{}}
}

// reports writes the status of a cluster's ManifestWork, as the site's agent does.
func reports(t testing.TB, api *kubetest.API, site, cluster string, manifests ...any) {
	t.Helper()
	w := workOf(t, api, site, cluster).DeepCopy()
	w.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Applied", "status": "True",
		"reason": "AppliedManifestWorkComplete", "message": "", "lastTransitionTime": "2026-11-24T12:00:00Z"}},
		"resourceStatus": map[string]any{"manifests": manifests}}
	put(t, api, w)
}

func put(t testing.TB, api *kubetest.API, u *unstructured.Unstructured) {
	t.Helper()
	raw, err := json.Marshal(u.Object)
	if err != nil {
		t.Fatal(err)
	}
	api.Put(t, string(raw))
}

// good is the report of a cluster that works.
func good(version, release string) []any {
	return []any{about("HostedCluster", "clusters", "a", value("available", "True"), value("version", version),
		value("versionState", "Completed"), value("versionImage", release), value("endpoint", "192.0.2.7")),
		about("NodePool", "clusters", "a", number("nodes", 2), value("version", version))}
}

// delivered is a hub with cluster a on site east.
func delivered(t *testing.T) *kubetest.API {
	t.Helper()
	api := newHub(t, managed("east", true, 20*time.Second), managed("west", true, 0), decision("east"))
	if _, report := run(t, api, written(), desired(t, "a")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	return api
}

func one(t *testing.T, api *kubetest.API) *hub.Cluster {
	t.Helper()
	f, err := hub.Read(t.Context(), api.Client)
	if err != nil || len(f.Clusters) != 1 {
		t.Fatalf("%d clusters, %v", len(f.Clusters), err)
	}
	return f.Clusters[0]
}

func TestWhatASiteReports(t *testing.T) {
	api := delivered(t)
	if c := one(t, api); c.Health != status.Progressing || c.Message != "not applied on the site yet" {
		t.Errorf("%+v", c)
	}
	reports(t, api, "east", "a", good("4.20.3", image)...)
	c := one(t, api)
	if c.Health != status.OK || c.Version != "4.20.3" || c.Endpoint != "192.0.2.7" || *c.Nodes != 2 || c.Wanted != 2 ||
		c.Site != "east" || time.Since(*c.Seen) < 10*time.Second {
		t.Errorf("%+v", c)
	}
	// What is known of a site that is lost is old, and never good.
	api.Put(t, managed("east", false, 7*time.Minute))
	if c := one(t, api); c.Health != status.Unknown || !strings.Contains(c.Message, "ago it was ok") ||
		!strings.Contains(c.Message, "ManagedClusterLeaseUpdateStopped") {
		t.Errorf("%+v", c)
	}
}

// What a site's agent writes is untrusted: it says nothing about another cluster, and no value gets past its form.
func TestHostileReports(t *testing.T) {
	api := delivered(t)
	long := strings.Repeat("x", 100_000)
	reports(t, api, "east", "a",
		about("HostedCluster", "clusters", "other", value("available", "True"), value("version", "4.20.3")),
		about("HostedCluster", "prod", "a", value("available", "True")),
		about("HostedCluster", "clusters", "a", value("available", "True\x1b[2J"), value("availableReason", "a b"),
			value("availableMessage", "\x1b]0;owned\x07 token=eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl "+long),
			value("version", "4.20.3; rm -rf /"), value("versionState", "Gone"), value("endpoint", "evil/../x"),
			value("hcctl.dev/other", "x"), map[string]any{"name": "available", "fieldValue": map[string]any{"type": "JsonRaw",
				"jsonRaw": `"True"`}}),
		about("NodePool", "clusters", "a", number("nodes", -1)))
	c := one(t, api)
	if c.Health == status.OK || c.Version != "" || c.Endpoint != "" || c.Nodes != nil {
		t.Errorf("%+v", c)
	}
	// A site may change labels, annotations and what is in its own ManifestWork: the name stays.
	w := workOf(t, api, "east", "a").DeepCopy()
	w.SetLabels(map[string]string{"env": "prod"})
	w.SetAnnotations(map[string]string{"hcctl.dev/hosted-cluster": "clusters/prod-db"})
	_ = unstructured.SetNestedSlice(w.Object, []any{map[string]any{"kind": "HostedCluster",
		"apiVersion": "hypershift.openshift.io/v1beta1", "metadata": map[string]any{"name": "prod-db", "namespace": "clusters"}}},
		"spec", "workload", "manifests")
	put(t, api, w)
	if c := one(t, api); c.Subject() != "clusters/a" || c.Site != "east" {
		t.Errorf("a site names another cluster: %+v", c)
	}
	// It cannot have anything of another site deleted either: a deletion is by name and site.
	graph, err := step.New(hub.Delete(api.Client, "east", fleet.ClusterName{Namespace: "clusters", Name: "a"})...)
	if err != nil {
		t.Fatal(err)
	}
	api.Take()
	if r := graph.Run(t.Context(), step.Options{Timeout: 10 * time.Second}); r.Err() != nil {
		t.Fatal(r.Err())
	}
	for _, request := range api.Writes() {
		if request.Verb != "delete" || request.String() != "delete configmaps hcctl-assignments/hcctl.clusters.a" &&
			!strings.Contains(request.String(), "east/hcctl.clusters.a") {
			t.Errorf("%s", request)
		}
	}
}

func TestMessagesAreEscapedAndBounded(t *testing.T) {
	api := delivered(t)
	reports(t, api, "east", "a", about("HostedCluster", "clusters", "a", value("available", "False"),
		value("availableReason", "Waiting"), value("availableMessage", "bad\x1b[2J\n"+strings.Repeat("y", 5000))))
	c := one(t, api)
	if strings.ContainsAny(c.Message, "\x1b\n") || len(c.Message) > 2000 || !strings.Contains(c.Message, "not available (Waiting) bad") {
		t.Errorf("%q", c.Message)
	}
}

// carry runs steps of one cluster.
func carry(t *testing.T, steps []step.Step) step.Report {
	t.Helper()
	graph, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	return graph.Run(t.Context(), step.Options{Timeout: 10 * time.Second, PollInterval: 5 * time.Millisecond,
		Transient: kube.IsTransient, Explain: kube.Explain})
}

func replicas(t *testing.T, api *kubetest.API) (size any, remembered string) {
	t.Helper()
	list, _, _ := unstructured.NestedSlice(workOf(t, api, "east", "a").Object, "spec", "workload", "manifests")
	for _, m := range list {
		u := &unstructured.Unstructured{Object: m.(map[string]any)}
		if u.GetKind() == "NodePool" {
			return u.Object["spec"].(map[string]any)["replicas"], u.GetAnnotations()["hcctl.dev/stopped-replicas"]
		}
	}
	t.Fatal("there is no NodePool")
	return nil, ""
}

func TestStopAndStart(t *testing.T) {
	api := delivered(t)
	for range 2 {
		if r := carry(t, hub.Stop(api.Client, one(t, api), false)); r.Err() != nil {
			t.Fatal(r.Err())
		}
		if size, remembered := replicas(t, api); fmt.Sprint(size) != "0" || remembered != "2" {
			t.Errorf("stopped: %v, %q", size, remembered)
		}
	}
	// apply leaves a stopped pool stopped.
	if apply, report := run(t, api, written(), desired(t, "a")); report.Err() != nil || len(apply.Plans["clusters/a"].Left) > 0 {
		t.Fatal(report.Err(), apply.Plans["clusters/a"].Left)
	}
	if size, remembered := replicas(t, api); fmt.Sprint(size) != "0" || remembered != "2" {
		t.Errorf("after apply: %v, %q", size, remembered)
	}
	if r := carry(t, hub.Start(api.Client, one(t, api), false)); r.Err() != nil {
		t.Fatal(r.Err())
	}
	if size, remembered := replicas(t, api); fmt.Sprint(size) != "2" || remembered != "" {
		t.Errorf("started: %v, %q", size, remembered)
	}
}

func TestUpgradeIsRefused(t *testing.T) {
	for _, tt := range []struct {
		from, image string
		force       bool
		want        string
	}{
		{"4.20.3", "quay.io/ocp/release:4.20.1-multi", false, "is older"},
		{"4.20.3", "quay.io/ocp/release:4.20.1-multi", true, "is older"},
		{"4.20.3", "quay.io/ocp/release:4.22.0-x86_64", false, "more than one minor version"},
		{"4.20.3", "quay.io/ocp/release:4.22.0-x86_64", true, ""},
		{"4.20.3", "quay.io/ocp/release:4.21.9-multi", false, ""},
		{"4.20.3", "quay.io:5000/ocp/release@sha256:00", false, ""},
		{"", "quay.io/ocp/release:4.1.0", false, ""},
	} {
		_, err := hub.Upgrade(nil, &hub.Cluster{Namespace: "clusters", Name: "a", Version: tt.from},
			hub.UpgradeOptions{Image: tt.image, Force: tt.force})
		if got := fmt.Sprint(err); (err == nil) != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s to %s: %v", tt.from, tt.image, err)
		}
	}
}

// The control plane goes first; the node pools follow when the site says that it is complete.
func TestUpgradeControlPlaneFirst(t *testing.T) {
	api := delivered(t)
	reports(t, api, "east", "a", good("4.20.3", image)...)
	const to = "quay.io/openshift-release-dev/ocp-release:4.20.4-multi"
	steps, err := hub.Upgrade(api.Client, one(t, api), hub.UpgradeOptions{Image: to, Wait: true})
	if err != nil {
		t.Fatal(err)
	}
	releases := func() string {
		list, _, _ := unstructured.NestedSlice(workOf(t, api, "east", "a").Object, "spec", "workload", "manifests")
		out := ""
		for _, m := range list {
			u := &unstructured.Unstructured{Object: m.(map[string]any)}
			if image := kube.Text(u, "spec", "release", "image"); image != "" {
				out += u.GetKind() + " " + image[strings.LastIndex(image, ":")+1:] + "; "
			}
		}
		return out
	}
	graph, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	report := graph.Run(t.Context(), step.Options{Timeout: 10 * time.Second, PollInterval: 5 * time.Millisecond,
		Observe: func(e step.Event) {
			if e.Phase == step.Checked && e.Step.ID == "cluster/complete" && len(seen) == 0 {
				seen = append(seen, releases())
				// So far the site has reported the old release, which is complete.
				reports(t, api, "east", "a", good("4.20.4", to)...)
			}
		}})
	if report.Err() != nil {
		t.Fatal(report.Err())
	}
	if len(seen) == 0 || seen[0] != "HostedCluster 4.20.4-multi; NodePool 4.20.3-multi; " {
		t.Errorf("while the control plane is upgraded: %q", seen)
	}
	if got := releases(); got != "HostedCluster 4.20.4-multi; NodePool 4.20.4-multi; " {
		t.Errorf("at the end: %q", got)
	}
}

func TestWaves(t *testing.T) {
	clusters := []*hub.Cluster{{Site: "west", Namespace: "l", Name: "d", Environment: "prod"},
		{Site: "east", Namespace: "l", Name: "c", Environment: "dev"}, {Site: "east", Namespace: "l", Name: "b"},
		{Site: "east", Namespace: "l", Name: "a", Environment: "dev"}}
	names := func(batches [][]*hub.Cluster) string {
		var all []string
		for _, batch := range batches {
			text := ""
			for _, c := range batch {
				text += c.Name
			}
			all = append(all, text)
		}
		return strings.Join(all, " ")
	}
	for _, tt := range []struct {
		wave hub.Wave
		each int
		want string
	}{{hub.BySite, 0, "abc d"}, {hub.BySite, 2, "ab c d"}, {hub.ByEnv, 0, "ac d b"}, {hub.ByEnv, 1, "a c d b"},
		{hub.NoWave, 3, "abc d"}} {
		if got := names(tt.wave.Batches(clusters, tt.each)); got != tt.want {
			t.Errorf("%s, %d: %q, want %q", tt.wave, tt.each, got, tt.want)
		}
	}
}

// The first failure stops all that has not begun, and nothing else.
func TestWavesStopAtTheFirstFailure(t *testing.T) {
	var begun []string
	var steps []step.Step
	clusters := []*hub.Cluster{}
	for _, name := range []string{"a", "b", "c", "d"} {
		clusters = append(clusters, &hub.Cluster{Namespace: "l", Name: name})
		steps = append(steps, step.Step{ID: step.ID(name + "/hub/work"), Subject: "l/" + name,
			Check: func(context.Context, step.Reads) step.Finding {
				begun = append(begun, name)
				if name == "b" {
					return step.Broken("no")
				}
				return step.OK("")
			}})
	}
	graph, err := step.New(hub.InOrder(steps, hub.NoWave.Batches(clusters, 1))...)
	if err != nil {
		t.Fatal(err)
	}
	r := graph.Run(t.Context(), step.Options{Subjects: 4})
	if r.Err() == nil {
		t.Error("it does not fail")
	}
	if diff := cmp.Diff([]string{"a", "b"}, begun); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A site that is lost keeps a deletion waiting, and this is said.
func TestDeleteWaitsForALostSite(t *testing.T) {
	api := delivered(t)
	w := workOf(t, api, "east", "a").DeepCopy()
	w.SetFinalizers([]string{"cluster.open-cluster-management.io/manifest-work-cleanup"})
	put(t, api, w)
	api.Put(t, managed("east", false, time.Hour))
	graph, err := step.New(hub.Delete(api.Client, "east", fleet.ClusterName{Namespace: "clusters", Name: "a"})...)
	if err != nil {
		t.Fatal(err)
	}
	r := graph.Run(t.Context(), step.Options{Timeout: 10 * time.Second, TroubleTimeout: 50 * time.Millisecond,
		PollInterval: 5 * time.Millisecond})
	if err := r.Err(); err == nil || !strings.Contains(fmt.Sprintf("%+v", r.Results[1].Finding), "deletes the cluster when it is back") {
		t.Errorf("%v: %+v", err, r.Results)
	}
}

// Clusters of one name on two sites are said, and neither is changed.
func TestAssignedTwice(t *testing.T) {
	api := delivered(t)
	w := workOf(t, api, "east", "a").DeepCopy()
	w.SetNamespace("west")
	put(t, api, w)
	f, err := hub.Read(t.Context(), api.Client)
	if err != nil || len(f.Clusters) != 2 || f.Clusters[0].Health != status.Broken {
		t.Fatalf("%+v, %v", f, err)
	}
	if _, report := run(t, api, written(), desired(t, "a")); report.Err() == nil {
		t.Error("apply chooses one of two")
	}
}

func TestTooLarge(t *testing.T) {
	api := newHub(t, managed("east", true, 0), decision("east"))
	_, report := run(t, api, written(), desired(t, "a", func(o *options.Cluster) {
		o.Manifests = options.Files{{Content: []byte(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "large"},
			"data": {"text": "` + strings.Repeat("x", 600*1024) + `"}}`)}}
	}))
	if report.Err() == nil || !strings.Contains(report.Err().Error(), "KiB of manifests") ||
		workOf(t, api, "east", "a") != nil {
		t.Errorf("%v", report.Err())
	}
}

// A digest that the site reports for a tag is the tag's release, if the version is; the old version never is.
func TestUpgradeWaitsForTheNewVersion(t *testing.T) {
	api := delivered(t)
	digest := "quay.io/openshift-release-dev/ocp-release@sha256:" + strings.Repeat("0", 64)
	reports(t, api, "east", "a", good("4.20.2", digest)...)
	if r := awaited(t, api); r.Err() == nil || !strings.Contains(fmt.Sprint(r.Err()), "has not begun with release") {
		t.Errorf("the old version counts: %v", r.Err())
	}
	reports(t, api, "east", "a", good("4.20.3", digest)...)
	if r := awaited(t, api); r.Err() != nil {
		t.Error(r.Err())
	}
}

// awaited waits shortly until the cluster is complete.
func awaited(t *testing.T, api *kubetest.API) step.Report {
	t.Helper()
	graph, err := step.New(hub.Wait(api.Client, one(t, api), options.WaitComplete)...)
	if err != nil {
		t.Fatal(err)
	}
	return graph.Run(t.Context(), step.Options{Timeout: 200 * time.Millisecond, PollInterval: 5 * time.Millisecond})
}

// A ManifestWork that somebody has made unreadable is said at once with what to do, and is not written over.
func TestUnreadableManifestWork(t *testing.T) {
	api := delivered(t)
	c := one(t, api)
	w := workOf(t, api, "east", "a").DeepCopy()
	_ = unstructured.SetNestedSlice(w.Object, []any{map[string]any{"spec": "x"}}, "spec", "workload", "manifests")
	put(t, api, w)
	before := len(api.Writes())
	for name, steps := range map[string][]step.Step{
		"stop": hub.Stop(api.Client, c, false),
		"wait": hub.Wait(api.Client, c, options.WaitNodes)[2:],
	} {
		steps[0].Needs = nil
		f := steps[0].Check(t.Context(), nil)
		if f.State != step.StateBroken || !strings.Contains(f.Message, "manifest 0 is not an object of Kubernetes") ||
			!strings.Contains(f.Hint.String(), "oc -n east get manifestwork hcctl.clusters.a -o yaml") {
			t.Errorf("%s: %+v", name, f)
		}
	}
	apply, err := hub.PrepareApply(t.Context(), api.Client, []fleet.DesiredCluster{desired(t, "a")}, written())
	if err != nil {
		t.Fatal(err)
	}
	if err := apply.Members[0].Err; !strings.Contains(failure.Hint(err).String(), "get manifestwork") {
		t.Errorf("apply: %v", err)
	}
	if len(api.Writes()) > before {
		t.Errorf("it is written over: %v", api.Writes()[before:])
	}
}

// A site that lies in all that it may write makes the hub delete, move and print nothing: neither its feedback nor the
// fields of its own ManagedCluster, Lease and ManifestWork choose another cluster or a site.
func TestALyingSiteMovesNothing(t *testing.T) {
	api := newHub(t, managed("east", true, 0), managed("west", true, 0), decision("east", "west"))
	if _, report := run(t, api, written(), desired(t, "a"), desired(t, "b")); report.Err() != nil {
		t.Fatal(report.Err())
	}
	if assignmentOf(t, api, "a") != "east" || assignmentOf(t, api, "b") != "west" {
		t.Fatal("they are not on two sites")
	}
	esc := "\x1b[2J\x1b]0;owned\x07\u202e"
	w := workOf(t, api, "east", "a").DeepCopy()
	w.SetLabels(map[string]string{"env": "prod"})
	w.SetAnnotations(map[string]string{"hcctl.dev/hosted-cluster": "clusters/b", "x": esc})
	w.Object["status"] = map[string]any{
		"conditions": []any{
			map[string]any{"type": "Applied", "status": "False", "reason": "No" + esc, "message": esc,
				"lastTransitionTime": "2026-11-24T12:00:00Z"},
			map[string]any{"type": "Deleting", "status": "True", "reason": "x", "message": esc,
				"lastTransitionTime": "2026-11-24T12:00:00Z"}},
		"resourceStatus": map[string]any{"manifests": []any{map[string]any{
			"resourceMeta": map[string]any{"group": "hypershift.openshift.io", "kind": "HostedCluster" + esc,
				"namespace": "clusters", "name": "b" + esc},
			"conditions": []any{map[string]any{"type": "Applied", "status": "False", "reason": "x", "message": esc + "\n\n",
				"lastTransitionTime": "2026-11-24T12:00:00Z"}}}}}}
	put(t, api, w)
	m := api.Object(t, kube.ManagedCluster, "", "east").DeepCopy()
	_ = unstructured.SetNestedSlice(m.Object, []any{map[string]any{"type": "ManagedClusterConditionAvailable",
		"status": "False", "reason": "Gone" + esc, "message": esc}}, "status", "conditions")
	put(t, api, m)
	f, err := hub.Read(t.Context(), api.Client)
	if err != nil {
		t.Fatal(err)
	}
	shown := ""
	for _, c := range f.Clusters {
		shown += fmt.Sprintln(c.Site, c.Subject(), c.Health, c.Version, c.Endpoint, c.Message, c.Refused)
		if c.Subject() == "clusters/b" && (c.Site != "west" || c.Refused || c.Deleting) {
			t.Errorf("what east writes changes b: %+v", c)
		}
	}
	shown += fmt.Sprintln(f.Sites["east"].Reason)
	before := len(api.Writes())
	// Another fleet is applied, and one waits for what is deleted: nothing of b is touched, and nothing is moved.
	_, report := run(t, api, written(), desired(t, "a"), desired(t, "b"))
	shown += fmt.Sprintf("%+v", report.Results)
	for _, write := range api.Writes()[before:] {
		if write.Verb == "delete" || write.Resource != "manifestworks.work.open-cluster-management.io" ||
			write.Name != "hcctl.clusters.a" || write.Namespace != "east" {
			t.Errorf("%s", write)
		}
	}
	if strings.ContainsAny(shown, "\x1b\x07\u202e") {
		t.Errorf("control characters get to the screen: %q", shown)
	}
	if assignmentOf(t, api, "a") != "east" || assignmentOf(t, api, "b") != "west" {
		t.Error("a site moves a cluster")
	}
}

// The control plane alone is upgraded, against its own veto: the node pools keep their release.
func TestUpgradeOfTheControlPlaneAlone(t *testing.T) {
	api := delivered(t)
	const to = "quay.io/openshift-release-dev/ocp-release:4.20.4-multi"
	reports(t, api, "east", "a", good("4.20.4", to)...)
	steps, err := hub.Upgrade(api.Client, one(t, api), hub.UpgradeOptions{Image: to, Wait: true, ControlPlaneOnly: true,
		Force: true})
	if err != nil {
		t.Fatal(err)
	}
	if r := carry(t, steps); r.Err() != nil {
		t.Fatal(r.Err())
	}
	list, _, _ := unstructured.NestedSlice(workOf(t, api, "east", "a").Object, "spec", "workload", "manifests")
	got := map[string]string{}
	for _, m := range list {
		u := &unstructured.Unstructured{Object: m.(map[string]any)}
		if image := kube.Text(u, "spec", "release", "image"); image != "" {
			got[u.GetKind()] = image + u.GetAnnotations()["hypershift.openshift.io/force-upgrade-to"]
		}
	}
	if diff := cmp.Diff(map[string]string{"HostedCluster": to + to, "NodePool": image}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
