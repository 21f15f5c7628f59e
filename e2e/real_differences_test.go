package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/e2e/state"
	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/internal/sandbox"
)

// TestRealDifferences creates the same hosted cluster with the vendor's HyperShift and with the simulated one, and
// compares what users can see of it. Known differences are in testdata/real/differences.txt.
func TestRealDifferences(t *testing.T) {
	s := settingsFor(t)
	if os.Getenv(vendorsOwn) == "" {
		t.Skip("make test-real runs it: it needs the programs that make sandbox-real builds")
	}
	seen := map[string][]string{}
	for name, flags := range map[string][]string{
		"real":      {"--hypershift", "real"},
		"simulated": {"--guests", "1"},
	} {
		seen[name] = hostedClusterLines(t, s, append([]string{"--profile", "ready", "--speed", "10"}, flags...))
	}
	var out strings.Builder
	out.WriteString("What the vendor's HyperShift has of a complete hosted cluster (+) and the simulated one (-).\n" +
		"HCCTL_E2E_REAL=1 UPDATE=1 go test ./e2e -run TestRealDifferences writes this file.\n\n")
	for _, line := range difference(seen["simulated"], seen["real"], regexp.MustCompile("^$")) {
		out.WriteString(line + "\n")
	}
	golden.File(t, filepath.Join("testdata", "real", "differences.txt"), out.String())
}

// hostedClusterLines describes a complete hosted cluster, one sorted line for each fact.
func hostedClusterLines(t *testing.T, s settings, flags []string) []string {
	t.Helper()
	p, err := sandbox.Launch(t.Context(), s.sandboxProgram, t.TempDir(), flags...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}()
	create := exec.CommandContext(t.Context(), s.hcctl, "create", "cluster", "--name", "kv-00", "--infra-id",
		"kv-00-infra",
		"--version", "4.20.3", "--yes")
	create.Env = append(os.Environ(), "KUBECONFIG="+p.Kubeconfig)
	if text, err := create.CombinedOutput(); err != nil {
		t.Fatalf("create cluster: %v\n%s", err, text)
	}
	c, err := connect(p.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, kind := range []string{"hostedclusters", "nodepools"} {
		lines = append(lines, conditionLines(t, c, kind+".hypershift.openshift.io", "clusters/kv-00")...)
	}
	lines = append(lines, conditionLines(t, c, "hostedcontrolplanes.hypershift.openshift.io", "clusters-kv-00/kv-00")...)
	lines = append(lines, objectLines(t, c, "clusters-kv-00")...)
	slices.Sort(lines)
	return slices.Compact(lines)
}

func conditionLines(t *testing.T, c *cluster, kind, at string) []string {
	t.Helper()
	r, name, err := c.one(kind, at)
	if err != nil {
		t.Fatal(err)
	}
	o, err := r.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	conditions, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, entry := range conditions {
		c, _ := entry.(map[string]any)
		lines = append(lines, fmt.Sprintf("condition %s %v=%v %v", kind, c["type"], c["status"], c["reason"]))
	}
	return lines
}

// passing are kinds whose objects come and go with pods.
var passing = []string{"pods", "replicasets", "endpoints", "endpointslices", "events", "leases", "controllerrevisions",
	"packagemanifests", "persistentvolumeclaims"}

// random matches the parts of names that are other ones each time.
var random = regexp.MustCompile(`-[0-9a-f]{8,10}\b|-[0-9]{8,10}\b|-[bcdfghjklmnpqrstvwxz2456789]{5}\b`)

// objectLines lists the objects of a namespace by kind and name.
func objectLines(t *testing.T, c *cluster, namespace string) []string {
	t.Helper()
	kinds, err := state.Kinds(c.discovery)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, gvr := range kinds {
		if slices.Contains(passing, gvr.Resource) {
			continue
		}
		list, err := c.metadata.Resource(gvr).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			continue // a kind without namespaces
		}
		for i := range list.Items {
			lines = append(lines, "object "+gvr.GroupResource().String()+" "+
				random.ReplaceAllString(list.Items[i].Name, "-RANDOM"))
		}
	}
	return lines
}
