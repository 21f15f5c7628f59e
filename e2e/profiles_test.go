package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

type generation struct {
	profile, channel, component, storageSystems string
	oldest, newest                              string
}

// generations are the profiles in which bootstrap must make a bare cluster ready, with their differences: the matching
// channel of multicluster engine (from Red Hat's matrix), the name of its component, and whether Data Foundation has
// StorageSystems. oldest and newest are the minor versions of the hosted clusters that are then created; none for "".
// OpenShift 4.12 and 4.20 have scripts of their own, too (testdata/sandbox/story-4.12, testdata/story).
//
// make test runs 4.21, without hosted clusters and with what uninstall does; make test-all also runs these.
var generations = []generation{
	{"ocp-4.12", "stable-2.2", "hypershift-preview", "1", "4.12", "4.13"},
	{"ocp-4.13", "stable-2.3", "hypershift-preview", "1", "4.12", "4.13"},
	{"ocp-4.14", "stable-2.6", "hypershift", "1", "4.14", "4.16"},
	{"ocp-4.15", "stable-2.5", "hypershift", "1", "4.14", "4.15"},
	{"ocp-4.16", "stable-2.8", "hypershift", "1", "4.14", "4.18"},
	{"ocp-4.17", "stable-2.7", "hypershift", "1", "4.14", "4.17"},
	{"ocp-4.18", "stable-2.8", "hypershift", "1", "4.14", "4.18"},
	{"ocp-4.19", "stable-2.9", "hypershift", "0", "4.14", "4.19"},
	{"ocp-4.20", "stable-2.10", "hypershift", "0", "4.14", "4.20"},
	{"ocp-4.21", "stable-2.11", "hypershift", "0", "4.14", "4.21"},
	{"ocp-4.22", "stable-2.17", "hypershift", "0", "4.19", "4.22"},
	{"ocp-4.23", "stable-5.0", "hypershift", "0", "4.22", "5.0"},
	{"ocp-5.0", "stable-5.0", "hypershift", "0", "4.22", "5.1"},
	{"ocp-5.1", "stable-5.1", "hypershift", "0", "4.21", "5.1"},
	{"compact", "stable-2.10", "hypershift", "0", "", ""},
	{"acm", "stable-2.10", "hypershift", "0", "", ""},
	{"disconnected-mirrored", "stable-2.10", "hypershift", "0", "", ""},
}

// hostedReleases are the releases of hosted clusters that are created and upgraded to, one of each minor version and of
// each name of it, oldest first: each has a ClusterImageSet in the sandbox.
var hostedReleases = []string{
	"4.12.60", "4.13.40", "4.14.38", "4.15.44", "4.16.37", "4.17.27", "4.18.18", "4.19.16", "4.20.8", "4.21.4", "4.22.2",
	"4.23.0", "5.0.1", "5.1.0",
}

// hostedFrom are the hosted releases from a minor version to another, both included.
func hostedFrom(oldest, newest string) []string {
	of := func(minor string) int {
		return slices.IndexFunc(hostedReleases, func(release string) bool { return strings.HasPrefix(release, minor+".") })
	}
	if oldest == "" {
		return nil
	}
	return hostedReleases[of(oldest) : of(newest)+1]
}

// TestGenerations runs the scripts of testdata/profile on every generation, with all hosted clusters it can have.
func TestGenerations(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: a real cluster is of one generation")
	}
	bootstrap := profileScript(t, "bootstrap")
	for _, g := range generations {
		t.Run(g.profile, func(t *testing.T) {
			if !s.all {
				t.Skip("make test-all runs it: make test has 4.12, 4.20 and 4.21")
			}
			t.Parallel()
			script := *bootstrap
			if g.oldest != "" {
				hosted := hostedOfEachMinor(hostedFrom(g.oldest, g.newest), slices.Contains(eachCreated, g.profile))
				script.Comment = append(slices.Clone(script.Comment), hosted...)
			}
			runGeneration(t, s, g, &script)
		})
	}
	t.Run("uninstall", func(t *testing.T) {
		t.Parallel()
		uninstalls(t, s)
	})
}

