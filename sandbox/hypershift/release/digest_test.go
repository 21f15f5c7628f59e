package release

import (
	"strings"
	"testing"
)

func TestReleasesByDigest(t *testing.T) {
	r := Registry{Payload: "lab.example/ocp@sha256:abc", PayloadVersion: "4.20.1"}
	for _, tag := range []string{"4.20.3-multi", "4.8.0-x86_64", "4.23.99-s390x", "4.21.0-rc.1-multi",
		"5.0.1-multi", "5.1.0-ec.2-x86_64"} {
		image := Repository + ":" + tag
		digest := ByDigest(image)
		if !strings.HasPrefix(digest, Repository+"@sha256:") || ByDigest(digest) != digest {
			t.Fatalf("the digest of %s is %s", tag, digest)
		}
		if !Is(digest, image) || !Is(digest, digest) || !Is(image, image) || Is(digest, Repository+":4.20.4-multi") {
			t.Errorf("the digest of %s is taken for another image's", tag)
		}
		asked, err := r.Lookup(image)
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Lookup(digest)
		if err != nil || p.Image != digest || p.Version != asked.Version || p.Arch != asked.Arch {
			t.Errorf("by the digest, %s is %+v, %v", tag, p, err)
		}
	}
	if p, err := r.Lookup(Repository + "@sha256:abc"); err == nil {
		t.Errorf("a digest of no release is %+v", p)
	}
}
