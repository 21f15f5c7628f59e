package hostedcluster

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
)

// version is an OCP version: three numbers and, before its release, a word such as "rc.1".
type version struct {
	major, minorNumber, patch int
	candidate                 string
}

// versionForm finds the version in an image's tag ("4.20.3-x86_64", "4.21.0-rc.1-multi") or in a ClusterImageSet's name
// ("img4.20.3-x86-64-appsub").
var versionForm = regexp.MustCompile(`(\d+)\.(\d+)\.(\d+)(?:-((?:ec|fc|rc)\.\d+|0\.\w[\w.-]*))?`)

func parseVersion(s string) (version, bool) {
	m := versionForm.FindStringSubmatch(s)
	if m == nil {
		return version{}, false
	}
	var v version
	for i, to := range []*int{&v.major, &v.minorNumber, &v.patch} {
		n, err := strconv.Atoi(m[i+1])
		if err != nil {
			return version{}, false
		}
		*to = n
	}
	v.candidate = m[4]
	return v, true
}

func (v version) minor() string { return fmt.Sprintf("%d.%d", v.major, v.minorNumber) }

// compare orders releases by number; a candidate comes before every release, so that one is taken only where there is no other.
func (v version) compare(w version) int {
	return cmp.Or(
		-cmp.Compare(min(1, len(v.candidate)), min(1, len(w.candidate))),
		cmp.Compare(v.major, w.major), cmp.Compare(v.minorNumber, w.minorNumber), cmp.Compare(v.patch, w.patch),
		cmp.Compare(len(v.candidate), len(w.candidate)), cmp.Compare(v.candidate, w.candidate),
	)
}

// imageSet is a ClusterImageSet that could be used.
type imageSet struct {
	name, image string
	version     version
}

// foreignTags end the tags of payloads for other architectures: on KubeVirt the workers are amd64.
func foreignTags() []string { return []string{"-aarch64", "-arm64", "-ppc64le", "-s390x"} }

// imageSetOf returns false for a set that is hidden, for another architecture, or of no recognizable version.
func imageSetOf(u *unstructured.Unstructured) (imageSet, bool) {
	s := imageSet{name: u.GetName(), image: kube.Text(u, "spec", "releaseImage")}
	if s.image == "" || u.GetLabels()["visible"] == "false" {
		return imageSet{}, false
	}
	tag := ""
	if i := strings.LastIndex(s.image, ":"); i > strings.LastIndex(s.image, "/") && !strings.Contains(s.image, "@") {
		tag = s.image[i+1:]
	}
	for _, end := range foreignTags() {
		if strings.HasSuffix(tag, end) || tag == "" && strings.Contains(s.name, end) {
			return imageSet{}, false
		}
	}
	var ok bool
	if s.version, ok = parseVersion(tag); !ok {
		s.version, ok = parseVersion(s.name)
	}
	return s, ok
}

// newest prefers the higher version and, of two alike, a payload for all architectures, then the first by name.
func newest(sets []imageSet) (imageSet, bool) {
	if len(sets) == 0 {
		return imageSet{}, false
	}
	return slices.MaxFunc(sets, func(a, b imageSet) int {
		return cmp.Or(a.version.compare(b.version),
			cmp.Compare(multi(a), multi(b)),
			cmp.Compare(b.name, a.name))
	}), true
}

func multi(s imageSet) int {
	if strings.HasSuffix(s.image, "-multi") {
		return 1
	}
	return 0
}
