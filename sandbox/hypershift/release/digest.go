package release

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

// ByDigest returns an image as the operators record it: by its digest. That is made up, from the image's name.
func ByDigest(image string) string {
	if strings.Contains(image, "@") {
		return image
	}
	sum := sha256.Sum256([]byte(image))
	repository := image
	if i := strings.LastIndexByte(image, ':'); i > strings.LastIndexByte(image, '/') {
		repository = image[:i]
	}
	return repository + "@sha256:" + hex.EncodeToString(sum[:])
}

// Is tells whether a recorded image, perhaps by its digest, is the one that was asked for.
func Is(recorded, image string) bool { return recorded == image || recorded == ByDigest(image) }

// Recorded reads the payload of an image that an operator has recorded with its version. By a made-up digest alone it
// cannot be found.
func (r Registry) Recorded(image, version string, arch hyperv1.PayloadArchType) (Payload, error) {
	p, err := r.Lookup(image)
	if err == nil {
		return p, nil
	}
	for _, suffix := range []string{"x86_64", "multi", "aarch64", "ppc64le", "s390x"} {
		if tagged := Repository + ":" + version + "-" + suffix; payloadArch(suffix) == arch && ByDigest(tagged) == image {
			return r.Lookup(tagged)
		}
	}
	return Payload{}, err
}
