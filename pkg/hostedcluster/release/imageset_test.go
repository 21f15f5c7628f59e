package release

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
)

func TestNewestImageSet(t *testing.T) {
	const repo = "quay.io/openshift-release-dev/ocp-release:"
	for name, tc := range map[string]struct {
		sets [][3]string // name, image, visible
		want string
	}{
		"none": {nil, ""},
		"by number, not by text": {[][3]string{{"a", repo + "4.20.9-x86_64", "true"},
			{"b", repo + "4.20.10-x86_64", "true"}}, "b"},
		"hidden": {[][3]string{{"a", repo + "4.20.3-x86_64", "true"},
			{"b", repo + "4.20.4-x86_64", "false"}}, "a"},
		"no label counts": {[][3]string{{"a", repo + "4.20.3-x86_64", ""}}, "a"},
		"a candidate comes last": {[][3]string{{"a", repo + "4.19.1-x86_64", ""}, {"b", repo + "4.20.0-rc.1-x86_64", ""}},
			"a"},
		"a later candidate": {[][3]string{{"a", repo + "4.20.0-rc.9-multi", ""}, {"b", repo + "4.20.0-rc.10-multi", ""},
			{"c", repo + "4.20.0-ec.1-multi", ""}}, "b"},
		"all architectures first": {[][3]string{{"a", repo + "4.20.3-x86_64", ""}, {"b", repo + "4.20.3-multi", ""}}, "b"},
		"other architecture":      {[][3]string{{"a", repo + "4.20.3-x86_64", ""}, {"b", repo + "4.20.4-aarch64", ""}}, "a"},
		"other architecture by name": {[][3]string{{"a", repo + "4.20.3-x86_64", ""},
			{"img4.20.4-aarch64-appsub", "quay.io/x/y@sha256:0123", ""}}, "a"},
		"a name that says another architecture than the tag": {[][3]string{{"a", repo + "4.20.3-x86_64", ""},
			{"img-aarch64-x", repo + "4.20.4-x86_64", ""}}, "img-aarch64-x"},
		"digest, version by name": {[][3]string{{"img4.20.5-x86-64-appsub", "quay.io/x/y@sha256:0123", ""},
			{"a", repo + "4.20.3-x86_64", ""}}, "img4.20.5-x86-64-appsub"},
		"port is no tag": {[][3]string{{"img4.20.5-x86-64-appsub", "registry.example:5000/x", ""}},
			"img4.20.5-x86-64-appsub"},
		"no version": {[][3]string{{"latest", "registry.example/x:latest", ""}}, ""},
		"no image":   {[][3]string{{"img4.20.5-x86-64-appsub", "", ""}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var sets []ImageSet
			for _, s := range tc.sets {
				u := kube.ClusterImageSet.New()
				u.SetName(s[0])
				u.Object["spec"] = map[string]any{"releaseImage": s[1]}
				if s[2] != "" {
					u.SetLabels(map[string]string{"visible": s[2]})
				}
				if set, ok := imageSetOf(u, "amd64"); ok && !set.Hidden {
					sets = append(sets, set)
				}
			}
			got, _ := newest(sets)
			if got.Name != tc.want {
				t.Errorf("got %q, want %q", got.Name, tc.want)
			}
		})
	}
}
