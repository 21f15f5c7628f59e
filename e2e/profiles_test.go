package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// generations are the profiles in which bootstrap must make a bare cluster ready, with their differences: the matching
// channel of multicluster engine (from Red Hat's matrix), the name of its component, and whether Data Foundation has
// StorageSystems. oldest and newest are the minor versions of the hosted clusters that are then created, the Y of 4.Y;
// none for 0. OpenShift 4.12 and 4.20 have scripts of their own, too (testdata/sandbox/story-4.12, testdata/story).
//
// make test runs the newest, without hosted clusters; make test-all also runs the others (inAll).
var generations = []struct {
	profile, channel, component, storageSystems string
	oldest, newest                              int
	inAll                                       bool
}{
	{"ocp-4.12", "stable-2.2", "hypershift-preview", "1", 12, 13, true},
	{"ocp-4.13", "stable-2.3", "hypershift-preview", "1", 12, 13, true},
	{"ocp-4.14", "stable-2.6", "hypershift", "1", 14, 16, true},
	{"ocp-4.15", "stable-2.5", "hypershift", "1", 14, 15, true},
	{"ocp-4.16", "stable-2.8", "hypershift", "1", 14, 18, true},
	{"ocp-4.17", "stable-2.7", "hypershift", "1", 14, 17, true},
	{"ocp-4.18", "stable-2.8", "hypershift", "1", 14, 18, true},
	{"ocp-4.19", "stable-2.9", "hypershift", "0", 14, 19, true},
	{"ocp-4.20", "stable-2.10", "hypershift", "0", 14, 20, true},
	{"ocp-4.21", "stable-2.11", "hypershift", "0", 14, 21, false},
	{"ocp-4.22", "stable-2.17", "hypershift", "0", 0, 0, true},
	{"compact", "stable-2.10", "hypershift", "0", 0, 0, true},
	{"acm", "stable-2.10", "hypershift", "0", 0, 0, true},
	{"disconnected-mirrored", "stable-2.10", "hypershift", "0", 0, 0, true},
}

// hostedReleases are the releases of hosted clusters that are created and upgraded to, by the Y of 4.Y: each has a
// ClusterImageSet in the sandbox.
var hostedReleases = map[int]string{
	12: "4.12.60", 13: "4.13.40", 14: "4.14.38", 15: "4.15.44", 16: "4.16.37", 17: "4.17.27", 18: "4.18.18",
	19: "4.19.16", 20: "4.20.8", 21: "4.21.4",
}

// TestGenerations runs the scripts of testdata/profile on every generation, with all hosted clusters it can have.
func TestGenerations(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: a real cluster is of one generation")
	}
	bootstrap, err := os.ReadFile(filepath.Join("testdata", "profile", "bootstrap.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range generations {
		t.Run(g.profile, func(t *testing.T) {
			if g.inAll && !s.all {
				t.Skip("make test-all runs it: make test has 4.12, 4.20 and 4.21")
			}
			t.Parallel()
			script := string(bootstrap)
			if s.all && g.oldest > 0 {
				script += hostedOfEachMinor(g.oldest, g.newest)
			}
			file := filepath.Join(t.TempDir(), "bootstrap.txtar")
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			testscript.Run(t, params(s, []string{file}, func(env *testscript.Env) error {
				env.Setenv("PROFILE", g.profile)
				env.Setenv("CHANNEL", g.channel)
				env.Setenv("COMPONENT", g.component)
				env.Setenv("STORAGESYSTEMS", g.storageSystems)
				return nil
			}))
		})
	}
}

// hostedOfEachMinor is a script that creates hosted clusters of the oldest and the newest minor version, and of 4.14 to
// 4.21 all, has the oldest go to the newest minor by minor, and deletes them. Each is Completed, and its pool has its
// release.
func hostedOfEachMinor(oldest, newest int) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	runs := func(name, release string) {
		line("object hostedclusters.hypershift.openshift.io clusters/%s '.status.version.history[0].state' == Completed "+
			"'.status.version.history[0].version' == %s '.status.conditions[?(@.type==\"Available\")].status' == True", name,
			release)
		line("object nodepools.hypershift.openshift.io clusters/%s .status.version == %s .status.replicas == 1", name,
			release)
	}
	line("\n# Hosted clusters of each minor version, and the way from the oldest to the newest.")
	line("exits 0 hcctl support")
	line("! stdout ' (known|untested|unknown) '")
	gone := func(name string) {
		line("exits 0 hcctl delete cluster %s --yes", name)
		line("absent hostedclusters.hypershift.openshift.io clusters/%s", name)
		line("absent namespaces clusters-%s", name)
	}
	// No more than two at a time: a sandbox has API servers for three.
	name := func(y int) string { return fmt.Sprintf("kv-%d", y) }
	for y := oldest; y <= newest; y++ {
		if newest < 21 && y != oldest && y != newest {
			continue
		}
		line("exits 0 hcctl create cluster --name %s --yes --node-pool-replicas 1 --version %s", name(y), hostedReleases[y])
		runs(name(y), hostedReleases[y])
		if y != oldest {
			gone(name(y))
		}
	}
	for y := oldest + 1; y <= newest; y++ {
		line("exits 0 hcctl upgrade cluster %s --version %s --yes", name(oldest), hostedReleases[y])
		runs(name(oldest), hostedReleases[y])
	}
	gone(name(oldest))
	return b.String()
}

// TestHostedOfEachMinor: with the newest generation all minor versions are created, and every step is an upgrade.
func TestHostedOfEachMinor(t *testing.T) {
	created, upgraded := map[string]bool{}, map[string]bool{}
	for _, g := range generations {
		for _, line := range strings.Split(hostedOfEachMinor(g.oldest, g.newest), "\n") {
			words := strings.Fields(line)
			release := func(flag string) string { return words[slices.Index(words, flag)+1] }
			switch {
			case g.oldest == 0:
			case strings.HasPrefix(line, "exits 0 hcctl create cluster"):
				created[release("--version")] = true
			case strings.HasPrefix(line, "exits 0 hcctl upgrade cluster"):
				upgraded[release("--version")] = true
			}
		}
	}
	for y, release := range hostedReleases {
		if !created[release] {
			t.Errorf("no hosted cluster of %s is created", release)
		}
		// HyperShift of 4.14 and later creates none before 4.14 on KubeVirt, so nothing leads to it.
		if !upgraded[release] && y != 12 && y != 14 {
			t.Errorf("no hosted cluster is upgraded to %s", release)
		}
	}
}
