package reconciler

import (
	"testing"

	"github.com/hcctl/hcctl/sandbox/hypershift/release"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func TestProfilePayloadsAreInTheRegistry(t *testing.T) {
	for _, name := range profile.Names() {
		p, err := profile.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		r := release.Registry{Payload: p.ReleaseImage, PayloadVersion: p.OpenShift}
		got, err := r.Lookup(p.ReleaseImage)
		if err != nil {
			t.Errorf("profile %s: %v", name, err)
			continue
		}
		if err := FeaturesOf(p.MCE()).Supported(got.Version, ""); err != nil {
			t.Errorf("profile %s cannot host its own version: %v", name, err)
		}
	}
}

func TestSupportedVersions(t *testing.T) {
	to420 := Features{Versions: []string{"4.20", "4.19", "4.14", "4.13"}, LeastOnKubeVirt: "4.14"}
	p, err := profile.Get("ocp-5.0")
	if err != nil {
		t.Fatal(err)
	}
	to51 := FeaturesOf(p.MCE())
	for _, tc := range []struct{ version, current, want string }{
		{version: "4.23.1"}, {version: "5.0.1"}, {version: "5.0.1", current: "4.23.2"}, {version: "4.23.3", current: "5.0.1"},
		{version: "5.1.0", current: "4.23.1"}, {version: "5.0.0-rc.1", current: "4.22.9"}, {version: "4.14.0"},
		{version: "5.2.0", want: `the latest version supported is: "5.1". Attempting to use: "5.2.0"`},
		{version: "4.23.1", current: "5.1.0", want: `y-stream downgrade from "5.1.0" to "4.23.1" is not supported`},
		{version: "4.22.1", current: "5.0.0", want: `y-stream downgrade from "5.0.0" to "4.22.1" is not supported`},
		{version: "4.13.9",
			want: `the minimum version supported for platform KubeVirt is: "4.14". Attempting to use: "4.13.9"`},
	} {
		got := ""
		if err := to51.Supported(tc.version, tc.current); err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("with 5.0: supported(%s, %q) = %q, want %q", tc.version, tc.current, got, tc.want)
		}
	}
	for _, tc := range []struct{ version, current, want string }{
		{version: "4.20.3"},
		{version: "4.14.0"},
		{version: "4.20.1", current: "4.19.5"},
		{version: "4.21.0", want: `the latest version supported is: "4.20". Attempting to use: "4.21.0"`},
		{version: "4.13.9",
			want: `the minimum version supported for platform KubeVirt is: "4.14". Attempting to use: "4.13.9"`},
		{version: "4.18.2", current: "4.19.5", want: `y-stream downgrade from "4.19.5" to "4.18.2" is not supported`},
	} {
		err := to420.Supported(tc.version, tc.current)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("supported(%s, %q) = %q, want %q", tc.version, tc.current, got, tc.want)
		}
	}
}

// The webhooks of each multicluster-engine's operator.
func TestWebhooksOfVersions(t *testing.T) {
	for name, want := range map[string][]bool{ // defaulting, validating of each channel
		"ocp-4.12": {false, false}, "ocp-4.14": {true, false, true, true, true, true}, "ocp-4.21": {true, true},
	} {
		p, err := profile.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range p.MCEChannels {
			if g := FeaturesOf(c); g.Defaults != want[2*i] || g.Validates != want[2*i+1] {
				t.Errorf("%s %s: defaulting %v, validating %v", name, c.Name, g.Defaults, g.Validates)
			}
		}
	}
}
