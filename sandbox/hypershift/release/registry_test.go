package release

import (
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

func TestRegistryLookup(t *testing.T) {
	r := Registry{Payload: "quay.io/openshift-release-dev/ocp-release@sha256:abc", PayloadVersion: "4.20.3"}
	for _, tc := range []struct{ image, version, arch, err string }{
		{image: "quay.io/openshift-release-dev/ocp-release@sha256:abc", version: "4.20.3", arch: "AMD64"},
		{image: Repository + ":4.19.12-x86_64", version: "4.19.12", arch: "AMD64"},
		{image: Repository + ":4.20.0-rc.1-multi", version: "4.20.0-rc.1", arch: "Multi"},
		{image: Repository + ":4.20.3-aarch64", version: "4.20.3", arch: "ARM64"},
		{image: Repository + ":5.1.2-multi", version: "5.1.2", arch: "Multi"},
		{image: Repository + ":4.24.0-multi", err: msgManifestUnknown},
		{image: Repository + ":6.0.0-multi", err: msgManifestUnknown},
		{image: Repository + ":4.20.3", err: msgManifestUnknown},
		{image: Repository + ":4.99.0-multi", err: msgManifestUnknown},
		{image: Repository + ":4.20.1000-multi", err: msgManifestUnknown},
		{image: Repository + "@sha256:def", err: msgManifestUnknown},
		{image: "quay.io/other/image:4.20.3-multi", err: msgManifestUnknown},
		{image: "registry.example/ocp-release:4.20.3", err: "lookup registry.example: no such host"},
	} {
		got, err := r.Lookup(tc.image)
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

func TestKubeletVersionFollowsTheRelease(t *testing.T) {
	if got := KubeletVersion("4.20.3"); got != "v1.33.5" {
		t.Errorf("kubelet of 4.20.3 is %s", got)
	}
	if got := KubeletVersion("5.1.0"); got != "v1.37.5" {
		t.Errorf("kubelet of 5.1.0 is %s", got)
	}
	if got := payloadArch("s390x"); got != hyperv1.S390X {
		t.Errorf("payload arch of s390x is %s", got)
	}
}
