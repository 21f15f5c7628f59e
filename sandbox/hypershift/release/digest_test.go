package release

import (
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

func TestRecordedByDigest(t *testing.T) {
	const image = Repository + ":4.20.3-multi"
	digest := ByDigest(image)
	if !strings.HasPrefix(digest, Repository+"@sha256:") || ByDigest(digest) != digest {
		t.Fatalf("the digest is %s", digest)
	}
	if !Is(digest, image) || !Is(image, image) || Is(digest, Repository+":4.20.4-multi") {
		t.Error("the digest is of another image")
	}
	r := Registry{Payload: "lab.example/ocp@sha256:abc", PayloadVersion: "4.20.1"}
	for _, recorded := range []string{image, digest} {
		if p, err := r.Recorded(recorded, "4.20.3", hyperv1.Multi); err != nil || p.Image != image || p.Version != "4.20.3" {
			t.Errorf("%s is %+v, %v", recorded, p, err)
		}
	}
	if p, err := r.Recorded(r.Payload, "4.20.1", hyperv1.AMD64); err != nil || p.Version != "4.20.1" {
		t.Errorf("the management cluster's own is %+v, %v", p, err)
	}
	if p, err := r.Recorded(digest, "4.20.4", hyperv1.Multi); err == nil {
		t.Errorf("the digest of another version is %+v", p)
	}
}
