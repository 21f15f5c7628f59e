package e2e

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// generations are the profiles on which bootstrap must get from bare to ready, with what differs between them: the
// channel of multicluster engine that fits (part of Red Hat's matrix of hubs), its component's name, whether Data
// Foundation still has StorageSystems. OpenShift 4.12 and 4.20 have stories of their own (testdata/sandbox/story-4.12,
// testdata/story).
//
// make test has the newest and the mirrored one beside the two stories; make test-all has the others (inAll) too.
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
	{"disconnected-mirrored", "stable-2.10", "hypershift", "0", false},
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
				t.Skip("make test-all runs it: make test has 4.12, 4.20, 4.21 and the mirrored one")
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
