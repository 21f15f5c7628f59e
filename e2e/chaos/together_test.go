package chaos

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/e2e/world"
	"github.com/hcctl/hcctl/internal/audit"
)

// atOnce starts them all and waits for all.
func atOnce(t *testing.T, p *program.Program, calls ...[]string) []program.Ended {
	t.Helper()
	runs := make([]*program.Running, len(calls))
	for i, args := range calls {
		runs[i] = p.Start(t, args...)
	}
	ended := make([]program.Ended, len(calls))
	for i := range runs {
		ended[i] = runs[i].Wait(t)
	}
	return ended
}

// times is the same call n times.
func times(n int, args ...string) [][]string { return slices.Repeat([][]string{args}, n) }

// crowd is how many run at once: ten in the whole form, four in the short one.
func crowd() int {
	if world.WholeLists() {
		return 10
	}
	return 4
}

// together checks that several processes of hcctl on one cluster reach the result of a single one, without conflicting
// writes.
func together(t *testing.T, w *world.World) {
	log, err := audit.Open(w.Sandbox.Audit())
	if err != nil {
		t.Fatal(err)
	}
	create := []string{
		"create", "cluster", "--name", "kv-00", "--yes", "--pull-secret", w.PullSecret, "--version", "4.20.3",
		"--infra-id", "kv-00-fixed", "--node-pool-replicas", "1",
	}
	w.Direct.Must(t, create...)
	one := w.Written(t)
	upgrade := []string{"upgrade", "cluster", "kv-00", "--version", "4.20.8", "--yes"}
	w.Direct.Must(t, upgrade...)
	upgraded := w.Written(t)
	good(t, "two deletions of one cluster", atOnce(t, w.Direct, times(2, "delete", "cluster", "kv-00", "--yes")...))
	drain(t, log)

	good(t, "many creates of one name", atOnce(t, w.Direct, times(crowd(), create...)...))
	notFought(t, log, "many creates of one name")
	w.Same(t, one, "after many creates of one name")
	good(t, "two upgrades", atOnce(t, w.Direct, times(2, upgrade...)...))
	w.Same(t, upgraded, "after two upgrades at once")
	// A create of a cluster that is being deleted reports that, or succeeds because the deletion has not begun.
	mixed := atOnce(
		t, w.Direct, []string{"delete", "cluster", "kv-00", "--yes"},
		slices.Concat(create, []string{"--timeout", "2m"}),
	)
	good(t, "a deletion beside a create", mixed[:1])
	if e := mixed[1]; e.Code != 0 && !slices.Contains([]int{1, 3, 4, 5}, e.Code) ||
		e.Code != 0 && !strings.Contains(e.Err, "Error:") {
		t.Errorf("a create beside a deletion: %s", e)
	}
	if e := w.Direct.Run(t, "delete", "cluster", "kv-00", "--yes"); e.Code != 0 &&
		!strings.Contains(e.Err, "no hosted cluster") {
		t.Error(e)
	}
	oneIdentity(t, w, log)
	manyNames(t, w)
}

// oneIdentity checks that many creates of one name use the same infraID: each makes a random one, and the first write
// wins.
func oneIdentity(t *testing.T, w *world.World, log *audit.Log) {
	t.Helper()
	drain(t, log)
	const what = "many creates of one name, the infraID left to chance"
	creates := times(crowd(), "create", "cluster", "--name", "kv-01", "--yes", "--pull-secret", w.PullSecret,
		"--version", "4.20.3", "--wait", "none")
	good(t, what, atOnce(t, w.Direct, creates...))
	notFought(t, log, what)
	hc, err := w.Resource("hostedclusters.v1beta1.hypershift.openshift.io", "clusters").
		Get(t.Context(), "kv-01", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	infraID, _, _ := unstructured.NestedString(hc.Object, "spec", "infraID")
	secrets, err := w.Resource("secrets.v1.", "clusters").
		List(t.Context(), metav1.ListOptions{LabelSelector: "hypershift.openshift.io/auto-created-for-infra=" + infraID})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range secrets.Items {
		names = append(names, secrets.Items[i].GetName())
	}
	slices.Sort(names)
	if want := []string{"kv-01-etcd-encryption-key", "kv-01-pull-secret"}; infraID == "" || !slices.Equal(names, want) {
		t.Errorf("%s: infraID %q is that of the Secrets %v, want %v", what, infraID, names, want)
	}
	w.Direct.Must(t, "delete", "cluster", "kv-01", "--yes")
}

// manyNames: as many creates as names, the same fleet applied twice, all deleted twice, at once each time.
func manyNames(t *testing.T, w *world.World) {
	t.Helper()
	var creates [][]string
	var names, fleet []string
	for i := range crowd() {
		name := fmt.Sprintf("kv-%02d", i+10)
		names = append(names, name)
		creates = append(
			creates,
			[]string{"create", "cluster", "--name", name, "--yes", "--pull-secret", w.PullSecret, "--wait", "none"},
		)
		fleet = append(
			fleet,
			fmt.Sprintf(
				"apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\nmetadata: {name: %s}\nspec: {pullSecret: %s}\n", name,
				w.PullSecret,
			),
		)
	}
	file := w.File(t, "together.yaml", strings.Join(fleet, "---\n"))
	good(t, "as many creates as names", atOnce(t, w.Direct, creates...))
	good(
		t, "the same fleet applied twice",
		atOnce(t, w.Direct, times(2, "apply", "-f", file, "--yes", "--wait", "none")...),
	)
	good(
		t, "the same fleet deleted twice",
		atOnce(t, w.Direct, times(2, append([]string{"delete", "clusters", "--yes"}, names...)...)...),
	)
}

// good fails the test where one did not succeed.
func good(t *testing.T, what string, ended []program.Ended) {
	t.Helper()
	for i, e := range ended {
		if e.Code != 0 {
			t.Errorf("%s, number %d: %s", what, i+1, e)
		}
	}
}

// drain reads the log to its end.
func drain(t *testing.T, log *audit.Log) []audit.Request {
	t.Helper()
	all, err := log.Next()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// notFought checks in the audit log that hcctl has written each object once, and no existing object. It writes each
// Secret a second time, to add the UID of its HostedCluster.
func notFought(t *testing.T, log *audit.Log, what string) {
	t.Helper()
	made := map[string]int{}
	for _, r := range audit.By("hcctl", drain(t, log)) {
		if r.DryRun() || r.Code >= 300 || strings.HasSuffix(r.Resource, "accessreviews") {
			continue
		}
		object := fmt.Sprintf("%s %s/%s", r.Resource, r.Namespace, r.Name)
		switch r.Verb {
		case "create":
			made[object]++
		case "patch":
			if r.Resource == "secrets" && made["marked "+object] == 0 {
				made["marked "+object]++
				continue
			}
			t.Errorf("%s: %s %s", what, r.Verb, object)
		case "update", "delete":
			t.Errorf("%s: %s %s", what, r.Verb, object)
		}
	}
	for object, n := range made {
		if n > 1 {
			t.Errorf("%s: %s was created %d times", what, object, n)
		}
	}
	if len(made) == 0 {
		t.Errorf("%s: the audit log knows of no write", what)
	}
}
