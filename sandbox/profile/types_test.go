package profile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// The version matrix of the vendors' documents in full; the table computes it.
func TestGenerations(t *testing.T) {
	const upTo51 = "5.1 5.0 4.23 4.22 4.21 4.20 4.19 4.18 4.17 4.16 4.15 4.14"
	for name, want := range map[string]struct {
		kubeVirt, channels, hosted, component, acm string
		validates                                  bool
	}{
		"ocp-4.12": {"v0.58.1", "stable-2.2", "4.13 4.12 4.11", "hypershift-preview", "release-2.7", false},
		"ocp-4.13": {"v0.59.2", "stable-2.3", "4.13 4.12 4.11", "hypershift-preview", "release-2.8", false},
		"ocp-4.14": {"v1.0.1", "stable-2.4 stable-2.5 stable-2.6", "4.16 4.15 4.14 4.13", "hypershift", "release-2.11", true},
		"ocp-4.15": {"v1.1.1", "stable-2.5", "4.15 4.14 4.13", "hypershift", "release-2.10", true},
		"ocp-4.16": {"v1.2.2", "stable-2.6 stable-2.7 stable-2.8", "4.18 4.17 4.16 4.15 4.14", "hypershift", "release-2.13",
			true},
		"ocp-4.17": {"v1.3.1", "stable-2.7", "4.17 4.16 4.15 4.14", "hypershift", "release-2.12", true},
		"ocp-4.18": {"v1.4.1", "stable-2.8", "4.18 4.17 4.16 4.15 4.14", "hypershift", "release-2.13", true},
		"ocp-4.19": {"v1.5.3", "stable-2.9", "4.19 4.18 4.17 4.16 4.15 4.14", "hypershift", "release-2.14", true},
		"ocp-4.20": {"v1.6.2", "stable-2.10", "4.20 4.19 4.18 4.17 4.16 4.15 4.14", "hypershift", "release-2.15", true},
		"ocp-4.21": {"v1.7.0", "stable-2.11", "4.21 4.20 4.19 4.18 4.17 4.16 4.15 4.14", "hypershift", "release-2.16", true},
		"ocp-4.22": {"v1.8.4", "stable-2.17", "4.22 4.21 4.20 4.19 4.18 4.17 4.16 4.15 4.14", "hypershift", "release-2.17",
			true},
		"ocp-4.23": {"v1.9.0", "stable-5.0", upTo51, "hypershift", "release-5.0", true},
		"ocp-5.0":  {"v1.9.0", "stable-5.0", upTo51, "hypershift", "release-5.0", true},
		"ocp-5.1":  {"v1.9.0", "stable-5.1", upTo51, "hypershift", "release-5.1", true},
	} {
		p, err := profile.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		var channels []string
		for _, c := range p.MCEChannels {
			channels = append(channels, c.Name)
		}
		m := p.MCE()
		for what, pair := range map[string][2]string{
			"OpenShift":          {"ocp-" + p.Minor(), name},
			"KubeVirt":           {p.KubeVirt, want.kubeVirt},
			"MCE channels":       {strings.Join(channels, " "), want.channels},
			"hosted versions":    {strings.Join(m.HostedVersions, " "), want.hosted},
			"component":          {m.Component, want.component},
			"ACM of the same":    {m.ACMChannel, want.acm},
			"newest MCE version": {m.Version, strings.TrimPrefix(m.Name, "stable-") + ".1"},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: %s: %s, want %s", name, what, pair[0], pair[1])
			}
		}
		if preview := m.Component == "hypershift-preview"; m.ComponentDefault == preview {
			t.Errorf("%s: MCE %s: on by default %v", name, m.Name, m.ComponentDefault)
		}
		if m.ValidatesInfra != want.validates {
			t.Errorf("%s: MCE %s looks at the infrastructure: %v", name, m.Name, m.ValidatesInfra)
		}
	}
}

func TestMCEByVersion(t *testing.T) {
	p, err := profile.Get("ocp-4.14")
	if err != nil {
		t.Fatal(err)
	}
	c, ok := p.MCEByVersion("2.4.0")
	if !ok || c.Name != "stable-2.4" || c.Version != "2.4.0" || c.ValidatesInfra ||
		!slices.Equal(c.HostedVersions, []string{"4.14", "4.13", "4.12"}) || c.LeastOnKubeVirt != "4.14" {
		t.Errorf("2.4.0 is %+v, %v", c, ok)
	}
	if _, ok := p.MCEByVersion("2.3.0"); ok {
		t.Error("2.3.0 is on no channel, yet found")
	}
}

func TestOpenShiftOf(t *testing.T) {
	for operator, want := range map[string]string{"1.16.0": "4.20", "1.18.0": "4.22", "1.19.0": "5.0", "4.20.1": "4.20.1",
		"2.10.1": "2.10.1", "1": "1"} {
		if got := profile.OpenShiftOf(operator); got != want {
			t.Errorf("%q: %q, want %q", operator, got, want)
		}
	}
}

func TestKubeVirtOf(t *testing.T) {
	for operator, want := range map[string]string{"4.20.1": "v1.6.2", "1.16.0": "v1.6.2", "1.18.0": "v1.8.4",
		"4.23.0": "v1.9.0", "5.0.0": "v1.9.0", "1.20.0": "v1.9.0",
		"4.12.0": "v0.58.1", "": "", "x": ""} {
		if got := profile.KubeVirtOf(operator); got != want {
			t.Errorf("%q: %q, want %q", operator, got, want)
		}
	}
}

// TestMinorNumber: 4.23 and 5.0 are one minor version (HyperShift, support/supportedversion).
func TestMinorNumber(t *testing.T) {
	for version, want := range map[string]int{"4.20": 20, "4.23.1": 23, "5.0": 23, "5.1.0-rc.1": 24,
		"6.0.0": -1, "x": -1} {
		if got := profile.MinorNumber(version); got != want {
			t.Errorf("%s: %d, want %d", version, got, want)
		}
	}
	for number, want := range map[int]string{22: "4.22", 23: "4.23 5.0", 24: "5.1"} {
		if got := strings.Join(profile.MinorNames(number), " "); got != want {
			t.Errorf("%d: %s, want %s", number, got, want)
		}
	}
	if p, err := profile.Get("ocp-5.1"); err != nil || p.Y() != 24 {
		t.Errorf("5.1 is %d, %v", p.Y(), err)
	}
}

func TestUnknownProfileNamesThoseThereAre(t *testing.T) {
	_, err := profile.Get("ocp-3.11")
	if err == nil || !strings.Contains(err.Error(), "disconnected, disconnected-mirrored, gitops, newest, no-olm") {
		t.Errorf("error %v does not list the profiles", err)
	}
}
