package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/e2e/state"
)

// passing are kinds whose objects come and go with pods.
var passing = []string{"pods", "replicasets", "endpoints", "endpointslices", "events", "leases", "controllerrevisions",
	"packagemanifests", "persistentvolumeclaims"}

// variable matches what differs from one run to the next, and what replaces it.
var variable = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`sha256:[0-9a-f]{64}`), "DIGEST"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\b[0-9]{1,3}(\.[0-9]{1,3}){3}\b`), "IP"},
	{regexp.MustCompile(`-[0-9a-f]{8,10}\b|-[0-9]{8,10}\b|-[bcdfghjklmnpqrstvwxz2456789]{5}\b|` +
		`-[bcdfghjklmnpqrstvwxz2456789]{10}\b`), "-RANDOM"},
	{regexp.MustCompile(`\b([0-9]+[hms])+\b`), "AGE"},
	{regexp.MustCompile(`\b[0-9a-f]{8}\b`), "HASH"},
}

// fixedWords replaces what is other at each run in a name or a message.
func fixedWords(s string) string {
	for _, v := range variable {
		s = v.pattern.ReplaceAllString(s, v.by)
	}
	return s
}

// addObjects adds what a namespace has: kinds and names, labels, annotations, finalizers, owners, keys of data.
func (c *cluster) addObjects(t *testing.T, all facts, namespace string) {
	t.Helper()
	kinds, err := state.Kinds(c.discovery)
	if err != nil {
		t.Fatal(err)
	}
	for _, gvr := range kinds {
		if slices.Contains(passing, gvr.Resource) {
			continue
		}
		list, err := c.dynamic.Resource(gvr).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			continue // a kind without namespaces
		}
		for i := range list.Items {
			id := namespace + " " + gvr.GroupResource().String() + " " + fixedWords(list.Items[i].GetName())
			all.add("objects", id)
			all.addMetadata("object "+id, &list.Items[i])
		}
	}
}

// addNamespace adds the metadata of a namespace.
func (c *cluster) addNamespace(t *testing.T, all facts, name string) {
	t.Helper()
	r, _, err := c.one("namespaces", name)
	if err != nil {
		t.Fatal(err)
	}
	o, err := r.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	all.addMetadata("object namespaces "+name, o)
}

// addMetadata adds labels, annotations, finalizers, owners, and the keys of a Secret or ConfigMap. Of annotations only
// the keys count: their values are often long.
func (f facts) addMetadata(part string, o *unstructured.Unstructured) {
	f.add(part, "there")
	for key, value := range o.GetLabels() {
		if key == "machine-template-hash" {
			value = "HASH"
		}
		f.add(part, "label "+fixedWords(key)+"="+fixedWords(value))
	}
	for key := range o.GetAnnotations() {
		f.add(part, "annotation "+key)
	}
	for _, finalizer := range o.GetFinalizers() {
		f.add(part, "finalizer "+finalizer)
	}
	for _, owner := range o.GetOwnerReferences() {
		f.add(part, "owner "+owner.Kind+" "+fixedWords(owner.Name))
	}
	kind := strings.ToLower(o.GetKind())
	if kind != "secret" && kind != "configmap" {
		return
	}
	for _, field := range []string{"data", "binaryData"} {
		data, _, _ := unstructured.NestedMap(o.Object, field)
		for key := range data {
			f.add(part, "key "+key)
		}
	}
}

func TestFixedWords(t *testing.T) {
	for text, want := range map[string]string{
		"kube-apiserver load balancer is not provisioned; 12s since creation.": "kube-apiserver load balancer is not " +
			"provisioned; AGE since creation.",
		"Machine kv-00-fx2cd-q5zlm: VMNotReady: ": "Machine kv-00-RANDOM-RANDOM: VMNotReady: ",
		"Target config: 0badc0de":                 "Target config: HASH",
		"endpoint 127.0.217.32 is not healthy":    "endpoint IP is not healthy",
		"token-kv-00-e750cc34":                    "token-kv-00-RANDOM",
	} {
		if got := fixedWords(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestDifferencesHaveReasons compares the differences that were found, at rest and on the way, with the table in
// docs/dev/sandbox.md, whose first column has regular expressions: each difference needs a reason, and each reason a
// difference.
func TestDifferencesHaveReasons(t *testing.T) {
	var file []byte
	for _, name := range []string{differencesFile, passedFile} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, text...)
	}
	reasons := map[*regexp.Regexp]bool{}
	for _, pattern := range knownDifferences(t) {
		reasons[pattern] = false
	}
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "+ ") && !strings.HasPrefix(line, "- ") {
			continue
		}
		known := false
		for pattern := range reasons {
			if pattern.MatchString(line) {
				known, reasons[pattern] = true, true
			}
		}
		if !known {
			t.Errorf("docs/dev/sandbox.md has no reason for: %s", line)
		}
	}
	for pattern, used := range reasons {
		if !used {
			t.Errorf("docs/dev/sandbox.md has a reason for what is no difference: %s", pattern)
		}
	}
}

// knownDifferences are the first column of the table in docs/dev/sandbox.md.
func knownDifferences(t *testing.T) []*regexp.Regexp {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "dev", "sandbox.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "\n### Differences that remain\n")
	if !found {
		t.Fatal("docs/dev/sandbox.md has no list of the differences that remain")
	}
	table, _, _ = strings.Cut(table, "\n## ")
	var patterns []*regexp.Regexp
	for _, row := range regexp.MustCompile("(?m)^\\| `(.*)` \\| (.+) \\|$").FindAllStringSubmatch(table, -1) {
		patterns = append(patterns, regexp.MustCompile("^(?:"+strings.ReplaceAll(row[1], `\|`, "|")+")$"))
	}
	return patterns
}

func TestFactsDiffer(t *testing.T) {
	simulated, vendors := facts{}, facts{}
	for _, f := range []facts{simulated, vendors} {
		f.add("objects", "both")
		f.add("object both", "there")
	}
	vendors.add("objects", "more")
	vendors.add("object more", "label a=b")
	vendors.add("object both", "key x")
	simulated.add("condition", "A")
	got := strings.Join(simulated.differences(vendors), "|")
	if want := "+ object both: key x|+ objects: more|- condition: A"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPassingStates(t *testing.T) {
	for line, want := range map[string][]string{
		`hostedclusters Available=False ComponentsNotAvailable "Waiting for components to be available: etcd, oauth-openshift"`: {
			`hostedclusters Available=False ComponentsNotAvailable "Waiting for components to be available: NAMES"`},
		`hostedclusters Degraded=True UnavailableReplicas "[etcd deployment has 1 unavailable replicas, cluster-api deployment has 2 unavailable replicas]"`: {
			`hostedclusters Degraded=True UnavailableReplicas "NAME deployment has N unavailable replicas"`},
		`hostedclusters ClusterVersionProgressing=True X "Working towards 4.20.3: 90 of 900 done (10% complete)"`: {
			`hostedclusters ClusterVersionProgressing=True X "Working towards 4.20.3: N of N done (N% complete)"`},
		`nodepools AllMachinesReady=False A,B "2 of 3 machines are not ready\nMachine x: A: one\nMachine x: B: two\n"`: {
			`nodepools AllMachinesReady=False A "N of N machines are not ready\nMachine x: A: one\n"`,
			`nodepools AllMachinesReady=False B "N of N machines are not ready\nMachine x: B: two\n"`},
		`nodepools AllNodesHealthy=False B "Machine x: A\nMachine x: B\n"`: {
			`nodepools AllNodesHealthy=False A "Machine x: A\n"`, `nodepools AllNodesHealthy=False B "Machine x: B\n"`},
	} {
		if got := passingStates(line); !slices.Equal(got, want) {
			t.Errorf("%s is\n%s, want\n%s", line, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestPassedFileRoundTrip(t *testing.T) {
	known := map[string]byte{"created: a": '=', "created: b": '+', "no address: c": '-'}
	if got := parsePassed([]byte(formatPassed(known))); !maps.Equal(got, known) {
		t.Errorf("%v, want %v", got, known)
	}
}
