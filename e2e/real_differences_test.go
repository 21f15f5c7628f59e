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
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/internal/sandbox"
)

// differencesFile has the differences that docs/dev/sandbox.md gives reasons for.
var differencesFile = filepath.Join("testdata", "real", "differences.txt")

// settledFor is how long the conditions of a hosted cluster must not change before they are compared.
const settledFor = 8 * time.Second

// lookAgain is the time between two looks at a hosted cluster that is to come to rest.
const lookAgain = 500 * time.Millisecond

// restTime is how long a hosted cluster may take to come to rest. The operators look at their own pace: on a busy
// machine, the vendor's control-plane-operator needs a minute for a look at all of its components.
const restTime = 5 * time.Minute

// milestone is a state of a hosted cluster in which it stays until somebody changes something.
type milestone struct {
	name string
	// pool, if not empty, is a merge patch of the pool of addresses before the commands; $RANGE is the test's own.
	pool     string
	commands []string
	// reached are conditions that tell that the hosted cluster is there.
	reached []string
}

// life is what both HyperShifts are compared in.
var life = []milestone{
	{
		name: "no address", pool: `{"spec":{"autoAssign":false,"addresses":["$RANGE"]}}`,
		commands: []string{
			// The vendor's operator changes the IngressController when it starts, so the routers roll out.
			"bootstrap --only ingress --yes",
			"create cluster --name kv-00 --infra-id kv-00-infra --version 4.20.3 --node-pool-replicas 0 --wait none " +
				"--skip-preflight load-balancer --yes",
		},
		reached: []string{"hostedclusters InfrastructureReady=False", "hostedcontrolplanes InfrastructureReady=False"},
	},
	{
		name: "no nodes", pool: `{"spec":{"autoAssign":true}}`,
		commands: []string{"wait cluster kv-00 --for condition=Available"},
		reached: []string{"hostedclusters Degraded=False", "hostedclusters ClusterVersionProgressing=True",
			"nodepools AllMachinesReady=", "nodepools Ready=True"},
	},
	{
		name: "created", commands: []string{"scale kv-00 --replicas 2 --yes", "wait cluster kv-00"},
		reached: []string{"hostedclusters Degraded=False", "hostedclusters ClusterVersionProgressing=False",
			"nodepools AllNodesHealthy=True", "nodepools UpdatingConfig=False", "nodepools UpdatingVersion=False",
			"nodepools UpdatingPlatformMachineTemplate=False"},
	},
	{
		name: "scaled", commands: []string{"scale kv-00 --replicas 3 --yes"},
		reached: []string{"nodepools AllNodesHealthy=True", "nodepools AllMachinesReady=True"},
	},
	{
		name: "upgraded", commands: []string{"upgrade cluster kv-00 --version 4.20.8 --yes"},
		reached: []string{"hostedclusters Degraded=False", "hostedclusters ClusterVersionProgressing=False",
			"nodepools AllNodesHealthy=True", "nodepools UpdatingVersion=False", "nodepools UpdatingConfig=False"},
	},
	{
		name: "paused", commands: []string{"pause kv-00 --yes"},
		reached: []string{"hostedclusters ReconciliationActive=False", "hostedcontrolplanes ReconciliationActive=False"},
	},
	{
		name: "resumed", commands: []string{"resume kv-00 --yes"},
		reached: []string{"hostedclusters ReconciliationActive=True", "hostedcontrolplanes ReconciliationActive=True"},
	},
	{name: "deleted", commands: []string{"delete cluster kv-00 --yes"}},
}

// TestRealDifferences does the same with the vendor's HyperShift and with the simulated one, and compares what users
// can see at each milestone and on the way there.
func TestRealDifferences(t *testing.T) {
	s := settingsFor(t)
	if os.Getenv(vendorsOwn) == "" {
		t.Skip("make test-real runs it: it needs the programs that make sandbox-real builds")
	}
	vendors := live(t, s, "--hypershift", "real")
	simulated := live(t, s, "--guests", "1")
	vendors.passed.record(t, '+')
	simulated.passed.record(t, '-')
	var out strings.Builder
	out.WriteString("What the vendor's HyperShift has (+) and the simulated one (-): docs/dev/sandbox.md has the reasons.\n" +
		"HCCTL_E2E_REAL=1 UPDATE=1 go test ./e2e -run TestRealDifferences writes this file.\n\n")
	for _, line := range differencesOf(simulated.rested, vendors.rested) {
		out.WriteString(line + "\n")
	}
	golden.File(t, differencesFile, out.String())
}

