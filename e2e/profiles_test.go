package e2e

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// generations are the profiles in which bootstrap must make a bare cluster ready, with their differences: the matching
// channel of multicluster engine (from Red Hat's matrix), the name of its component, and whether Data Foundation has
// StorageSystems. OpenShift 4.12 and 4.20 have scripts of their own (testdata/sandbox/story-4.12, testdata/story).
//
// make test runs the newest, make test-all also runs the others (inAll).
var generations = []struct {
	profile, channel, component, storageSystems string
	inAll                                       bool
}{
	{"ocp-4.14", "stable-2.6", "hypershift", "1", true},
	{"ocp-4.16", "stable-2.8", "hypershift", "1", true},
	{"ocp-4.18", "stable-2.8", "hypershift", "1", true},
	{"ocp-4.21", "stable-2.11", "hypershift", "0", false},
	{"compact", "stable-2.10", "hypershift", "0", true},
	{"acm", "stable-2.10", "hypershift", "0", true},
	{"disconnected-mirrored", "stable-2.10", "hypershift", "0", true},
}

// TestGenerations runs the scripts of testdata/profile on every generation.
func TestGenerations(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: a real cluster is of one generation")
	}
	for _, g := range generations {
		t.Run(g.profile, func(t *testing.T) {
			if g.inAll && !s.all {
				t.Skip("make test-all runs it: make test has 4.12, 4.20 and 4.21")
			}
			t.Parallel()
			run(t, s, "testdata/profile", func(env *testscript.Env) error {
				env.Setenv("PROFILE", g.profile)
				env.Setenv("CHANNEL", g.channel)
				env.Setenv("COMPONENT", g.component)
				env.Setenv("STORAGESYSTEMS", g.storageSystems)
				return nil
			})
		})
	}
}
