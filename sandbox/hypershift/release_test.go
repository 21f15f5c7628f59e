package hypershift

import (
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/sandbox/profile"
)

func TestRegistryLookup(t *testing.T) {
	r := registry{payload: "quay.io/openshift-release-dev/ocp-release@sha256:abc", payloadVersion: "4.20.3"}
	for _, tc := range []struct{ image, version, arch, err string }{
		{image: "quay.io/openshift-release-dev/ocp-release@sha256:abc", version: "4.20.3", arch: "AMD64"},
		{image: releaseRepository + ":4.19.12-x86_64", version: "4.19.12", arch: "AMD64"},
		{image: releaseRepository + ":4.20.0-rc.1-multi", version: "4.20.0-rc.1", arch: "Multi"},
		{image: releaseRepository + ":4.20.3-aarch64", version: "4.20.3", arch: "ARM64"},
		{image: releaseRepository + ":4.20.3", err: msgManifestUnknown},
		{image: releaseRepository + ":4.99.0-multi", err: msgManifestUnknown},
		{image: releaseRepository + ":4.20.1000-multi", err: msgManifestUnknown},
		{image: releaseRepository + "@sha256:def", err: msgManifestUnknown},
		{image: "quay.io/other/image:4.20.3-multi", err: msgManifestUnknown},
		{image: "registry.example/ocp-release:4.20.3", err: "lookup registry.example: no such host"},
	} {
		got, err := r.lookup(tc.image)
		switch {
		case tc.err == "" && err != nil:
			t.Errorf("%s: unexpected error %v", tc.image, err)
		case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)):
			t.Errorf("%s: error %v, want it to contain %q", tc.image, err, tc.err)
		case got.Version != tc.version || string(got.Arch) != tc.arch:
			t.Errorf("%s: %+v, want version %s on %s", tc.image, got, tc.version, tc.arch)
		}
	}
}

func TestProfilePayloadsAreInTheRegistry(t *testing.T) {
	for _, name := range profile.Names() {
		p, err := profile.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		b := &base{}
		b.Profile = p
		got, err := b.registry().lookup(p.ReleaseImage)
		if err != nil {
			t.Errorf("profile %s: %v", name, err)
			continue
		}
		if err := generationOf(p.MCE()).supported(got.Version, ""); err != nil {
			t.Errorf("profile %s cannot host its own version: %v", name, err)
		}
	}
}

func TestSupportedVersions(t *testing.T) {
	g := generation{versions: []string{"4.20", "4.19", "4.14"}}
	for _, tc := range []struct{ version, current, want string }{
		{version: "4.20.3"},
		{version: "4.14.0"},
		{version: "4.20.1", current: "4.19.5"},
		{version: "4.21.0", want: `the latest version supported is: "4.20". Attempting to use: "4.21.0"`},
		{version: "4.13.9", want: `the minimum version supported for platform KubeVirt is: "4.14". Attempting to use: "4.13.9"`},
		{version: "4.18.2", current: "4.19.5", want: `y-stream downgrade from "4.19.5" to "4.18.2" is not supported`},
	} {
		err := g.supported(tc.version, tc.current)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tc.want {
			t.Errorf("supported(%s, %q) = %q, want %q", tc.version, tc.current, got, tc.want)
		}
	}
}

func TestPassthroughBeganWith4122(t *testing.T) {
	for version, want := range map[string]bool{"4.11.50": false, "4.12.1": false, "4.12.2": true, "4.12.45": true, "4.20.3": true} {
		if got := passthrough(version); got != want {
			t.Errorf("passthrough(%s) = %v", version, got)
		}
	}
}

func TestKubeletVersionFollowsTheRelease(t *testing.T) {
	if got := kubeletVersion("4.20.3"); got != "v1.33.5" {
		t.Errorf("kubelet of 4.20.3 is %s", got)
	}
	if got := payloadArch("s390x"); got != hyperv1.S390X {
		t.Errorf("payload arch of s390x is %s", got)
	}
}
