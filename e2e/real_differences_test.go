package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/internal/sandbox"
)

// differencesFile has the differences that docs/sandbox.md gives reasons for.
var differencesFile = filepath.Join("testdata", "real", "differences.txt")

// TestRealDifferences does the same with the vendor's HyperShift and with the simulated one, and compares what users
// can see of it at each milestone. testdata/real/differences.txt has what differs.
func TestRealDifferences(t *testing.T) {
	s := settingsFor(t)
	if os.Getenv(vendorsOwn) == "" {
		t.Skip("make test-real runs it: it needs the programs that make sandbox-real builds")
	}
	seen := map[string]facts{}
	for name, flags := range map[string][]string{
		"real":      {"--hypershift", "real"},
		"simulated": {"--guests", "1"},
	} {
		seen[name] = milestones(t, s, append([]string{"--profile", "ready", "--speed", "10"}, flags...))
	}
	var out strings.Builder
	out.WriteString("What the vendor's HyperShift has (+) and the simulated one (-): docs/sandbox.md has the reasons.\n" +
		"HCCTL_E2E_REAL=1 UPDATE=1 go test ./e2e -run TestRealDifferences writes this file.\n\n")
	for _, line := range seen["simulated"].differences(seen["real"]) {
		out.WriteString(line + "\n")
	}
	golden.File(t, differencesFile, out.String())
}

// milestones takes a hosted cluster through its life and returns the facts about it.
func milestones(t *testing.T, s settings, flags []string) facts {
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
	c, err := connect(p.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), s.hcctl, args...)
		command.Env = append(os.Environ(), "KUBECONFIG="+p.Kubeconfig)
		if text, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, text)
		}
	}
	all := facts{}
	for _, m := range []struct {
		name string
		args []string
	}{
		// The routers of a recorded cluster roll out once more.
		{"", []string{"bootstrap", "--only", "ingress", "--yes"}},
		{"created", []string{"create", "cluster", "--name", "kv-00", "--infra-id", "kv-00-infra", "--version", "4.20.3",
			"--yes"}},
	} {
		run(m.args...)
		if m.name == "" {
			continue
		}
		c.awaitSettledPool(t)
		all.addConditions(m.name, c.conditions(t))
		if m.name == "created" {
			c.addObjects(t, all, "clusters-kv-00")
			c.addObjects(t, all, "clusters")
			c.addNamespace(t, all, "clusters-kv-00")
		}
	}
	return all
}

// hostedKinds are the objects whose conditions are compared.
var hostedKinds = map[string]string{
	"hostedclusters.hypershift.openshift.io":      "clusters/kv-00",
	"nodepools.hypershift.openshift.io":           "clusters/kv-00",
	"hostedcontrolplanes.hypershift.openshift.io": "clusters-kv-00/kv-00",
}

func (c *cluster) conditions(t *testing.T) []string {
	t.Helper()
	var lines []string
	for kind, at := range hostedKinds {
		r, name, err := c.one(kind, at)
		if err != nil {
			t.Fatal(err)
		}
		o, err := r.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, conditionLines(kind, o)...)
	}
	return lines
}

// awaitSettledPool waits until the NodePool is not being updated any more: hcctl does not wait for that.
func (c *cluster) awaitSettledPool(t *testing.T) {
	t.Helper()
	r, name, err := c.one("nodepools.hypershift.openshift.io", "clusters/kv-00")
	if err != nil {
		t.Fatal(err)
	}
	settled := func(ctx context.Context) (bool, error) {
		o, err := r.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		lines := strings.Join(conditionLines("", o), "\n")
		return !strings.Contains(lines, "UpdatingConfig=True") && !strings.Contains(lines, "UpdatingVersion=True") &&
			!strings.Contains(lines, "UpdatingPlatformMachineTemplate=True"), nil
	}
	if err := wait.PollUntilContextTimeout(t.Context(), time.Second, settles, true, settled); err != nil {
		t.Fatalf("the NodePool is being updated: %v", err)
	}
}

// conditionLines has a line for each condition, with the fixed words of its message.
func conditionLines(kind string, o *unstructured.Unstructured) []string {
	conditions, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
	if err != nil {
		return []string{err.Error()}
	}
	var lines []string
	for _, entry := range conditions {
		c, _ := entry.(map[string]any)
		message, _ := c["message"].(string)
		lines = append(lines, fmt.Sprintf("%s %v=%v %v %q", strings.TrimSuffix(kind, ".hypershift.openshift.io"), c["type"],
			c["status"], c["reason"], fixedWords(message)))
	}
	return lines
}

// facts are sorted lines, by the milestone or the part of the cluster that they are about.
type facts map[string][]string

func (f facts) addConditions(milestone string, lines []string) {
	for _, line := range lines {
		f.add(milestone, "condition "+line)
	}
}

func (f facts) add(part, line string) {
	if i, found := slices.BinarySearch(f[part], line); !found {
		f[part] = slices.Insert(f[part], i, line)
	}
}

// differences has a line for what only one of both has. Nothing is said about an object that only one has but that it
// is there.
func (f facts) differences(other facts) []string {
	var lines []string
	for _, side := range []struct {
		sign       string
		own, other facts
	}{{"-", f, other}, {"+", other, f}} {
		for part, own := range side.own {
			for _, line := range own {
				if _, found := slices.BinarySearch(side.other[part], line); found {
					continue
				}
				if strings.HasPrefix(part, "object ") && len(side.other[part]) == 0 {
					continue
				}
				lines = append(lines, fmt.Sprintf("%s %s: %s", side.sign, part, line))
			}
		}
	}
	slices.Sort(lines)
	return lines
}