// profileScript reads a script of testdata/profile.
func profileScript(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	script, err := txtar.ParseFile(filepath.Join("testdata", "profile", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return script
}

// uninstalls takes OpenShift 4.21 from bare to ready and back.
func uninstalls(t *testing.T, s settings) {
	t.Helper()
	of := slices.IndexFunc(generations, func(g generation) bool { return g.profile == "ocp-4.21" })
	there, back := profileScript(t, "bootstrap"), profileScript(t, "uninstall")
	runGeneration(t, s, generations[of], &txtar.Archive{Comment: slices.Concat(there.Comment, back.Comment),
		Files: slices.Concat(there.Files, back.Files)})
}

func runGeneration(t *testing.T, s settings, g generation, script *txtar.Archive) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bootstrap.txtar")
	if err := os.WriteFile(file, txtar.Format(script), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, params(s, []string{file}, func(env *testscript.Env) error {
		env.Setenv("PROFILE", g.profile)
		env.Setenv("CHANNEL", g.channel)
		env.Setenv("COMPONENT", g.component)
		env.Setenv("STORAGESYSTEMS", g.storageSystems)
		return nil
	}))
}

// eachCreated are the profiles on which a hosted cluster of each minor version is created, and not of the oldest and
// the newest alone.
var eachCreated = []string{"ocp-4.21", "ocp-5.1"}

// hostedOfEachMinor is a script that creates hosted clusters of the first and the last release, or of each, has the
// first go to the last step by step, and deletes them. Each is Completed, and its pool has its release.
func hostedOfEachMinor(releases []string, each bool) string {
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
	name := func(release string) string { return "kv-" + strings.ReplaceAll(release, ".", "-") }
	first := releases[0]
	for i, release := range releases {
		if !each && i > 0 && i < len(releases)-1 {
			continue
		}
		line("exits 0 hcctl create cluster --name %s --yes --node-pool-replicas 1 --version %s", name(release), release)
		runs(name(release), release)
		if i > 0 {
			gone(name(release))
		}
	}
	for _, release := range releases[1:] {
		if strings.HasPrefix(release, "4.23.") { // both names of the next minor version are on offer
			line("exits 0 hcctl upgrade cluster %s", name(first))
			line(`stdout '4\.23\.1 .*possible'`)
			line(`stdout '5\.0\.1 .*possible'`)
			line(`stdout '5\.1\.1 .*not now: '`)
		}
		line("exits 0 hcctl upgrade cluster %s --version %s --yes", name(first), release)
		runs(name(first), release)
	}
	gone(name(first))
	return b.String()
}

// TestHostedOfEachMinor: all minor versions are created, under each name, and every step is an upgrade.
func TestHostedOfEachMinor(t *testing.T) {
	created, upgraded := map[string]bool{}, map[string]bool{}
	for _, g := range generations {
		if g.oldest == "" {
			continue
		}
		script := hostedOfEachMinor(hostedFrom(g.oldest, g.newest), slices.Contains(eachCreated, g.profile))
		for _, line := range strings.Split(script, "\n") {
			words := strings.Fields(line)
			release := func(flag string) string { return words[slices.Index(words, flag)+1] }
			switch {
			case strings.HasPrefix(line, "exits 0 hcctl create cluster"):
				created[release("--version")] = true
			case strings.HasPrefix(line, "exits 0 hcctl upgrade cluster"):
				upgraded[release("--version")] = true
			}
		}
	}
	for _, release := range hostedReleases {
		if !created[release] {
			t.Errorf("no hosted cluster of %s is created", release)
		}
		// HyperShift of 4.14 and later creates none before 4.14 on KubeVirt, so nothing leads to it.
		if !upgraded[release] && !strings.HasPrefix(release, "4.12.") && !strings.HasPrefix(release, "4.14.") {
			t.Errorf("no hosted cluster is upgraded to %s", release)
		}
	}
}