// lived is what was seen of a hosted cluster: at rest, by milestone as in life, and on the way.
type lived struct {
	rested []facts
	passed *passed
}

// live takes a hosted cluster through its life in a new sandbox.
func live(t *testing.T, s settings, flags ...string) lived {
	t.Helper()
	flags = append([]string{"--profile", "ready", "--speed", "10"}, flags...)
	dir := t.TempDir()
	if os.Getenv("HCCTL_E2E_KEEP") != "" {
		var err error
		if dir, err = os.MkdirTemp("", "hcctl-e2e-"); err != nil { //nolint:usetesting // it is to outlive the test
			t.Fatal(err)
		}
		t.Logf("the sandbox is kept in %s", dir)
	}
	p, err := sandbox.Launch(t.Context(), s.sandboxProgram, dir, flags...)
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
	addresses := (&harness{settings: s}).addresses()
	out := lived{passed: watchConditions(t, p.Kubeconfig)}
	for _, m := range life {
		out.passed.phase(m.name)
		if m.pool != "" {
			c.patchPool(t, strings.ReplaceAll(m.pool, "$RANGE", addresses))
		}
		for _, command := range m.commands {
			runHcctl(t, s, p.Kubeconfig, strings.Fields(command))
		}
		out.rested = append(out.rested, c.restsAt(t, m))
	}
	return out
}

func runHcctl(t *testing.T, s settings, kubeconfig string, args []string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), s.hcctl, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, text)
	}
}

func (c *cluster) patchPool(t *testing.T, patch string) {
	t.Helper()
	r, name, err := c.one("ipaddresspools.metallb.io", "metallb-system/metallb")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
}

// restsAt waits until a milestone is reached and nothing changes any more, and returns what is there.
func (c *cluster) restsAt(t *testing.T, m milestone) facts {
	t.Helper()
	all := facts{}
	if len(m.reached) > 0 {
		for _, line := range c.awaitRest(t, m) {
			all.add("condition", line)
		}
		c.addObjects(t, all, "clusters-kv-00")
		c.addNamespace(t, all, "clusters-kv-00")
	}
	c.addObjects(t, all, "clusters")
	return all
}

// awaitRest waits until the conditions of a milestone are there and none changes for a while.
func (c *cluster) awaitRest(t *testing.T, m milestone) []string {
	t.Helper()
	var lines []string
	since := time.Now()
	err := wait.PollUntilContextTimeout(t.Context(), lookAgain, restTime, true, func(context.Context) (bool, error) {
		c.haveOperatorLook(t)
		now := c.conditions(t)
		if !slices.Equal(now, lines) {
			lines, since = now, time.Now()
		}
		for _, start := range m.reached {
			if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, start) }) {
				return false, nil
			}
		}
		return time.Since(since) >= settledFor, nil
	})
	if err != nil {
		t.Fatalf("%s: no rest: %v\n%s", m.name, err, strings.Join(lines, "\n"))
	}
	return lines
}

// haveOperatorLook makes a change to the NodePool that means nothing. The vendor's operator looks at a pool's
// conditions in another order each time, and stops at the first that it has to wait for: all take many looks.
func (c *cluster) haveOperatorLook(t *testing.T) {
	t.Helper()
	r, name, err := c.one("nodepools.hypershift.openshift.io", "clusters/kv-00")
	if err != nil {
		t.Fatal(err)
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"e2e.hcctl.dev/look":"%d"}}}`, time.Now().UnixNano())
	if _, err := r.Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Logf("the operator is not made to look again: %v", err)
	}
}

// hostedKinds are the objects whose conditions are compared.
var hostedKinds = map[string]string{
	"hostedclusters.hypershift.openshift.io":      "clusters/kv-00",
	"nodepools.hypershift.openshift.io":           "clusters/kv-00",
	"hostedcontrolplanes.hypershift.openshift.io": "clusters-kv-00/kv-00",
}

// conditions returns sorted lines about the conditions of a hosted cluster, as far as it exists.
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
			continue
		}
		lines = append(lines, conditionLines(kind, o)...)
	}
	slices.Sort(lines)
	return lines
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

// differencesOf has a line for each difference, at the first milestone that has it.
func differencesOf(simulated, vendors []facts) []string {
	var lines []string
	told := map[string]bool{}
	for i := range min(len(simulated), len(vendors)) {
		for _, line := range simulated[i].differences(vendors[i]) {
			if told[line] {
				continue
			}
			told[line] = true
			lines = append(lines, line[:2]+life[i].name+": "+line[2:])
		}
	}
	return lines
}

// facts are sorted lines, by the part of the cluster that they are about.
type facts map[string][]string

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
