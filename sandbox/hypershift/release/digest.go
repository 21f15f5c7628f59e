package release

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/hcctl/hcctl/sandbox/profile"
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

// Is reports whether a recorded image, perhaps by its digest, is the one that was asked for.
func Is(recorded, image string) bool { return recorded == image || recorded == ByDigest(image) }

// byDigest are the tags of the releases that could exist, by the digests that are made up from them.
var byDigest = sync.OnceValue(func() map[string]string {
	tags := map[string]string{}
	add := func(version string) {
		for _, arch := range []string{"x86_64", "multi", "aarch64", "ppc64le", "s390x"} {
			tag := version + "-" + arch
			tags[ByDigest(Repository+":"+tag)] = tag
		}
	}
	for number := leastMinor; number <= mostMinor; number++ {
		for _, minor := range profile.MinorNames(number) {
			for patch := range 100 {
				add(fmt.Sprintf("%s.%d", minor, patch))
			}
			for candidate := range 10 {
				add(fmt.Sprintf("%s.0-rc.%d", minor, candidate))
				add(fmt.Sprintf("%s.0-ec.%d", minor, candidate))
			}
		}
	}
	return tags
})
